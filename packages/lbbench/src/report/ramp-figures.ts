import { finishedRequests } from "../stats/request-counts.js";
import { medianLatency, medianOf } from "./cell-figures.js";
import { countFailed } from "./cells.js";
import type { Cell } from "./cells.js";
import { formatCount, formatPercent, formatRate, formatTime } from "./format-number.js";

/** A figure of a whole ramp, as tables show it. */
export interface RampFigure {
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
