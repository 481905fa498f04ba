/** What a step tells, one row a figure: its column in steps.csv, and how tables show it. */
import type { AxisName } from "./charts/chart-definition.js";
import { type StepUsage, usageOf } from "../judge/bottleneck.js";
import { connectionMemory, lostConnections } from "../judge/held.js";
import { errorShare, metricValue } from "../judge/metrics.js";
import type { Measurement, MixedShare } from "../model/measurement.js";
import { OUTCOMES } from "../model/outcomes.js";
import type { StepResult } from "../model/result.js";
import type { Role, WorkerShare } from "../model/usage.js";
import { connectionsOf, requestsPerConnection } from "../stats/backend-shares.js";
import { LATENCY_KEYS } from "../stats/latency-keys.js";
import { failedRequests, finishedRequests } from "../stats/request-counts.js";
import { median, sum } from "../stats/descriptive.js";
import { perSecond } from "../stats/ramp-seconds.js";
import { type Cell, countFailed, countFinished, cpuOf, loopOf, memoryOf, ROLES } from "./cells.js";
import {
  formatBytes,
  formatCount,
  formatPercent,
  formatRate,
  formatTenths,
  formatTime,
  pickByteUnit,
} from "../stats/format-number.js";
import { capitalize } from "./plain-line.js";

/** What a figure is of one step; `null` and `undefined` where it is not told. */
export type FigureValue = string | number | null | undefined;

/** How tables show a figure. */
interface Shown {
  readonly label: string;
  /** `bytes` and `bytes/s` are shown in the unit that the values of a column need. */
  readonly unit?: "ms" | "s" | "%" | "bytes" | "bytes/s";
  /** Over a column of the terminal's table, where label and unit are too long for that. */
  readonly short?: string;
  readonly format: (value: number) => string;
  /** What the label means, where that takes more words. */
  readonly title?: string;
  /** Along the axis of a chart; absent: as over a column. */
  readonly axis?: AxisName;
  readonly better?: "higher" | "lower";
  /** Makes one of the values of several trials; absent: their median. */
  readonly together?: ((values: readonly number[]) => number) | undefined;
  /** Of all trials at once, for what their values do not tell. */
  readonly ofCell?: (cell: Cell) => number | null;
}

/** A figure of a step. */
export interface Figure {
  readonly key: string;
  readonly of: (step: StepResult) => FigureValue;
  readonly shown?: Shown | undefined;
}

/** Makes rows of a part of a step; a missing figure is left out. */
const rowsOf =
  <Part>(read: (step: StepResult) => Part | undefined) =>
  (key: string, of: (part: Part) => FigureValue, shown?: Shown): Figure => ({
    key,
    of: (step) => {
      const part = read(step);
      return part && of(part);
    },
    shown,
  });

const measured = rowsOf(({ measurement }) => measurement);

/** Of requests: imported output may tell their rate alone. */
const counted = rowsOf(({ measurement }) =>
  measurement && (measurement.requests.sent > 0 || measurement.throughput === 0) ? measurement : undefined,
);

const used = rowsOf(usageOf);

const held = rowsOf(({ measurement }) => measurement?.hold);

const burst = rowsOf(({ measurement }) => measurement?.hold?.burst);

/** Connections as the backends count them. */
const connected = rowsOf(({ measurement }) => measurement && connectionsOf(measurement));

/** Makes how figures of a kind are shown, each with its label and what is its own. */
const shownAs =
  (kind: Omit<Shown, "label">) =>
  (label: string, own: Partial<Shown> = {}): Shown => ({ label, ...kind, ...own });

const count = shownAs({ format: formatCount, together: sum });
const connections = shownAs({ format: formatCount });
const most = shownAs({ format: formatTenths });
const time = shownAs({ unit: "ms", format: formatTime });
const speed = shownAs({ format: formatRate });
const share = shownAs({ unit: "%", format: formatPercent });
const size = shownAs({ unit: "bytes", format: formatTime });

