/** The figures of one target, level by level: medians over the trials, counts over all of them. */
import type { LatencySummary, Measurement, MixedShare, RequestCounts } from "../../model/measurement.js";
import { TOLD_FAILURES } from "../../model/outcomes.js";
import type { SearchOutcome } from "../../model/search.js";
import type { Role } from "../../model/usage.js";
import { loadValue } from "../../stats/load.js";
import { summarizeTrials } from "../../stats/trials.js";
import {
  type Cell,
  countFailed,
  countFinished,
  countRefused,
  CPU_OF_SHORT_STEPS,
  describeBottleneck,
  type Expectations,
  hasOtherStatuses,
  isTooShort,
  medianCpu,
  medianLatency,
  medianLoop,
  medianMemory,
  medianOf,
  outliersOf,
  processesOf,
  ROLES,
  statusCounts,
  valuesOf,
} from "../cells.js";
import { describeAmount, describeLoad, distinctAmounts, loadWords } from "../describe-level.js";
import { DECISION_WORDS } from "../describe-search.js";
import { describeState } from "../describe-run.js";
import { formatCount, formatPercent, formatRate, formatTime, pickByteUnit } from "../format-number.js";
import { capitalize } from "../plain-line.js";
import { type Block, code, type Column, createTable, NO_FIGURE, numberColumn, paragraph } from "./block.js";

type Figure = (measurement: Measurement) => number | undefined;
type Format = (value: number) => string;

/** A column of the median of a figure. */
function medianColumn(head: string, figure: Figure, format: Format, title?: string): Column<Cell> {
  return numberColumn(head, (cell) => medianOf(cell, figure), format, title);
}

/** A column of a count of all trials; missing where no measurement tells it. */
function countColumn(
  head: string,
  count: (measurement: Measurement) => number | undefined,
  title?: string,
): Column<Cell> {
  return numberColumn(head, (cell) => sumOf(cell, count), formatCount, title);
}

function sumOf(cell: Cell, count: Figure): number | null {
  const values = valuesOf(cell, count);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

const requestCount =
  (key: keyof RequestCounts): Figure =>
  ({ requests }) =>
    requests[key];

/** The columns that name a level: its load, and how much it asks for where levels differ in that. */
function levelColumns<Row extends Pick<Cell, "level">>(rows: readonly Row[]): readonly Column<Row>[] {
  const levels = rows.map(({ level }) => level);
  const load = numberColumn<Row>(loadWords(levels).column, ({ level }) => loadValue(level), formatCount);
  const amount: Column<Row> = { head: "Load", align: "right", cell: ({ level }) => describeAmount(level) };
  return distinctAmounts(levels).length > 1 ? [load, amount] : [load];
}

/** A table of the cells where something was measured that it is about; nothing where there are none. */
function tabulate(
  cells: readonly Cell[],
  isTold: (measurement: Measurement) => unknown,
  caption: string,
  lead: string,
  columns: (telling: readonly Cell[]) => readonly Column<Cell>[],
): readonly Block[] {
  const telling = cells.filter(({ measurements }) => measurements.some(isTold));
  if (telling.length === 0) return [];
  return [createTable({ caption, lead }, [...levelColumns(telling), ...columns(telling)], telling)];
}

const LATENCIES: readonly (readonly [keyof LatencySummary, string])[] = [
  ["p50", "p50 (ms)"],
  ["p90", "p90 (ms)"],
  ["p99", "p99 (ms)"],
  ["max", "Max (ms)"],
  ["mean", "Mean (ms)"],
];

/**
 * Returns throughput, latency, requests and time taken per level, what a narrow screen has no room for last.
 *
 * @param outcome of the search that chose the levels, if one did: then it says of each whether it held.
 * @param scenario says which statuses are expected: then it tells how many of the failed were refused, where any were.
 */
export function latencyTable(
  cells: readonly Cell[],
  outcome?: SearchOutcome,
  scenario?: Expectations,
): readonly Block[] {
  const state: Column<Cell> = { head: "State", align: "left", cell: (cell) => describeState(cell) || NO_FIGURE };
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    ...(outcome === undefined ? [] : [heldColumn(outcome)]),
    medianColumn("Requests/s", ({ throughput }) => throughput, formatRate, "ok responses only"),
    ...LATENCIES.map(([key, head]) => numberColumn<Cell>(head, (cell) => medianLatency(cell, key), formatTime)),
    numberColumn(
      "Failed",
      (cell) => (cell.measurements.length === 0 ? null : countFailed(cell)),
      formatCount,
      "in whatever way; requests in flight at the end are not among them",
    ),
    ...refusedColumn(cells, scenario),
    countColumn("Complete (ok)", requestCount("ok"), "answered completely, with an expected status and body"),
    medianColumn("Time taken (s)", ({ elapsedMs }) => elapsedMs / 1000, formatTime),
    ...(cells.some((cell) => describeState(cell) !== "") ? [state] : []),
  ];
  const several = cells.some(({ measurements }) => measurements.length > 1);
  return [
    createTable({ caption: "Requests and latency" }, columns, cells),
    ...(several ? [paragraph("Medians over the trials; complete and failed are of all trials.")] : []),
  ];
}

