import type { Finding } from "../model/finding.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { groupAscending } from "../stats/group-by.js";
import { decodeHistogram, percentileMs } from "../stats/histogram.js";
import { PERCENTILES } from "../stats/latency-keys.js";
import { loadOf, loadValue } from "../stats/load.js";
import { failedRequests } from "../stats/request-counts.js";
import { found } from "./step-rule.js";
import type { StepRule } from "./step-rule.js";

/** Part by which a figure has to look better for the difference to be more than the width of the figures themselves. */
const FLATTERED = 0.1;

/**
 * `FAST_FAILURES` {count, answers, share, p50, failedP50, mixedP50} when answers that failed are so quick, and so many, that a tool
 * which takes all answers for alike shows a better median, or a better mean {mean, mixedMean}, by at least 10 %. `count` of the
 * `answers` failed; `failedP50` is of all requests that failed; `mixedP50` is the most that the median of all answers can be.
 */
export const findFastFailures: StepRule = ({ measurement }) => {
  if (measurement?.latency === undefined || measurement.failedLatency === undefined) return [];
  const { requests, latency, failedLatency } = measurement;
  const [p50, failedP50] = [latency.p50, failedLatency.p50];
  if (p50 === undefined || failedP50 === undefined) return [];
  // Only failed requests that were answered look like answers to a tool that does not tell them apart.
  const count = requests.non2xx + (requests.mismatched ?? 0);
  const answers = requests.ok + count;
  if (count === 0) return [];
  const mixedP50 = mixedMedian(okWithin(measurement), failedAnswersWithin(measurement, count), answers);
  const means = mixedMeans(measurement, count);
  const flatters = isFlattering(p50, mixedP50) || (means !== undefined && isFlattering(means.mean, means.mixedMean));
  const args = {
    count,
    answers,
    share: count / answers,
    p50,
    failedP50,
    ...(mixedP50 === undefined ? {} : { mixedP50 }),
    ...means,
  };
  return flatters ? found("FAST_FAILURES", "info", args) : [];
};

/**
 * Adds {lighter, lighterP50} to a `FAST_FAILURES` of a verdict where such a tool would show a better median than that of the next
 * lighter load, at which nothing failed: the target seems to get better as it breaks.
 */
export function nameLighterLoad(finding: Finding, steps: readonly StepResult[]): Finding {
  const { mixedP50 } = finding.args;
  if (finding.code !== "FAST_FAILURES" || typeof mixedP50 !== "number") return finding;
  const below = nextLighter(finding, steps);
  const medians = below.flatMap(({ state, measurement }) =>
    state === "completed" && measurement !== undefined && failedRequests(measurement.requests) === 0
      ? (measurement.latency?.p50 ?? [])
      : [],
  );
  const [first] = below;
  if (first === undefined || medians.length < below.length) return finding;
  const lighterP50 = median(medians);
  return mixedP50 < lighterP50
    ? { ...finding, args: { ...finding.args, lighter: loadValue(first.level), lighterP50 } }
    : finding;
}

function isFlattering(figure: number, mixed: number | undefined): boolean {
  return mixed !== undefined && mixed <= figure * (1 - FLATTERED);
}

/** The smallest time that half of all answers surely do not exceed. */
function mixedMedian(ok: CountWithin, failed: CountWithin, answers: number): number | undefined {
  const candidates = [...ok, ...failed].map(({ ms }) => ms).toSorted((a, b) => a - b);
  return candidates.find((ms) => atMost(ok, ms) + atMost(failed, ms) >= answers / 2);
}

/** Nothing where requests failed without an answer, as their times are in the mean of the failed ones. */
function mixedMeans(
  { requests, latency, failedLatency }: Measurement,
  count: number,
): { readonly mean: number; readonly mixedMean: number } | undefined {
  const [mean, failedMean] = [latency?.mean, failedLatency?.mean];
  if (mean === undefined || failedMean === undefined || failedRequests(requests) !== count) return undefined;
  return { mean, mixedMean: (requests.ok * mean + count * failedMean) / (requests.ok + count) };
}

/** The steps of the target of a finding at the highest load below that of the finding, of the same amount. */
function nextLighter({ args }: Finding, steps: readonly StepResult[]): readonly StepResult[] {
  const found = steps.find(
    ({ target, trial, level }) =>
      target === args["target"] && trial === args["trial"] && loadValue(level) === args[loadOf(level).kind],
  );
  if (found === undefined) return [];
  const { requests, durationMs } = found.level;
  const lighter = steps.filter(
    ({ target, level }) =>
      target === found.target &&
      level.requests === requests &&
      level.durationMs === durationMs &&
      loadValue(level) < loadValue(found.level),
  );
  return groupAscending(lighter, ({ level }) => loadValue(level)).at(-1)?.items ?? [];
}

/** How many answers surely took no longer than some times: what a histogram or a summary guarantees, and no more. */
type CountWithin = readonly { readonly ms: number; readonly count: number }[];

/** Shares of a distribution that a summary names, and by which figure. */
const SHARES: readonly (readonly [keyof LatencySummary, number])[] = [...PERCENTILES, ["max", 1]];

/** Returns what is known of the ok answers: every hundredth of the histogram, or the summary where there is none. */
function okWithin({ requests, latency, histogram }: Measurement): CountWithin {
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
function failedAnswersWithin({ requests, failedLatency }: Measurement, count: number): CountWithin {
  if (failedLatency === undefined) return [];
  const timed = failedRequests(requests) - (requests.connectErrors ?? 0);
  return ofSummary(failedLatency, timed).map((known) => ({
    ms: known.ms,
    count: Math.max(0, known.count - (timed - count)),
  }));
}

/** How many surely took no longer than `ms`. */
function atMost(known: CountWithin, ms: number): number {
  return known.reduce((most, point) => (point.ms <= ms ? Math.max(most, point.count) : most), 0);
}

function ofSummary(latency: LatencySummary, count: number): CountWithin {
  return SHARES.flatMap(([key, share]) => {
    const ms = latency[key];
    return ms === undefined ? [] : [{ ms, count: share * count }];
  });
}
