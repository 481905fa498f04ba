import { createHistogram } from "node:perf_hooks";

/** What is known of many durations; all 0 when there were none. */
export interface DurationSummary {
  readonly count: number;
  readonly meanMs: number;
  readonly maxMs: number;
  /** Quantiles, exact to three digits. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sums up durations without keeping them. */
export interface Durations {
  readonly add: (durationMs: number) => void;
  readonly summary: () => DurationSummary;
}

/** Starts with no duration. */
export function collectDurations(): Durations {
  const histogram = createHistogram();
  let count = 0;
  let sumMs = 0;
  let maxMs = 0;
  const quantileMs = (percent: number): number => Math.min(histogram.percentile(percent) / 1000, maxMs);
  return {
    add(durationMs) {
      count += 1;
      sumMs += durationMs;
      maxMs = Math.max(maxMs, durationMs);
      // It takes whole numbers from 1: microseconds.
      histogram.record(Math.max(1, Math.round(durationMs * 1000)));
    },
    summary: () => ({
      count,
      meanMs: count === 0 ? 0 : sumMs / count,
      maxMs,
      p50Ms: quantileMs(50),
      p99Ms: quantileMs(99),
    }),
  };
}