const byRole = (unit: string, of: (usage: StepUsage, role: Role) => number | null, shown: Shown): readonly Figure[] =>
  ROLES.map(({ role, label }) =>
    used(`${role}_${unit}`, (usage) => of(usage, role), { ...shown, label: `${shown.label} ${label}` }),
  );

/** A row for each statistic of some times: `tcp_p50_ms`, shown as `TCP, p50`. */
function times<Statistic extends string>(
  key: string,
  label: string,
  of: (measurement: Measurement) => Readonly<Partial<Record<Statistic, number>>> | undefined,
  statistics: readonly Statistic[],
): readonly Figure[] {
  return statistics.map((statistic) =>
    measured(
      `${key}_${statistic}_ms`,
      (measurement) => of(measurement)?.[statistic],
      time(`${label}, ${statistic === "p999" ? "p99.9" : statistic}`),
    ),
  );
}

/** Of several trials there is one highest. */
const highest = (values: readonly number[]): number => Math.max(...values);

/** Connections that are held, and what a burst beside them saw. */
const HELD: readonly Figure[] = [
  measured("held_opened", ({ hold, connections: { opened } }) => hold && opened, connections("Opened")),
  held("held_at_start", ({ atStart }) => atStart),
  held("held_at_end", ({ alive }) => alive, connections("Alive at the end", { short: "alive" })),
  held("held_sources", ({ sources }) => sources?.join(" ")),
  held(
    "held_lost",
    lostConnections,
    connections("Lost", { title: "one that was opened again and lost again counts twice" }),
  ),
  held("held_lost_closed", ({ lost }) => lost.closed, connections("Closed", { title: "by the server, in order" })),
  held("held_lost_reset", ({ lost }) => lost.reset, connections("Reset")),
  held(
    "held_lost_given_up",
    ({ lost }) => lost.givenUp,
    connections("Given up", { title: "by lbbench, after a timeout or a broken answer" }),
  ),
  ...ROLES.flatMap(({ role, label }): readonly Figure[] => {
    if (role === "generator") return [];
    const title =
      "resident memory beyond that before they were opened, divided by their number; nothing within its noise";
    const shown = { label: `Memory a connection, ${label}`, short: `${label}/conn`, format: formatBytes, title };
    return [{ key: `${role}_connection_bytes`, of: (step) => connectionMemory(step)[role], shown }];
  }),
  burst(
    "burst_throughput_per_s",
    ({ throughput }) => throughput,
    speed("Requests/s of the burst", { short: "burst/s" }),
  ),
  ...(["p50", "p99"] as const).map((key) =>
    burst(
      `burst_latency_${key}_ms`,
      ({ latency }) => latency?.[key],
      time(`Burst, ${key}`, { short: `burst ${key} ms` }),
    ),
  ),
  burst("burst_failed", ({ requests }) => failedRequests(requests), count("Burst, failed", { short: "burst failed" })),
];

const CPU = share("CPU", { axis: { label: "CPU", unit: "% of one core" }, title: "100 % is one core kept busy" });

