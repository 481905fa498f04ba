import type { Result } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { compareLevels, decideComparison } from "./compare-levels.js";
import type { TargetJudgement } from "./compare-levels.js";
import type { Margins } from "./compare-scales.js";

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
  const { reference } = scenario;
  const levels = [...groupBy(scenario.levels, levelKey).values()].flatMap(([level]) => level ?? []);
  const trials = groupBy(steps, ({ target, level }) => JSON.stringify([target, levelKey(level)]));
  const trialsOf = (target: string, key: string): Result["steps"] => trials.get(JSON.stringify([target, key])) ?? [];
  const targets = scenario.targets.flatMap(({ name }) => {
    if (reference === null || name === reference) {
      return [];
    }
    const sides = levels.map((level) => ({
      level,
      reference: trialsOf(reference, levelKey(level)),
      other: trialsOf(name, levelKey(level)),
    }));
    return [{ reference, other: name, levels: compareLevels(sides, margins) }];
  });
  return { status: decideComparison(targets), margins, targets };
}
