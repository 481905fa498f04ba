import { createLatencyHistogram, type LatencyHistogram } from "../stats/histogram.js";
import type { ExactFigures } from "../stats/latency-summary.js";

/** Latencies that never were. */
export interface FakeLatencies {
  readonly histogram: LatencyHistogram;
  readonly exact: ExactFigures;
}

/** So many of a mean. */
export interface LatencyGroup {
  readonly count: number;
  readonly meanUs: number;
}

/** Skewed to the right as latencies are, with a mean of 1. */
const SPREAD = [0.55, 0.65, 0.75, 0.8, 0.85, 0.9, 0.95, 1.05, 1.3, 2.2];

/** Spreads the latencies of each group around its mean by fixed factors. */
export function fakeLatencies(groups: readonly LatencyGroup[]): FakeLatencies {
  const histogram = createLatencyHistogram();
  const cells = groups.flatMap(({ count, meanUs }) =>
    SPREAD.map((factor, index) => ({ us: Math.max(1, Math.round(factor * meanUs)), count: part(count, index) })),
  );
  const filled = cells.filter((cell) => cell.count > 0);
  for (const cell of filled) histogram.recordValueWithCount(cell.us, cell.count);
  return {
    histogram,
    exact: {
      count: total(filled.map(({ count }) => count)),
      minUs: Math.min(...filled.map(({ us }) => us)),
      maxUs: Math.max(...filled.map(({ us }) => us)),
      sumUs: total(filled.map((cell) => cell.us * cell.count)),
      sumSquaresUs: total(filled.map((cell) => cell.us ** 2 * cell.count)),
    },
  };
}

function part(count: number, index: number): number {
  return Math.floor((count * (index + 1)) / SPREAD.length) - Math.floor((count * index) / SPREAD.length);
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
