import type { CompleteLatency } from "../model/measurement.js";
import { createLatencyHistogram, percentileMs, type LatencyHistogram } from "./histogram.js";
import { PERCENTILES } from "./latency-keys.js";

/** Exact figures kept beside a histogram, whose cells are up to 0.1 % wide; all in microseconds. */
export interface ExactFigures {
  /** How many values there were; as many as the histogram holds. */
  readonly count: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly sumUs: number;
  readonly sumSquaresUs: number;
}

/**
 * Summarizes latencies in milliseconds: min, max, mean and sample standard deviation (0 for a single value) from the
 * exact figures, percentiles from the histogram and within [min, max].
 * Throws a `RangeError` for an empty histogram: a measurement without answers has no latency.
 */
export function summarizeLatency(histogram: LatencyHistogram, exact: ExactFigures): CompleteLatency {
  if (histogram.totalCount === 0) {
    throw new RangeError("expected a histogram with at least one value, got an empty one; leave `latency` out instead");
  }
  const min = exact.minUs / 1000;
  const max = exact.maxUs / 1000;
  const percentiles = Object.fromEntries(
    PERCENTILES.map(([key, share]) => [key, clamp(percentileMs(histogram, share * 100), min, max)]),
  ) as Pick<CompleteLatency, (typeof PERCENTILES)[number][0]>;
  return {
    min,
    mean: clamp(exact.sumUs / exact.count / 1000, min, max),
    stddev: standardDeviationUs(exact) / 1000,
    ...percentiles,
    max,
  };
}

/** Summarizes latencies, given the count of each, in microseconds; `latency` is absent without any. */
export function summarizeCounts(counts: Iterable<readonly [us: number, count: number]>) {
  const histogram = createLatencyHistogram();
  let [count, minUs, maxUs, sumUs, sumSquaresUs] = [0, Infinity, 0, 0, 0];
  for (const [us, times] of counts) {
    histogram.recordValueWithCount(Math.max(1, us), times);
    count += times;
    minUs = Math.min(minUs, us);
    maxUs = Math.max(maxUs, us);
    sumUs += us * times;
    sumSquaresUs += us * us * times;
  }
  if (count === 0) return { histogram };
  return { histogram, latency: summarizeLatency(histogram, { count, minUs, maxUs, sumUs, sumSquaresUs }) };
}

function standardDeviationUs({ count, sumUs, sumSquaresUs }: ExactFigures): number {
  if (count < 2) {
    return 0;
  }
  // Rounding can make the difference of two large sums slightly negative.
  return Math.sqrt(Math.max(0, sumSquaresUs - (sumUs * sumUs) / count) / (count - 1));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