/** All figures of a step, in the order of the columns of steps.csv; docs/formats.md describes them. */
export const STEP_FIGURES: readonly Figure[] = [
  { key: "engine", of: ({ engine }) => engine },
  { key: "state", of: ({ state }) => state },
  { key: "error_code", of: ({ error }) => error?.code },
  { key: "error_message", of: ({ error }) => error?.message },
  { key: "findings", of: ({ findings }) => [...new Set(findings.map(({ code }) => code))].join(" ") },
  measured("started_at", ({ startedAt }) => startedAt),
  measured("elapsed_ms", ({ elapsedMs }) => (elapsedMs === 0 ? undefined : elapsedMs), {
    label: "Time taken",
    unit: "s",
    format: (ms) => formatTime(ms / 1000),
  }),
  ...(["asked", "opened", "established"] as const).map((kind) =>
    measured(`connections_${kind}`, ({ connections }) => connections[kind]),
  ),
  counted("sent", ({ requests }) => requests.sent, count("Sent")),
  ...OUTCOMES.map(({ key, column, label }) =>
    counted(
      column,
      ({ requests }) => requests[key],
      key === "ok"
        ? count("Complete (ok)", { title: "answered completely, with an expected status and body" })
        : count(capitalize(label)),
    ),
  ),
  counted(
    "failed_share",
    ({ requests }) => errorShare(requests),
    share("Failed", {
      axis: { label: "failed requests", unit: "%" },
      better: "lower",
      title: "of those that came to an end: sent, without those in flight",
      ofCell: (cell) => (countFinished(cell) === 0 ? null : countFailed(cell) / countFinished(cell)),
    }),
  ),
  measured(
    "throughput_per_s",
    ({ throughput }) => throughput,
    speed("Requests/s", { axis: { label: "requests/s" }, better: "higher", title: "ok responses only" }),
  ),
  ...(["received", "body", "sent"] as const).map((direction) =>
    measured(`${direction}_bytes`, ({ bytes }) => bytes[direction], size(capitalize(direction))),
  ),
  ...LATENCY_KEYS.map((key) => {
    const together = key === "max" ? highest : undefined;
    const axis = { label: "latency", unit: "ms" };
    const shown = time(/^p\d/.test(key) ? key : capitalize(key), { axis, better: "lower", together });
    return measured(`latency_${key}_ms`, ({ latency }) => latency?.[key], shown);
  }),
  ...LATENCY_KEYS.map((key) => measured(`failed_latency_${key}_ms`, ({ failedLatency }) => failedLatency?.[key])),
  ...(["connect", "processing", "waiting", "total"] as const).flatMap((phase) =>
    times(phase, capitalize(phase), ({ phases }) => phases?.[phase], ["min", "mean", "stddev", "median", "max"]),
  ),
  measured(
    "connections_per_s",
    ({ opening, elapsedMs }) => rate(opening?.count, elapsedMs),
    speed("Connections/s", { title: "that were established while measuring" }),
  ),
  ...times("tcp", "TCP", ({ opening }) => opening?.tcp, ["p50", "p90", "p99"]),
  ...times("tls", "TLS", ({ opening }) => opening?.tls?.latency, ["p50", "p90", "p99"]),
  ...times("first_byte", "First byte", ({ opening }) => opening?.firstByte, ["p50", "p90", "p99"]),
  measured("handshakes_full", ({ opening }) => opening?.tls?.full, count("Full", { title: "handshakes of TLS" })),
  measured(
    "handshakes_resumed",
    ({ opening }) => opening?.tls?.resumed,
    count("Resumed", { title: "handshakes that went on with a session" }),
  ),
  measured("tls_agreed", ({ opening }) => opening?.tls && writeObject(opening.tls.agreed)),
  measured("events", ({ events }) => events?.count, count("Events")),
  ...times("first_event", "First event", ({ events }) => events?.first, ["p50", "p99", "max"]),
  ...times("event_gap", "Gap", ({ events }) => events?.gap, ["p50", "p99", "max"]),
  // By what answers say in `Server-Timing`.
  ...times("timing_generator", "Generator", ({ serverTiming }) => serverTiming?.generator, ["p50", "p99"]),
  ...times("timing_backend", "Backend", ({ serverTiming }) => serverTiming?.backend, ["p50", "p99"]),
  ...times("timing_added", "Added", ({ serverTiming }) => serverTiming?.added, ["p50", "p99", "p999"]),
  ...times("timing_queue", "Queue", ({ serverTiming }) => serverTiming?.balancer?.queue, ["p99"]),
  ...times("timing_connect", "Connect", ({ serverTiming }) => serverTiming?.balancer?.connect, ["p99"]),
  ...(["told", "untold", "malformed", "negative"] as const).map((kind) =>
    measured(`timing_${kind}`, ({ serverTiming }) => serverTiming?.[kind], count(capitalize(kind))),
  ),
  measured("scheduled_requests", ({ schedule }) => schedule?.planned, count("Due")),
  measured("unsent_requests", ({ schedule }) => schedule?.unsent, count("Could not leave")),
  ...times("lateness", "Late", ({ schedule }) => schedule?.lateness, ["mean", "p99", "max"]),
  measured("status_codes", ({ statusCodes }) => writeObject(statusCodes)),
  measured("error_codes", ({ errorCodes }) => writeObject(errorCodes)),
  measured("backends", ({ backends }) => writeObject(backends)),
  connected(
    "backend_connections_accepted",
    (one) => one.connections.accepted,
    count("Accepted", { title: "new connections, of all trials together" }),
  ),
  connected(
    "backend_connections_open",
    (one) => one.connections.open,
    most("Open", { title: "the most at a time that were seen, as asked every half second" }),
  ),
  connected(
    "backend_connections_active",
    (one) => one.connections.active,
    most("Active", { title: "the most of these with a request that was not answered yet" }),
  ),
  connected(
    "requests_per_backend_connection",
    requestsPerConnection,
    speed("Requests a connection", { title: "requests by connections accepted, and those that were open before" }),
  ),
  ...HELD,
  measured("mix", ({ mix }) => mix && writeRounded(mix)),
  { key: "workers", of: ({ workers }) => workers && writeRounded(workers) },
  measured("program", ({ program }) => program && `${program.name} ${program.version ?? ""}`.trim()),
  ...byRole("cpu_cores", cpuOf, CPU),
  ...byRole(
    "memory_bytes",
    memoryOf,
    size("Memory", {
      axis: { label: "resident memory", unit: "bytes" },
      title: "the most that each process of a role had, added up",
    }),
  ),
  ...byRole(
    "event_loop_share",
    loopOf,
    share("Loop", {
      axis: { label: "event loop", unit: "% of time" },
      title: "share of the time in which the busiest event loop did not wait",
    }),
  ),
  used("machine_busy_share", ({ machine }) => machine),
  used("machine_steal_share", ({ steal }) => steal),
  used("bottleneck", ({ bottleneck }) => bottleneck),
  { key: "time_wait_before", of: ({ pressure }) => pressure?.timeWait?.before },
  { key: "time_wait_most", of: ({ pressure }) => pressure?.timeWait?.most },
  { key: "sockets_most", of: ({ pressure }) => pressure?.socketsMost },
];

