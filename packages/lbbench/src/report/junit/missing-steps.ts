import { findStops, isStopped } from "../../judge/stop-rules.js";
import type { Result, StepKey } from "../../model/result.js";
import { stepKey } from "../../stats/identity.js";

/**
 * Returns the steps that were planned and have not come to an end, by target, level and trial; those that a stop rule left out are not
 * missing. None of a search, which plans no further than its next step: there only those that were interrupted.
 */
export function missingSteps({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly StepKey[] {
  const ended = new Set(steps.filter(({ state }) => state !== "aborted").map(stepKey));
  const stops = findStops(scenario.stopOn, steps);
  const planned = scenario.search === null ? plannedSteps(scenario) : steps;
  return [...new Map(planned.map((step) => [stepKey(step), step])).values()].filter(
    (step) => !ended.has(stepKey(step)) && !isStopped(stops, step),
  );
}

function plannedSteps({ targets, levels, trials }: Result["scenario"]): readonly StepKey[] {
  return targets.flatMap(({ name: target }) =>
    levels.flatMap((level) => Array.from({ length: trials }, (_, trial) => ({ target, level, trial: trial + 1 }))),
  );
}
