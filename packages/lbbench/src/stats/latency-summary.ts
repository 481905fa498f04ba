import type { CompleteLatency } from "../model/measurement.js";
import { percentileMs } from "./histogram.js";
import type { LatencyHistogram } from "./histogram.js";

/** Exact figures kept beside a histogram, whose cells are up to 0.1 % wide; all in microseconds. */
export interface ExactFigures {
  /** How many values there were; as many as the histogram holds. */
  readonly count: number;
  readonly minUs: number;
  readonly maxUs: number;
  readonly sumUs: number;
  readonly sumSquaresUs: number;
}

/** A point of a latency distribution. */
export interface PercentilePoint {
  /** 0 to 100. */
  readonly percentile: number;
  readonly ms: number;
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
  const at = (percentile: number): number => clamp(percentileMs(histogram, percentile), min, max);
  return {
    min,
    mean: clamp(exact.sumUs / exact.count / 1000, min, max),
    stddev: standardDeviationUs(exact) / 1000,
    p50: at(50),
    p66: at(66),
    p75: at(75),
    p80: at(80),
    p90: at(90),
    p95: at(95),
    p98: at(98),
    p99: at(99),
    p999: at(99.9),
    max,
  };
}

/** Points per tenfold fewer requests; four decades make about 40 points. */
const POINTS_PER_DECADE = 10;
const MAXIMUM_DECADES = 5;

/**
 * Returns the latency distribution for a chart whose x axis is log(1 - p): percentiles that lie evenly on it, from 0 to
 * the last that the number of values can support (1 in n), then 100. At most 52 points; empty for an empty histogram.
 */
export function percentileCurve(histogram: LatencyHistogram): readonly PercentilePoint[] {
  if (histogram.totalCount === 0) {
    return [];
  }
  const decades = Math.min(Math.log10(histogram.totalCount), MAXIMUM_DECADES);
  const steps = Math.floor(decades * POINTS_PER_DECADE);
  const percentiles = Array.from({ length: steps + 1 }, (_, step) => 100 * (1 - 10 ** (-step / POINTS_PER_DECADE)));
  return [...percentiles, 100].map((percentile) => ({ percentile, ms: percentileMs(histogram, percentile) }));
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
