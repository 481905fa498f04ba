import { findStops, isStopped } from "../judge/stop-rules.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { stepKey } from "../stats/identity.js";
import { orderSteps } from "./order-steps.js";
import type { Planner } from "./planner.js";

/**
 * Plans every (trial, level, target) of a scenario once, in its order. Where a target met a stop rule, the levels above are
 * left out, in this trial and in those to come.
 */
export function createFixedSweep(scenario: Scenario): Planner {
  const steps = orderSteps(scenario);
  const missing = (history: readonly StepResult[]): readonly StepKey[] => {
    const done = new Set(history.map(stepKey));
    const stops = findStops(scenario.stopOn, history);
    return steps.filter((step) => !done.has(stepKey(step)) && !isStopped(stops, step));
  };
  return {
    total: (history) => new Set(history.map(stepKey)).size + missing(history).length,
    next: (history) => missing(history)[0],
  };
}
