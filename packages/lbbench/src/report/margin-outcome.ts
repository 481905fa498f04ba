import { isAnswered, isWorse } from "../judge/compare-levels.js";
import type { TargetJudgement } from "../judge/compare-levels.js";
import type { Result } from "../model/result.js";
import { describeTold, describeUntold } from "./compare-summary.js";
import { describeMargin } from "./compare-words.js";
import { compareOf } from "./reference-comparison.js";

/**
 * Says in a sentence which targets are worse than the reference beyond the margin; empty without one; plain text. Where the verdict
 * is inconclusive although a target is worse, it says that figures are not to be relied on.
 */
export function describeMarginOutcome(result: Result): string {
  const { margin, reference } = result.scenario;
  if (margin === null || reference === null) {
    return "";
  }
  const { status, targets } = compareOf(result);
  const beyond = `worse than ${reference} beyond the margin of ${describeMargin({ margin })}`;
  switch (status) {
    case "fail": {
      const worse = targets.filter(isWorse);
      const isDoubtful = result.verdict.status === "inconclusive";
      return `${nameAll(worse)} ${worse.length === 1 ? "is" : "are"} ${beyond}${isDoubtful ? ", but an error in this run leaves its figures in doubt" : ""}.`;
    }
    case "pass":
      return targets.length === 1
        ? `${nameAll(targets)} is not ${beyond}${describeTold(targets)}.`
        : `No target is ${beyond}${describeTold(targets)}.`;
    case "inconclusive": {
      const unknown = targets.filter((target) => !isAnswered(target));
      return `Whether ${nameAll(unknown)} ${unknown.length === 1 ? "is" : "are"} ${beyond} cannot be told${describeUntold(unknown)}.`;
    }
  }
}

/** `a, b and c`. */
function nameAll(targets: readonly TargetJudgement[]): string {
  const names = targets.map(({ other }) => other);
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
