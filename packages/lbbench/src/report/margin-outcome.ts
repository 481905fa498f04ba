import { isAnswered, isWorse } from "../judge/compare-targets.js";
import type { TargetJudgement } from "../judge/compare-targets.js";
import type { Result } from "../model/result.js";
import { describeTold, describeUntold } from "./compare-summary.js";
import { describeMargin } from "./compare-words.js";
import { compareOf } from "./reference-comparison.js";

/**
 * Says in a sentence which targets are worse than the reference beyond the margin; empty without one; plain text. Where the verdict
 * is inconclusive although a target is worse, it says that figures are not to be relied on.
 */
export function describeMarginOutcome(result: Result): string {
  const { margin, reference: ofScenario } = result.scenario;
  if (margin === null || ofScenario === null) {
    return "";
  }
  const { status, targets } = compareOf(result);
  const beyond = (those: readonly TargetJudgement[]): string =>
    `worse than ${nameReference(those) ?? ofScenario} beyond the margin of ${describeMargin({ margin })}`;
  switch (status) {
    case "fail": {
      const worse = targets.filter(isWorse);
      const isDoubtful = result.verdict.status === "inconclusive";
      return `${nameAll(worse)} ${isOne(worse) ? "is" : "are"} ${beyond(worse)}${isDoubtful ? ", but an error in this run leaves its figures in doubt" : ""}.`;
    }
    case "pass":
      return isOne(targets)
        ? `${nameAll(targets)} is not ${beyond(targets)}${describeTold(targets)}.`
        : `No target is ${beyond(targets)}${describeTold(targets)}.`;
    case "inconclusive": {
      const unknown = targets.filter((target) => !isAnswered(target));
      return `Whether ${nameAll(unknown)} ${isOne(unknown) ? "is" : "are"} ${beyond(unknown)} cannot be told${describeUntold(unknown)}.`;
    }
  }
}

/** What some targets are compared with, by name where it is the same for all of them. */
function nameReference(targets: readonly TargetJudgement[]): string | undefined {
  const [first, ...others] = new Set(targets.map(({ reference }) => reference));
  return others.length > 0 ? "what it is compared with" : first;
}

/** Whether all are about one target, which may be compared with several. */
function isOne(targets: readonly TargetJudgement[]): boolean {
  return new Set(targets.map(({ other }) => other)).size === 1;
}

/** `a, b and c`. */
function nameAll(targets: readonly TargetJudgement[]): string {
  const names = [...new Set(targets.map(({ other }) => other))];
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
