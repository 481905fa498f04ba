import type { Finding } from "../model/finding.js";
import type { Measurement } from "../model/measurement.js";
import type { StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { loadOf, loadValue } from "../stats/load.js";
import { failedRequests } from "../stats/request-counts.js";
import { atMost, failedAnswersWithin, okWithin } from "./latency-counts.js";
import type { CountWithin } from "./latency-counts.js";
import type { UnjudgedStep } from "./step-rule.js";

/** Part by which a figure has to look better for the difference to be more than the width of the figures themselves. */
const FLATTERED = 0.1;

/**
 * `FAST_FAILURES` {count, answers, share, p50, failedP50, mixedP50} when answers that failed are so quick, and so many, that a tool
 * which takes all answers for alike shows a better median, or a better mean {mean, mixedMean}, by at least 10 %. `count` of the
 * `answers` failed; `failedP50` is of all requests that failed; `mixedP50` is the most that the median of all answers can be.
 */
export function findFastFailures({ measurement }: UnjudgedStep): readonly Finding[] {
  if (measurement?.latency === undefined || measurement.failedLatency === undefined) return [];
  const { requests, latency, failedLatency } = measurement;
  const [p50, failedP50] = [latency.p50, failedLatency.p50];
  if (p50 === undefined || failedP50 === undefined) return [];
  const count = failedAnswers(measurement);
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
  return flatters ? [{ code: "FAST_FAILURES", severity: "info", args }] : [];
}

/**
 * Adds {lighter, lighterP50} to a `FAST_FAILURES` of a verdict where such a tool would show a better median than that of the next
 * lighter load, at which nothing failed: the target seems to get better as it breaks.
 */
export function nameLighterLoad(finding: Finding, steps: readonly StepResult[]): Finding {
  const { mixedP50 } = finding.args;
  if (finding.code !== "FAST_FAILURES" || typeof mixedP50 !== "number") return finding;
  const below = nextLighter(finding, steps);
  const medians = below.flatMap(({ measurement }) => measurement?.latency?.p50 ?? []);
  const [first] = below;
  if (first === undefined || medians.length < below.length || !below.every(isFaultless)) return finding;
  const lighterP50 = median(medians);
  return mixedP50 < lighterP50
    ? { ...finding, args: { ...finding.args, lighter: loadValue(first.level), lighterP50 } }
    : finding;
}

/** Failed requests that were answered: only those look like answers to a tool that does not tell them apart. */
function failedAnswers({ requests }: Measurement): number {
  return requests.non2xx + (requests.mismatched ?? 0);
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
  const highest = Math.max(...lighter.map(({ level }) => loadValue(level)));
  return lighter.filter(({ level }) => loadValue(level) === highest);
}

function isFaultless({ state, measurement }: StepResult): boolean {
  return state === "completed" && measurement !== undefined && failedRequests(measurement.requests) === 0;
}
