import type { Finding } from "../model/finding.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { decodeHistogram, percentileMs } from "../stats/histogram.js";
import { PERCENTILES } from "../stats/latency-keys.js";
import { loadOf, loadValue } from "../stats/load.js";
import { failedRequests } from "../stats/request-counts.js";
import { found, type StepRule } from "./found.js";

/** Part by which a figure has to look better for the difference to be more than the width of the figures themselves. */
const FLATTERED = 0.1;

/** `FAST_FAILURES`: what a tool shows that takes all answers for alike. `mixedP50` is the most that the median of all answers can be. */
export const findFastFailures: StepRule = ({ measurement }) => {
  if (measurement?.latency === undefined || measurement.failedLatency === undefined) return [];
  const { requests, latency, failedLatency } = measurement;
  const { p50, mean } = latency;
  // Only failed requests that were answered look like answers to a tool that does not tell them apart.
  const count = requests.non2xx + (requests.mismatched ?? 0);
  const answers = requests.ok + count;
  if (count === 0 || p50 === undefined || failedLatency.p50 === undefined) return [];
  const mixedP50 = mixedMedian(measurement, count);
  const isMeanKnown = mean !== undefined && failedLatency.mean !== undefined && failedRequests(requests) === count;
  const means = isMeanKnown
    ? { mean, mixedMean: (requests.ok * mean + count * (failedLatency.mean ?? 0)) / answers }
    : undefined;
  const isFlattering = (figure: number, mixed: number): boolean => mixed <= figure * (1 - FLATTERED);
  if (!isFlattering(p50, mixedP50) && !(means && isFlattering(means.mean, means.mixedMean))) return [];
  const args = { count, answers, share: count / answers, p50, failedP50: failedLatency.p50, ...means };
  return found("FAST_FAILURES", "info", Number.isFinite(mixedP50) ? { ...args, mixedP50 } : args);
};

/** The shares of a distribution that a summary names. */
const SHARES: readonly (readonly [keyof LatencySummary, number])[] = [...PERCENTILES, ["max", 1]];

/**
 * The shortest time that half of all answers surely do not exceed: so many of those that failed, by one of their percentiles, and as many
 * good ones as are missing then. Requests that failed without an answer may be any of these percentiles.
 */
function mixedMedian({ requests, latency = {}, failedLatency = {}, histogram }: Measurement, count: number): number {
  const timed = failedRequests(requests) - (requests.connectErrors ?? 0);
  const ok = histogram === undefined ? undefined : decodeHistogram(histogram);
  const okWithin = (share: number): number => {
    const key = SHARES.find(([, upTo]) => upTo >= share)?.[0] ?? "max";
    return share === 0 ? 0 : ((ok === undefined ? latency[key] : percentileMs(ok, share * 100)) ?? Infinity);
  };
  const times = SHARES.map(([key, share]) => {
    const failed = Math.max(0, count - (1 - share) * timed);
    const missing = Math.max(0, ((requests.ok + count) / 2 - failed) / requests.ok);
    return Math.max(failedLatency[key] ?? Infinity, okWithin(missing));
  });
  return Math.min(...times);
}

/**
 * Adds {lighter, lighterP50} to a `FAST_FAILURES` of a verdict where such a tool would show a better median than that of the next
 * lighter load, at which nothing failed: the target seems to get better as it breaks.
 */
export function nameLighterLoad(finding: Finding, steps: readonly StepResult[]): Finding {
  const { args } = finding;
  const ofTarget = steps.filter(({ target }) => target === args["target"]);
  const { worstRequests } = args;
  const own = ofTarget.find(
    ({ level }) =>
      loadValue(level) === args[loadOf(level).kind] && [undefined, level.requests].includes(worstRequests as number),
  )?.level;
  if (finding.code !== "FAST_FAILURES" || own === undefined) return finding;
  const { requests, durationMs } = own;
  const below = ofTarget.filter(
    ({ level }) => level.requests === requests && level.durationMs === durationMs && loadValue(level) < loadValue(own),
  );
  const lighter = Math.max(...below.map(({ level }) => loadValue(level)));
  const medians = below
    .filter(({ level }) => loadValue(level) === lighter)
    .map(({ state, measurement: seen }) =>
      state === "completed" && seen && failedRequests(seen.requests) === 0 ? (seen.latency?.p50 ?? NaN) : NaN,
    );
  const lighterP50 = medians.length === 0 ? NaN : median(medians);
  return Number(args["mixedP50"]) < lighterP50 ? { ...finding, args: { ...args, lighter, lighterP50 } } : finding;
}
