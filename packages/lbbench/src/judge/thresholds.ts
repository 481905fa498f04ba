import type { Finding, FindingArgs } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { doubtAbout, onlyWorsens } from "./doubtful-metrics.js";
import { groupFindings } from "./group-findings.js";
import { metricValue } from "./metric-value.js";

/**
 * Evaluates thresholds, which must hold in every step. A step whose metric is doubtful decides nothing, unless the
 * doubt can only have made it worse and the threshold is met. One finding for
 * each target and threshold: `THRESHOLD_FAILED` {threshold, metric, actual, ...} with the worst value, and
 * `THRESHOLD_INCONCLUSIVE` {threshold, metric, because, actual?, ...} for each code that stood in the way; both with
 * {target, connections, trial, levels, steps} as in `groupFindings`.
 */
export function judgeThresholds(thresholds: readonly Threshold[], steps: readonly StepResult[]): readonly Finding[] {
  return thresholds.flatMap((threshold) => {
    const located = steps.flatMap((step) => judgeThreshold(threshold, step).map((finding) => ({ finding, step })));
    const worstFirst = located.toSorted(
      (a, b) => distance(threshold, b.finding.args) - distance(threshold, a.finding.args),
    );
    return groupFindings(worstFirst, ({ code, args }) => `${code} ${args["because"] ?? ""}`);
  });
}

function judgeThreshold(threshold: Threshold, step: StepResult): readonly Finding[] {
  const { source, metric } = threshold;
  const actual = step.measurement === undefined ? null : metricValue(step.measurement, metric);
  // Without a value there is mostly a reason among the findings; a step cut short before any answer has the last one.
  const missing = (step.measurement?.requests.ok ?? 0) > 0 ? "FIGURE_NOT_TOLD" : "ALL_FAILED";
  const isMet = actual !== null && holds(threshold, actual) && asksForMore(threshold) && onlyWorsens(metric, step);
  const because = isMet ? undefined : (doubtAbout(metric, step) ?? (actual === null ? missing : undefined));
  const args = { threshold: source, metric, ...(actual === null ? {} : { actual }) };
  if (because !== undefined) {
    return [{ code: "THRESHOLD_INCONCLUSIVE", severity: "warning", args: { ...args, because } }];
  }
  return actual === null || holds(threshold, actual) ? [] : [{ code: "THRESHOLD_FAILED", severity: "error", args }];
}

/** Returns whether a value meets a threshold. */
export function holds({ operator, value }: Threshold, actual: number): boolean {
  switch (operator) {
    case "<":
      return actual < value;
    case "<=":
      return actual <= value;
    case ">":
      return actual > value;
    case ">=":
      return actual >= value;
  }
}

/** Whether a threshold asks for a good figure, as most do: much throughput, little latency, few errors. */
function asksForMore({ metric, operator }: Threshold): boolean {
  return operator.startsWith(">") === (metric === "throughput");
}

/** How far on the wrong side of the threshold a value lies. */
function distance({ operator, value }: Threshold, { actual }: FindingArgs): number {
  if (typeof actual !== "number") {
    return 0;
  }
  return operator === "<" || operator === "<=" ? actual - value : value - actual;
}