/** What tables have beside the columns of steps.csv, from which it follows. */
const TABLE_FIGURES: readonly Figure[] = [
  counted(
    "finished",
    ({ requests }) => finishedRequests(requests),
    count("Samples", { title: "all that came to an end" }),
  ),
  counted(
    "failed",
    ({ requests }) => failedRequests(requests),
    count("Failed", { title: "in whatever way; requests in flight at the end are not among them" }),
  ),
  counted("held_failed", ({ requests }) => failedRequests(requests), count("Requests failed")),
  { key: "within_share", of: (step) => metricValue(step, "within"), shown: share("Within") },
  measured("sent_per_s", ({ requests, elapsedMs }) => rate(requests.sent, elapsedMs), speed("Sent/s")),
  measured("received_bytes_per_s", ({ bytes, elapsedMs }) => rate(bytes.received, elapsedMs), {
    label: "Transfer rate",
    axis: { label: "received", unit: "bytes/s" },
    unit: "bytes/s",
    format: formatTime,
  }),
  used(
    "target_cpu_cores",
    (usage) => {
      const [balancer, backends] = [cpuOf(usage, "balancer"), cpuOf(usage, "backend")];
      return balancer === null && backends === null ? null : (balancer ?? 0) + (backends ?? 0);
    },
    { ...CPU, label: "CPU of the target" },
  ),
];

function rate(amount: number | undefined, lengthMs: number): number | undefined {
  return amount === undefined || lengthMs <= 0 ? undefined : perSecond({ lengthMs }, amount);
}

