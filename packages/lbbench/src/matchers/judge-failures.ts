import { parseThreshold } from "../config/parse-threshold.js";
import { judgeThresholds } from "../judge/thresholds.js";
import type { StepResult } from "../model/result.js";
import { TOLD_FAILURES } from "../report/failure-classes.js";
import { formatCount } from "../report/format-number.js";
import { failedRequests } from "../stats/request-counts.js";
import { describePlace, trialsByPlace, trialsOf } from "./describe-steps.js";
import { describeUnmeasured, findUnmeasured, UNMEASURED_REMEDY } from "./describe-unmeasured.js";
import { answerOf, doubtsIn, judgeWith, measuredOnPurpose } from "./judge-thresholds-met.js";
import { describeDoubt, describeIncomplete, remediesOf, RESUME_REMEDY } from "./describe-doubts.js";
import type { Judgement } from "./judgement.js";
import { toResult } from "./measured.js";
import { selectPart } from "./part.js";
import type { Part } from "./part.js";

const NO_FAILURE = parseThreshold("errors<=0");

/**
 * Judges whether every request of a result, or of a part of it, that came to an end was answered as expected. `no` as soon as one
 * is known to have failed; `unknown` where that is not told or the counts are not to be relied on, where the run was cut short, and
 * where a target was not measured at a level of the part.
 */
export function judgeFailures(given: unknown, part: Part = {}): Judgement {
  const run = measuredOnPurpose(toResult(given), "have no failures");
  const result = selectPart(run, part);
  const { steps } = result;
  const verdict = judgeWith(result, [NO_FAILURE]);
  const hasFailed = steps.some((step) =>
    judgeThresholds([NO_FAILURE], [step]).some(({ code }) => code === "THRESHOLD_FAILED"),
  );
  // That all requests failed leaves other figures without meaning, and this one as clear as can be.
  const answer = hasFailed ? "no" : answerOf(verdict.status, result, findUnmeasured(result));
  const byLevel = trialsByPlace(result);
  const failing = byLevel.filter((trials) => trials.some((step) => failedOf(step) > 0));
  const doubts = answer === "unknown" ? doubtsIn(verdict) : [];
  const incomplete = answer === "unknown" ? describeIncomplete(run) : [];
  const unmeasured = answer === "unknown" ? describeUnmeasured(result) : [];
  const causes = verdict.findings.filter(({ code, args }) => args["share"] !== undefined || code === "ALL_FAILED");
  const failed = steps.reduce((sum, step) => sum + failedOf(step), 0);
  const sent = steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  return {
    answer,
    asked: "have no failures",
    evidence: (answer === "no" ? failing : byLevel).map(describeLevel),
    doubts: [...doubts.map(describeDoubt), ...incomplete, ...unmeasured],
    remedies: [
      ...remediesOf(answer === "no" ? causes : doubts, result),
      ...(incomplete.length === 0 ? [] : [RESUME_REMEDY]),
      ...(unmeasured.length === 0 || incomplete.length > 0 ? [] : [UNMEASURED_REMEDY]),
    ],
    expected: "0 failed requests",
    actual: `${formatCount(failed)} failed requests of ${formatCount(sent)}`,
  };
}

function failedOf({ measurement }: StepResult): number {
  return measurement === undefined ? 0 : failedRequests(measurement.requests);
}

function describeLevel(trials: readonly StepResult[]): string {
  const sent = trials.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
  const failed = trials.filter((step) => failedOf(step) > 0);
  const count = trials.reduce((sum, step) => sum + failedOf(step), 0);
  const ways = TOLD_FAILURES.flatMap(({ key, label }) => {
    const those = trials.reduce((sum, { measurement }) => sum + (measurement?.requests[key] ?? 0), 0);
    return those === 0 ? [] : [`${formatCount(those)} ${label}`];
  });
  const how = ways.length === 0 ? "" : ` (${ways.join(", ")})`;
  const where = count === 0 ? `, ${trialsOf(trials)}` : `, in ${failed.length} of ${trialsOf(trials)}`;
  return `${describePlace(trials)}: ${formatCount(count)} of ${formatCount(sent)} requests failed${how}${where}`;
}
