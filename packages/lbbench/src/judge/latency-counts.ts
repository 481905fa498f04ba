import { PERCENTILES } from "../stats/latency-keys.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import { decodeHistogram, percentileMs } from "../stats/histogram.js";
import { failedRequests } from "../stats/request-counts.js";

/** How many answers surely took no longer than some times: what a histogram or a summary guarantees, and no more. */
export type CountWithin = readonly { readonly ms: number; readonly count: number }[];

/** Shares of a distribution that a summary names, and by which figure. */
const SHARES: readonly (readonly [keyof LatencySummary, number])[] = [...PERCENTILES, ["max", 1]];

/** Returns what is known of the ok answers: every hundredth of the histogram, or the summary where there is none. */
export function okWithin({ requests, latency, histogram }: Measurement): CountWithin {
  if (histogram === undefined) return latency === undefined ? [] : ofSummary(latency, requests.ok);
  const decoded = decodeHistogram(histogram);
  if (decoded.totalCount === 0) return [];
  return Array.from({ length: 100 }, (_, index) => ({
    ms: percentileMs(decoded, index + 1),
    count: ((index + 1) / 100) * requests.ok,
  }));
}

/**
 * Returns what is known of the `count` answers that failed. Their summary is of all requests that were sent and failed, so those
 * without an answer may be any of them.
 */
export function failedAnswersWithin({ requests, failedLatency }: Measurement, count: number): CountWithin {
  if (failedLatency === undefined) return [];
  const timed = failedRequests(requests) - (requests.connectErrors ?? 0);
  return ofSummary(failedLatency, timed).map((known) => ({
    ms: known.ms,
    count: Math.max(0, known.count - (timed - count)),
  }));
}

/** How many surely took no longer than `ms`. */
export function atMost(known: CountWithin, ms: number): number {
  return known.reduce((most, point) => (point.ms <= ms ? Math.max(most, point.count) : most), 0);
}

function ofSummary(latency: LatencySummary, count: number): CountWithin {
  return SHARES.flatMap(([key, share]) => {
    const ms = latency[key];
    return ms === undefined ? [] : [{ ms, count: share * count }];
  });
}