function heldColumn({ tried, beyond }: SearchOutcome): Column<Cell> {
  const decisions = new Map([...tried, ...(beyond === null ? [] : [beyond])].map((one) => [one.value, one.decision]));
  const cell = ({ level }: Cell): string => {
    const decision = decisions.get(loadValue(level));
    return decision === undefined ? NO_FIGURE : DECISION_WORDS[decision];
  };
  return { head: "Held?", align: "left", title: "whether every threshold held", cell };
}

function refusedColumn(cells: readonly Cell[], scenario: Expectations | undefined): readonly Column<Cell>[] {
  if (scenario === undefined) return [];
  const refused: Figure = (measurement) => countRefused(measurement, scenario);
  if (cells.every((cell) => (sumOf(cell, refused) ?? 0) === 0)) return [];
  return [countColumn("Refused", refused, "of the failed: answered with a status that refuses")];
}

/** Returns how an open loop kept to its schedule; nothing for a closed loop. */
export function scheduleTable(cells: readonly Cell[]): readonly Block[] {
  return tabulate(
    cells,
    ({ schedule }) => schedule,
    "How requests kept to their schedule",
    "How requests kept to their schedule. Latency counts from when a request was due, not from when it left.",
    () => [
      medianColumn("Sent/s", ({ requests, elapsedMs }) => perSecond(requests.sent, elapsedMs), formatRate),
      medianColumn("Due", ({ schedule }) => schedule?.planned, formatCount),
      medianColumn("Could not leave", ({ schedule }) => schedule?.unsent, formatCount),
      medianColumn("Late, mean (ms)", ({ schedule }) => schedule?.lateness.mean, formatTime),
      medianColumn("Late, p99 (ms)", ({ schedule }) => schedule?.lateness.p99, formatTime),
    ],
  );
}

function perSecond(count: number | undefined, elapsedMs: number): number | undefined {
  return count === undefined || elapsedMs <= 0 ? undefined : (count / elapsedMs) * 1000;
}

/** Returns where the time of ok requests went; nothing where the engine does not tell it. */
export function phaseTable(cells: readonly Cell[]): readonly Block[] {
  return tabulate(
    cells,
    ({ phases }) => phases,
    "Where the time goes",
    "Where the time goes: connecting; waiting for the first byte, a part of processing; processing to the last byte.",
    () =>
      (["connect", "waiting", "processing", "total"] as const).flatMap((phase) => [
        medianColumn(`${capitalize(phase)}: mean (ms)`, ({ phases }) => phases?.[phase].mean, formatTime),
        medianColumn("max", ({ phases }) => phases?.[phase].max, formatTime),
      ]),
  );
}

/** Returns the requests that failed by class, for the levels that have any; nothing without failures. */
export function failureTable(cells: readonly Cell[]): readonly Block[] {
  const failing = cells.filter((cell) => countFailed(cell) > 0);
  const several = failing.some(({ measurements }) => measurements.length > 1);
  return tabulate(
    failing,
    () => true,
    "How requests failed",
    several ? "How requests failed, all trials together:" : "How requests failed:",
    () => [
      countColumn("Sent", requestCount("sent")),
      numberColumn(
        "Failed (%)",
        (cell) => countFailed(cell) / countFinished(cell),
        formatPercent,
        "of those that came to an end: sent, without those in flight",
      ),
      ...TOLD_FAILURES.filter(
        ({ key }) => key !== "unclassified" || failing.some((cell) => sumOf(cell, requestCount(key)) !== null),
      ).map(({ key, label }) => countColumn(capitalize(label), requestCount(key))),
      countColumn("In flight", requestCount("inFlight")),
    ],
  );
}

/** Returns how many answers had which status; a sentence where all had the same; nothing where that is not told. */
export function statusTable(cells: readonly Cell[]): readonly Block[] {
  const codes = [...statusCounts(cells).keys()];
  if (codes.length === 1 && !hasOtherStatuses(cells)) return [paragraph(`All answers had status ${codes[0]}.`)];
  return tabulate(
    cells,
    ({ statusCodes }) => Object.keys(statusCodes).length > 0,
    "Answers by status",
    "Answers by status, all trials together:",
    () => codes.map((status) => countColumn(status, ({ statusCodes }) => statusCodes[status] ?? 0)),
  );
}

