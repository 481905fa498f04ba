import { createLatencyHistogram, encodeHistogram, percentileMs } from "../stats/histogram.js";
import type { LatencyRecord } from "./record.js";

/** Takes latencies one by one. */
export interface LatencyRecorder {
  readonly add: (latencyUs: number) => void;
  readonly count: () => number;
  /** Percentile of what was added so far, in ms; never more than the longest. */
  readonly percentileMs: (percentile: number) => number;
  /** The longest of what was added so far, in ms. */
  readonly maxMs: () => number;
  readonly encode: () => string;
  readonly reset: () => void;
  readonly finish: () => LatencyRecord;
}

/** A histogram with exact sums beside it; its memory depends on the longest latency, not on how many there are. */
export function createLatencyRecorder(): LatencyRecorder {
  const histogram = createLatencyHistogram();
  let count = 0;
  let minUs = Infinity;
  let maxUs = 0;
  let sumUs = 0;
  let sumSquaresUs = 0;
  return {
    add: (latencyUs) => {
      count += 1;
      if (latencyUs < minUs) minUs = latencyUs;
      if (latencyUs > maxUs) maxUs = latencyUs;
      sumUs += latencyUs;
      sumSquaresUs += latencyUs * latencyUs;
      histogram.recordValue(Math.max(1, Math.round(latencyUs)));
    },
    count: () => count,
    percentileMs: (percentile) => Math.min(percentileMs(histogram, percentile), maxUs / 1000),
    maxMs: () => maxUs / 1000,
    encode: () => encodeHistogram(histogram),
    reset: () => {
      histogram.reset();
      count = 0;
      minUs = Infinity;
      maxUs = 0;
      sumUs = 0;
      sumSquaresUs = 0;
    },
    finish: () => ({ count, minUs, maxUs, sumUs, sumSquaresUs, histogram: encodeHistogram(histogram) }),
  };
}
