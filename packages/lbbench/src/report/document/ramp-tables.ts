import { FAILURES } from "../../model/outcomes.js";
import { perSecond, type RampSecond } from "../../stats/ramp-seconds.js";
import { finishedRequests } from "../../stats/request-counts.js";
import { type Cell, countFailed, medianLatency, medianOf, type TargetRamp } from "../cells.js";
import { describeState } from "../describe-run.js";
import { formatCount, formatPercent, formatRate, formatTime } from "../format-number.js";
import { capitalize } from "../plain-line.js";
import { type Block, type Column, createTable, NO_FIGURE, numberColumn, paragraph } from "./block.js";

/** Returns what each ramp comes to as a whole, a row per target. */
export function rampTable(ramps: readonly TargetRamp[]): readonly Block[] {
  const state: Column<TargetRamp> = {
    head: "State",
    align: "left",
    cell: ({ cell }) => describeState(cell) || NO_FIGURE,
  };
  const columns: readonly Column<TargetRamp>[] = [
    { head: "Target", align: "left", cell: ({ cell }) => cell.target },
    ...RAMP_FIGURES.map(({ head, value, format }) => numberColumn<TargetRamp>(head, ({ cell }) => value(cell), format)),
    ...(ramps.some(({ cell }) => describeState(cell) !== "") ? [state] : []),
  ];
  const several = ramps.some(({ cell }) => cell.measurements.length > 1);
  const lead =
    "Samples are all requests that came to an end, latency is of ok responses alone. All are of the whole ramp, its quiet beginning and its busy end together.";
  return [
    createTable({ caption: "The whole ramp", lead }, columns, ramps),
    ...(several ? [paragraph("Medians over the trials; samples and error rate are of all trials.")] : []),
  ];
}

const MOST_ROWS = 20;

/** Seconds that a row may stand for; more than the last are doubled until they fit. */
const SIZES = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300];

type Row = readonly RampSecond[];

/** Returns what happened while users came, some seconds a row so that they are at most 20; nothing without a measurement. */
export function rampTimeline({ cell, seconds }: TargetRamp): readonly Block[] {
  if (seconds.length === 0) return [];
  const size = sizeFor(seconds.length);
  const rows = Array.from({ length: Math.ceil(seconds.length / size) }, (_, row) =>
    seconds.slice(row * size, (row + 1) * size),
  );
  const classes = FAILURES.filter(({ key }) => seconds.some(({ failures }) => (failures[key] ?? 0) > 0));
  const columns: readonly Column<Row>[] = [
    {
      head: size === 1 ? "Second" : "Seconds",
      align: "right",
      cell: (row) => ({ text: describeSeconds(row), value: row[0]?.second ?? 0 }),
    },
    numberColumn("Users", (row) => row.at(-1)?.users ?? null, formatCount),
    rateColumn("Sent/s", ({ sent }) => sent),
    rateColumn("Ok/s", ({ ok }) => ok),
    rateColumn("Failed/s", ({ failed }) => failed),
    ...(classes.length > 1
      ? classes.map(({ key, label }) => rateColumn(label, ({ failures }) => failures[key] ?? 0))
      : []),
    { head: "p50 (ms)", align: "right", cell: (row) => describeRange(row.flatMap(({ p50 }) => p50 ?? [])) },
    highestColumn("p90 (ms)", ({ p90 }) => p90),
    highestColumn("p99 (ms)", ({ p99 }) => p99),
    highestColumn("Max (ms)", ({ max }) => max),
  ];
  const trials = cell.measurements.length;
  const lead = [
    size === 1
      ? "Second by second; users are those who had come by its end."
      : `Every ${formatCount(size)} seconds; users are those who had come by their end. Rates are means over these seconds; percentiles are never averaged: p50 is from the lowest to the highest second, p90, p99 and max are of the highest.`,
    ...(trials > 1 ? [`Of each second it is the median of ${formatCount(trials)} trials.`] : []),
  ].join(" ");
  return [createTable({ caption: "As users came", lead }, columns, rows)];
}

function sizeFor(seconds: number): number {
  const size = SIZES.find((one) => Math.ceil(seconds / one) <= MOST_ROWS);
  if (size !== undefined) return size;
  const largest = SIZES.at(-1) ?? 1;
  return largest * 2 ** Math.ceil(Math.log2(seconds / MOST_ROWS / largest));
}

function describeSeconds(row: Row): string {
  const [first, last] = [row[0]?.second ?? 0, row.at(-1)?.second ?? 0];
  return first === last ? formatCount(first) : `${formatCount(first)} to ${formatCount(last)}`;
}

function rateColumn(head: string, count: (second: RampSecond) => number): Column<Row> {
  return numberColumn(
    capitalize(head),
    (row) => {
      const lengthMs = row.reduce((sum, second) => sum + second.lengthMs, 0);
      return perSecond(
        { lengthMs },
        row.reduce((sum, second) => sum + count(second), 0),
      );
    },
    formatRate,
  );
}

function highestColumn(head: string, figure: (second: RampSecond) => number | null): Column<Row> {
  return numberColumn(
    head,
    (row) => {
      const values = row.flatMap((second) => figure(second) ?? []);
      return values.length === 0 ? null : Math.max(...values);
    },
    formatTime,
  );
}

function describeRange(values: readonly number[]): string {
  if (values.length === 0) return NO_FIGURE;
  const [low, high] = [Math.min(...values), Math.max(...values)].map(formatTime);
  return low === high ? `${low}` : `${low} to ${high}`;
}

/** A figure of a whole ramp, as tables show it. */
interface RampFigure {
  /** Over a column of a report. */
  readonly head: string;
  /** Over one in a terminal. */
  readonly short: string;
  readonly value: (cell: Cell) => number | null;
  readonly format: (value: number) => string;
}

/** What a ramp comes to; samples and errors are of all trials, the others medians over them. */
export const RAMP_FIGURES: readonly RampFigure[] = [
  { head: "Samples", short: "samples", value: countSamples, format: formatCount },
  { head: "Average (ms)", short: "mean ms", value: (cell) => medianLatency(cell, "mean"), format: formatTime },
  { head: "Median (ms)", short: "p50 ms", value: (cell) => medianLatency(cell, "p50"), format: formatTime },
  { head: "90 % line (ms)", short: "p90 ms", value: (cell) => medianLatency(cell, "p90"), format: formatTime },
  { head: "p99 (ms)", short: "p99 ms", value: (cell) => medianLatency(cell, "p99"), format: formatTime },
  { head: "Max (ms)", short: "max ms", value: (cell) => medianLatency(cell, "max"), format: formatTime },
  {
    head: "Throughput (ok/s)",
    short: "ok/s",
    value: (cell) => medianOf(cell, ({ throughput }) => throughput),
    format: formatRate,
  },
  { head: "Error rate (%)", short: "failed %", value: errorRate, format: formatPercent },
];

/** Requests that came to an end, one way or another. */
function countSamples({ measurements }: Cell): number | null {
  return measurements.length === 0
    ? null
    : measurements.reduce((sum, { requests }) => sum + finishedRequests(requests), 0);
}

function errorRate(cell: Cell): number | null {
  const samples = countSamples(cell) ?? 0;
  return samples === 0 ? null : countFailed(cell) / samples;
}