/** One entry of a mix at one level. */
interface MixRow extends Cell {
  readonly name: string;
}

/** Returns what became of each request of a mix; nothing without a mix. */
export function mixTable(cells: readonly Cell[]): readonly Block[] {
  const rows = cells.flatMap((cell) => {
    const names = cell.measurements.flatMap(({ mix = [] }) => mix.map(({ name }) => name));
    return [...new Set(names)].map((name): MixRow => ({ ...cell, name }));
  });
  if (rows.length === 0) return [];
  const part = ({ name }: MixRow, { mix = [] }: Measurement): MixedShare | undefined =>
    mix.find((share) => share.name === name);
  const total = (row: MixRow, count: "sent" | "ok" | "failed"): number =>
    sumOf(row, (one) => part(row, one)?.[count]) ?? 0;
  const shareOf = (row: MixRow): number | null => {
    const sent = sumOf(row, requestCount("sent")) ?? 0;
    return sent === 0 ? null : total(row, "sent") / sent;
  };
  const median = (head: string, figure: (share: MixedShare, elapsedMs: number) => number | undefined, format: Format) =>
    numberColumn<MixRow>(
      head,
      (row) =>
        medianOf(row, (measurement) => {
          const share = part(row, measurement);
          return share && figure(share, measurement.elapsedMs);
        }),
      format,
    );
  const columns: readonly Column<MixRow>[] = [
    ...levelColumns(rows),
    { head: "Request", align: "left", cell: ({ name }) => name },
    numberColumn("Sent", (row) => total(row, "sent"), formatCount),
    numberColumn("Share (%)", shareOf, formatPercent),
    numberColumn("Complete (ok)", (row) => total(row, "ok"), formatCount),
    numberColumn("Failed", (row) => total(row, "failed"), formatCount),
    median("Requests/s", ({ ok }, elapsedMs) => perSecond(ok, elapsedMs), formatRate),
    median("p50 (ms)", ({ latency }) => latency?.p50, formatTime),
    median("p99 (ms)", ({ latency }) => latency?.p99, formatTime),
  ];
  return [createTable({ caption: "By request", lead: "By request:" }, columns, rows)];
}

/** The figures whose spread is shown. */
const SPREAD: readonly { readonly head: string; readonly figure: Figure; readonly format: Format }[] = [
  { head: "Requests/s", figure: ({ throughput }) => throughput, format: formatRate },
  { head: "p50 (ms)", figure: ({ latency }) => latency?.p50, format: formatTime },
  { head: "p99 (ms)", figure: ({ latency }) => latency?.p99, format: formatTime },
];

/** Returns how much the trials differ; nothing where no level has several. */
export function trialsTable(cells: readonly Cell[]): readonly Block[] {
  if (cells.every(({ measurements }) => measurements.length < 2)) return [];
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    numberColumn("Trials", ({ measurements }) => measurements.length, formatCount),
    ...SPREAD.map(({ head, figure, format }): Column<Cell> => ({
      head,
      align: "right",
      cell: (cell) => {
        const values = valuesOf(cell, figure);
        if (values.length === 0) return NO_FIGURE;
        const { median, low, high } = summarizeTrials(values);
        const mark = outliersOf(cell, figure).length > 0 ? " *" : "";
        return { text: `${format(median)} (${format(low)} to ${format(high)})${mark}`, value: median };
      },
    })),
  ];
  const lead = `Spread over the trials: median, and in brackets ${describeInterval(cells)}.`;
  return [createTable({ caption: "Spread over the trials", lead }, columns, cells), ...describeOutliers(cells)];
}

function describeInterval(cells: readonly Cell[]): string {
  const counts = cells.map(({ measurements }) => measurements.length).filter((count) => count > 0);
  const isInterval = (count: number): boolean =>
    summarizeTrials(Array.from({ length: count }, (_, index) => index)).interval === "confidence95";
  const range = "the lowest and the highest trial";
  const interval = "the 95 % interval of the median (by bootstrap: trials drawn anew from those that there are)";
  if (counts.every(isInterval)) return interval;
  return counts.some(isInterval) ? `${interval}, or ${range} where there are fewer than 6` : range;
}

