import type { LatencySummary } from "../model/measurement.js";

/** The percentiles of a latency summary, each with the share of requests that took no longer, 0 to 1. */
export const PERCENTILES = [
  ["p50", 0.5],
  ["p66", 0.66],
  ["p75", 0.75],
  ["p80", 0.8],
  ["p90", 0.9],
  ["p95", 0.95],
  ["p98", 0.98],
  ["p99", 0.99],
  ["p999", 0.999],
] as const satisfies readonly (readonly [key: keyof LatencySummary, share: number])[];

const PERCENTILE_KEYS = PERCENTILES.map(([key]) => key);

/** What can be asked of latency: all figures of a summary but the standard deviation, in the order of tables. */
export const LATENCY_METRICS = ["min", "mean", ...PERCENTILE_KEYS, "max"] as const;

/** All figures of a latency summary, in the order of tables. */
export const LATENCY_KEYS = ["min", "mean", "stddev", ...PERCENTILE_KEYS, "max"] as const;

/** The percentages of ApacheBench's last table, with the figure that each is; 100 is the longest request. */
export const AB_PERCENTAGES: readonly (readonly [percentage: number, key: keyof LatencySummary])[] = [
  ...PERCENTILES.filter(([, share]) => share <= 0.99).map(([key, share]) => [Math.round(share * 100), key] as const),
  [100, "max"],
];
