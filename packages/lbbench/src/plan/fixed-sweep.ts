import type { StepKey } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { stepKey } from "../stats/identity.js";
import type { Planner } from "./planner.js";

/**
 * Plans every (trial, level, target) of a scenario, once each: trials outermost, targets innermost, so that the targets
 * are measured at the same level one right after the other. From one level to the next, and for each level from one
 * trial to the next, the order of the targets is reversed, so that a drift of the machine falls on all of them alike.
 */
export function createFixedSweep(scenario: Scenario): Planner {
  const steps = distinct(planSteps(scenario));
  return {
    total: steps.length,
    next(history) {
      const done = new Set(history.map(stepKey));
      return steps.find((step) => !done.has(stepKey(step)));
    },
  };
}

function planSteps({ trials, levels, targets }: Scenario): readonly StepKey[] {
  const names = targets.map((target) => target.name);
  const reversed = names.toReversed();
  return Array.from({ length: trials }, (_, trial) =>
    levels.flatMap((level, index) =>
      // The sum alternates along both axes; a running number would not when the number of levels is even.
      ((trial + index) % 2 === 0 ? names : reversed).map((target) => ({ target, level, trial: trial + 1 })),
    ),
  ).flat();
}

/** A level that was asked for twice is one level: steps are told apart by target, level and trial alone. */
function distinct(steps: readonly StepKey[]): readonly StepKey[] {
  return [...new Map(steps.map((step) => [stepKey(step), step])).values()];
}
