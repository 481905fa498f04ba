import type { Result } from "../model/result.js";
import { compareLevels, decideComparison } from "./compare-levels.js";
import type { TargetJudgement } from "./compare-levels.js";
import type { Margins } from "./compare-scales.js";
import { pairWithReference } from "./reference-sides.js";

/** The targets of one run, compared with its reference and with a margin. */
export interface ReferenceComparison {
  readonly status: "pass" | "fail" | "inconclusive";
  readonly margins: Margins;
  /** In the order of the scenario; `other` is compared with the reference. */
  readonly targets: readonly TargetJudgement[];
}

/**
 * Says which targets of a run are worse than its reference by more than a margin: what `compareTargets` compares, judged
 * as two results are. `inconclusive` without a reference.
 */
export function compareWithReference(
  { scenario, steps }: Pick<Result, "scenario" | "steps">,
  margins: Margins,
): ReferenceComparison {
  const targets = pairWithReference({ scenario, steps }).map(({ reference, other, sides }) => ({
    reference,
    other,
    levels: compareLevels(sides, margins, { planned: scenario.trials }),
  }));
  return { status: decideComparison(targets), margins, targets };
}
