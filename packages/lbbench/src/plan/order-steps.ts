import type { StepKey } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { stepKey } from "../stats/identity.js";
import { seededRandom } from "../stats/seeded-random.js";
import { shuffle } from "./shuffle.js";

/**
 * Returns every (trial, level, target) of a scenario, once each: trials outermost, targets innermost, so that the targets
 * are measured at the same level one right after the other.
 *
 * In order `interleaved` the order of the targets is reversed from one level to the next, and for each level from one
 * trial to the next, so that a drift of the machine falls on all of them alike. In order `random` the levels of a trial and
 * the targets of a level are shuffled, by the seed of the scenario alone.
 */
export function orderSteps(scenario: Scenario): readonly StepKey[] {
  return distinct(scenario.order === "random" ? shuffled(scenario) : interleaved(scenario));
}

function interleaved({ trials, levels, targets }: Scenario): readonly StepKey[] {
  const names = targets.map((target) => target.name);
  const reversed = names.toReversed();
  return Array.from({ length: trials }, (_, trial) =>
    levels.flatMap((level, index) =>
      // The sum alternates along both axes; a running number would not when the number of levels is even.
      ((trial + index) % 2 === 0 ? names : reversed).map((target) => ({ target, level, trial: trial + 1 })),
    ),
  ).flat();
}

function shuffled({ trials, levels, targets, seed }: Scenario): readonly StepKey[] {
  const random = seededRandom(seed);
  return Array.from({ length: trials }, (_, trial) =>
    shuffle(levels, random).flatMap((level) =>
      shuffle(targets, random).map(({ name }) => ({ target: name, level, trial: trial + 1 })),
    ),
  ).flat();
}

/** A level that was asked for twice is one level: steps are told apart by target, level and trial alone. */
function distinct(steps: readonly StepKey[]): readonly StepKey[] {
  return [...new Map(steps.map((step) => [stepKey(step), step])).values()];
}