/** A figure as a column of a table: its head, with the unit, and the figure of a cell. */
export interface ShownFigure extends Pick<Shown, "format" | "title" | "unit" | "axis" | "better"> {
  readonly label: string;
  readonly head: string;
  readonly short: string;
  /** Of one trial; `null` where that does not tell it. */
  readonly ofStep: (step: StepResult) => number | null;
  /** Of each trial that tells it. */
  readonly values: (cell: Cell) => readonly number[];
  /** `null` where no trial tells it. */
  readonly of: (cell: Cell) => number | null;
}

const SHOWN: ReadonlyMap<string, ShownFigure> = new Map(
  [...STEP_FIGURES, ...TABLE_FIGURES].flatMap(({ key, of, shown }) => {
    if (shown === undefined) return [];
    const { label, unit, short, together = median } = shown;
    const ofStep = (step: StepResult): number | null => {
      const value = of(step);
      return typeof value === "number" ? value : null;
    };
    const values = (cell: Cell): readonly number[] => cell.measured.flatMap((step) => ofStep(step) ?? []);
    const ofValues = (cell: Cell): number | null => {
      const all = values(cell);
      return all.length === 0 ? null : together(all);
    };
    const words = {
      head: unit === undefined ? label : `${label} (${unit})`,
      short: short ?? (unit === undefined ? label : `${label} ${unit}`).toLowerCase(),
    };
    return [[key, { ...shown, ...words, ofStep, values, of: shown.ofCell ?? ofValues }] as const];
  }),
);

/** Returns how a figure is shown. Throws a `RangeError` for a key that no table knows. */
export function shownFigure(key: string): ShownFigure {
  const figure = SHOWN.get(key);
  if (figure === undefined) throw new RangeError(`expected a figure of tables, got "${key}"`);
  return figure;
}

/** Returns the ok responses per second of a cell, the median of its trials; 0 where nothing was measured. */
export function throughputOf(cell: Cell | undefined): number {
  return (cell && shownFigure("throughput_per_s").of(cell)) ?? 0;
}

/**
 * Returns figures of the same kind as one chart draws them: along one axis, in the unit that they need in some cells. `values` are of every
 * trial of a cell that tells the figure at a place, by default the first. Throws a `RangeError` for a key that no table knows.
 */
export function drawnFigures(keys: readonly string[], cells: readonly Cell[]) {
  const figures = keys.map(shownFigure);
  const { unit = "", label = "", axis = { label, unit } as AxisName, better } = figures[0] ?? {};
  const { name, bytes } = pickByteUnit(figures.flatMap(({ values }) => cells.flatMap(values)));
  const one = unit === "%" ? 0.01 : unit.startsWith("bytes") ? bytes : 1;
  return {
    axis: { ...axis, unit: axis.unit?.replace("bytes", name) },
    better: better === undefined ? "" : `${better} is better`,
    format: unit === "%" ? (value: number) => formatPercent(value * one) : (figures[0]?.format ?? formatTime),
    values: (cell: Cell, at = 0): readonly number[] => figures[at]?.values(cell).map((value) => value / one) ?? [],
  };
}

/** An object whose keys only the step tells is one cell, as JSON; empty where there is nothing in it. */
function writeObject(object: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return object === undefined || Object.keys(object).length === 0 ? undefined : JSON.stringify(object);
}

/** What is made of counts, shares and times in ms, as JSON. */
function writeRounded(list: readonly (MixedShare | WorkerShare)[]): string {
  return JSON.stringify(list, (_, value: unknown) => (typeof value === "number" ? knownMs(value) : value));
}

const DIGITS = 6;
const BEFORE_THE_POINT = 10 ** (DIGITS - 1);

/** Returns a time in ms to the microsecond, which is as exact as it was taken. */
export function knownMs(ms: number): number {
  return Number(ms.toFixed(3));
}

/** Returns a rate or a share to six significant digits, without losing one before the point; whole numbers are exact. */
export function knownDigits(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Math.abs(value) >= BEFORE_THE_POINT ? Math.round(value) : Number(value.toPrecision(DIGITS));
}