/** Says of every outlier which trial it is, and what the mark means; nothing without any. */
function describeOutliers(cells: readonly Cell[]): readonly Block[] {
  const places = SPREAD.flatMap(({ head, figure, format }) =>
    cells.flatMap((cell) => {
      const outliers = outliersOf(cell, figure).map(({ trial, value }) => `${format(value)} (trial ${trial})`);
      return outliers.length === 0 ? [] : [`${head} at ${describeLoad(cell.level)}: ${outliers.join(", ")}`];
    }),
  );
  if (places.length === 0) return [];
  return [
    paragraph(
      `* An outlier among these: a trial that lies far from the others, beyond the quartiles by more than three times their distance ` +
        `(Tukey's outer fences). It is marked and not left out: median and interval contain it. ${places.join("; ")}.`,
    ),
  ];
}

/**
 * Returns bytes received, the bottleneck and processor time by role, and in a second table how busy event loops were and memory by
 * role; nothing without a measurement.
 */
export function resourceTable(cells: readonly Cell[]): readonly Block[] {
  if (cells.every(({ measurements }) => measurements.length === 0)) return [];
  const columns: readonly Column<Cell>[] = [
    ...levelColumns(cells),
    byteColumn("Received", "", cells, (cell) => medianOf(cell, ({ bytes }) => bytes.received)),
    byteColumn("Transfer rate", "/s", cells, (cell) =>
      medianOf(cell, ({ bytes, elapsedMs }) => perSecond(bytes.received, elapsedMs)),
    ),
    {
      head: "Bottleneck",
      align: "left",
      title:
        "the part that was busy to its limit, in most of the trials; none: every process was seen, and none was at its limit; where it is the generator, the target may carry more than the throughput shows",
      cell: (cell) => describeBottleneck(cell) || NO_FIGURE,
    },
    ...roleColumns(cells, medianCpu, (label, figure) => numberColumn(`CPU ${label} (%)`, figure, formatPercent)),
  ];
  const short = cells.some(({ usages }) => usages.some(isTooShort));
  const lead = `Transfer and processes (CPU: 100 % is one core kept busy${short ? `; ${CPU_OF_SHORT_STEPS}` : ""}):`;
  return [
    createTable({ caption: "Transfer and processes", lead }, columns, cells),
    ...describeSight(cells),
    ...loopAndMemoryTable(cells),
  ];
}

/** Says which processes were found and not started, or that none of the server was seen. */
function describeSight(cells: readonly Cell[]): readonly Block[] {
  const usages = cells.flatMap((cell) => cell.usages);
  const servers = usages.flatMap((usage) => [...processesOf(usage, "balancer"), ...processesOf(usage, "backend")]);
  const found = [...new Set(servers.flatMap(({ name, found: isFound }) => (isFound ? [name] : [])))];
  if (found.length > 0) {
    const [process, it] = found.length === 1 ? ["process", "it"] : ["processes", "them"];
    return [
      paragraph([
        `lbbench found the ${process} `,
        ...found.flatMap((name, at) => [...(at === 0 ? [] : [", "]), code(name)]),
        ` at the port of the target and watched ${it}. lbbench did not start ${it}.`,
      ]),
    ];
  }
  return usages.length > 0 && servers.length === 0
    ? [paragraph("No process of this server was seen, so the bottleneck may be there.")]
    : [];
}

function loopAndMemoryTable(cells: readonly Cell[]): readonly Block[] {
  const loops = roleColumns(cells, medianLoop, (label, figure) =>
    numberColumn(`Loop ${label} (%)`, figure, formatPercent),
  );
  const memory = roleColumns(cells, medianMemory, (label, figure) => byteColumn(`Memory ${label}`, "", cells, figure));
  if (memory.length === 0) return [];
  const about =
    loops.length === 0
      ? { caption: "Memory", lead: "Largest memory:" }
      : {
          caption: "Event loops and memory",
          lead: "Event loops (share of the time in which the busiest of them did not wait) and largest memory:",
        };
  return [createTable(about, [...levelColumns(cells), ...loops, ...memory], cells)];
}

/** A column for each role of which a figure is known at some level. */
function roleColumns(
  cells: readonly Cell[],
  figure: (cell: Cell, role: Role) => number | null,
  column: (label: string, figure: (cell: Cell) => number | null) => Column<Cell>,
): readonly Column<Cell>[] {
  return ROLES.filter(({ role }) => cells.some((cell) => figure(cell, role) !== null)).map(({ role, label }) =>
    column(label, (cell) => figure(cell, role)),
  );
}

function byteColumn(
  head: string,
  per: string,
  cells: readonly Cell[],
  bytesOf: (cell: Cell) => number | null,
): Column<Cell> {
  const unit = pickByteUnit(cells.flatMap((cell) => bytesOf(cell) ?? []));
  return numberColumn(`${head} (${unit.name}${per})`, bytesOf, (bytes) => formatTime(bytes / unit.bytes));
}
