import type { Finding, FindingArgs } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { doubtsAbout, standsDespite } from "./doubts.js";
import { rowOf } from "./findings.js";
import { groupFindings, locate } from "./group-findings.js";
import { holds, metricValue } from "./metrics.js";
import { found } from "./found.js";

/**
 * Evaluates thresholds, which must hold in every step. A step whose metric is doubtful decides nothing, unless the unknown part can only
 * make the answer clearer. Failed requests that the thresholds about `errors` allow leave the latency of the others as it is. One finding for
 * each target and threshold: `THRESHOLD_FAILED` with the worst value, and `THRESHOLD_INCONCLUSIVE` for each code that stood in the way.
 *
 * @param asked all that are asked for, where these are a part of them.
 */
export function judgeThresholds(
  thresholds: readonly Threshold[],
  steps: readonly StepResult[],
  asked = thresholds,
): readonly Finding[] {
  return thresholds.flatMap((threshold) => {
    const located = steps.flatMap((step) => locate(step, judgeThreshold(threshold, step, asked)));
    const worstFirst = located.toSorted(
      (a, b) => distance(threshold, b.finding.args) - distance(threshold, a.finding.args),
    );
    return groupFindings(worstFirst, ({ code, args }) => `${code} ${args["because"] ?? ""}`);
  });
}

function judgeThreshold(threshold: Threshold, step: StepResult, all: readonly Threshold[]): readonly Finding[] {
  const { source, metric } = threshold;
  const actual = metricValue(step, metric);
  const isMet = actual !== null && holds(threshold, actual);
  const [share, ofErrors] = [metricValue(step, "errors"), all.filter((one) => one.metric === "errors")];
  const areFailuresAllowed = ofErrors.length > 0 && share !== null && ofErrors.every((one) => holds(one, share));
  const doubt = doubtsAbout(metric, step).find(
    (one) =>
      !(areFailuresAllowed && rowOf(one).of === "failures") &&
      (actual === null || !standsDespite(one, threshold, isMet)),
  );
  // Without a value there is mostly a reason among the findings; a step cut short before any answer has the last one.
  const missing = (step.measurement?.requests.ok ?? 0) > 0 ? "FIGURE_NOT_TOLD" : "ALL_FAILED";
  const because = doubt?.code ?? (actual === null ? missing : undefined);
  const args = { threshold: source, metric, actual: actual === null || actual === Infinity ? undefined : actual };
  if (because !== undefined) return found("THRESHOLD_INCONCLUSIVE", "warning", { ...args, because });
  return isMet ? [] : found("THRESHOLD_FAILED", "error", args);
}

/** How far on the wrong side of the threshold a value lies. */
function distance({ operator, value }: Threshold, { metric, actual, because }: FindingArgs): number {
  // No recovery is worse than any.
  if (metric === "recovery" && actual === undefined && because === undefined) return Number.MAX_VALUE;
  if (typeof actual !== "number") return 0;
  return operator.startsWith("<") ? actual - value : value - actual;
}
