/** What a step tells, one row a figure: its column in steps.csv and its place in metrics.txt. */
import { errorShare } from "../judge/metrics.js";
import type { LatencySummary, Measurement, MixedShare } from "../model/measurement.js";
import { OUTCOMES } from "../model/outcomes.js";
import type { StepResult } from "../model/result.js";
import type { Role, Usage } from "../model/usage.js";
import { LATENCY_KEYS, PERCENTILES } from "../stats/latency-keys.js";
import { cpuOf, loopOf, memoryOf, ROLES } from "./cells.js";

/** What a figure is of one step; `null` and `undefined` where it is not told. */
export type FigureValue = string | number | null | undefined;

/** A metric without its prefix, and the labels that the figure has in it. Times become seconds there. */
type MetricPlace = readonly [metric: string, labels?: Readonly<Record<string, string>>];

/** A figure of a step. */
interface StepFigure {
  /** Its column in steps.csv, which names the unit. */
  readonly column: string;
  readonly of: (step: StepResult) => FigureValue;
  /** Absent: it is not in metrics.txt, or has labels there that only the step tells. */
  readonly metric?: MetricPlace | undefined;
}

const measured = (column: string, of: (measurement: Measurement) => FigureValue, metric?: MetricPlace): StepFigure => ({
  column,
  of: ({ measurement }) => measurement && of(measurement),
  metric,
});

const used = (column: string, of: (usage: Usage) => FigureValue, metric?: MetricPlace): StepFigure => ({
  column,
  of: ({ usage }) => usage && of(usage),
  metric,
});

const byRole = (unit: string, metric: string, of: (usage: Usage, role: Role) => number | null): readonly StepFigure[] =>
  ROLES.map(({ role }) => used(`${role}_${unit}`, (usage) => of(usage, role), [metric, { role }]));

const QUANTILES: ReadonlyMap<keyof LatencySummary, string> = new Map([
  ["min", "0.0"],
  ...PERCENTILES.map(([key, share]) => [key, String(share)] as const),
  ["max", "1.0"],
]);

function latencies(name: string, of: (measurement: Measurement) => LatencySummary | undefined): readonly StepFigure[] {
  return LATENCY_KEYS.map((key) => {
    const quantile = QUANTILES.get(key);
    const metric: MetricPlace = quantile === undefined ? [`${name}_${key}_seconds`] : [`${name}_seconds`, { quantile }];
    return measured(`${name}_${key}_ms`, (measurement) => of(measurement)?.[key], metric);
  });
}

/** All figures of a step, in the order of the columns of steps.csv; docs/formats.md describes them. */
export const STEP_FIGURES: readonly StepFigure[] = [
  { column: "engine", of: ({ engine }) => engine },
  { column: "state", of: ({ state }) => state },
  { column: "error_code", of: ({ error }) => error?.code },
  { column: "error_message", of: ({ error }) => error?.message },
  { column: "findings", of: ({ findings }) => [...new Set(findings.map(({ code }) => code))].join(" ") },
  measured("started_at", ({ startedAt }) => startedAt),
  measured("elapsed_ms", ({ elapsedMs }) => elapsedMs, ["elapsed_seconds"]),
  ...(["asked", "opened", "established"] as const).map((kind) =>
    measured(`connections_${kind}`, ({ connections }) => connections[kind], ["connections", { kind }]),
  ),
  measured("sent", ({ requests }) => requests.sent),
  ...OUTCOMES.map(({ key, column, metric }) =>
    measured(column, ({ requests }) => requests[key], ["requests", { outcome: metric }]),
  ),
  measured("failed_share", ({ requests }) => errorShare(requests), ["failed_ratio"]),
  measured("throughput_per_s", ({ throughput }) => throughput, ["throughput_per_second"]),
  ...(["received", "body", "sent"] as const).map((direction) =>
    measured(`${direction}_bytes`, ({ bytes }) => bytes[direction], ["transferred_bytes", { direction }]),
  ),
  ...latencies("latency", ({ latency }) => latency),
  ...latencies("failed_latency", ({ failedLatency }) => failedLatency),
  ...(["connect", "processing", "waiting", "total"] as const).flatMap((phase) =>
    (["min", "mean", "stddev", "median", "max"] as const).map((statistic) =>
      measured(`${phase}_${statistic}_ms`, ({ phases }) => phases?.[phase][statistic], [
        "phase_seconds",
        { phase, statistic },
      ]),
    ),
  ),
  measured("scheduled_requests", ({ schedule }) => schedule?.planned, ["scheduled_requests"]),
  measured("unsent_requests", ({ schedule }) => schedule?.unsent, ["unsent_requests"]),
  ...(["mean", "p99", "max"] as const).map((statistic) =>
    measured(`lateness_${statistic}_ms`, ({ schedule }) => schedule?.lateness[statistic], [
      "lateness_seconds",
      { statistic },
    ]),
  ),
  measured("status_codes", ({ statusCodes }) => writeObject(statusCodes)),
  measured("error_codes", ({ errorCodes }) => writeObject(errorCodes)),
  measured("backends", ({ backends }) => writeObject(backends)),
  measured("mix", ({ mix }) => mix && writeMix(mix)),
  measured("program", ({ program }) => program && `${program.name} ${program.version ?? ""}`.trim()),
  ...byRole("cpu_cores", "cpu_cores", cpuOf),
  ...byRole("memory_bytes", "memory_bytes", memoryOf),
  ...byRole("event_loop_share", "event_loop_busy_ratio", loopOf),
  used("machine_busy_share", ({ machine }) => machine, ["machine_busy_ratio"]),
  used("machine_steal_share", ({ steal }) => steal),
  used("bottleneck", ({ bottleneck }) => bottleneck),
  { column: "time_wait_before", of: ({ pressure }) => pressure?.timeWait?.before },
  { column: "time_wait_most", of: ({ pressure }) => pressure?.timeWait?.most },
  { column: "sockets_most", of: ({ pressure }) => pressure?.socketsMost },
];

/** An object whose keys only the step tells is one cell, as JSON; empty where there is nothing in it. */
function writeObject(object: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return object === undefined || Object.keys(object).length === 0 ? undefined : JSON.stringify(object);
}

/** The figures of a mix are counts, and latencies in ms. */
function writeMix(mix: readonly MixedShare[]): string {
  return JSON.stringify(mix, (_, value: unknown) => (typeof value === "number" ? knownMs(value) : value));
}

const DIGITS = 6;
const BEFORE_THE_POINT = 10 ** (DIGITS - 1);

/** Returns a time in ms to the microsecond, which is as exact as it was taken. */
export function knownMs(ms: number): number {
  return Number(ms.toFixed(3));
}

/** Returns a time in seconds to the microsecond. */
export function knownSeconds(seconds: number): number {
  return Number(seconds.toFixed(6));
}

/** Returns a rate or a share to six significant digits, without losing one before the point; whole numbers are exact. */
export function knownDigits(value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Math.abs(value) >= BEFORE_THE_POINT ? Math.round(value) : Number(value.toPrecision(DIGITS));
}
