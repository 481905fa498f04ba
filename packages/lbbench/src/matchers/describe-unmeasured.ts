import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { describePlaces } from "../report/describe-level.js";
import { levelKey, placeKey } from "../stats/identity.js";
import { shortTarget } from "./describe-doubts.js";

/** A target, and levels of its scenario at which it has no step. */
export interface Unmeasured {
  readonly target: string;
  readonly levels: readonly Level[];
}

/**
 * Returns the levels that a target was to be measured at and was not: a stop rule left them out, or the run was cut short. What was
 * asked of them cannot be told.
 */
export function findUnmeasured({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly Unmeasured[] {
  const measured = new Set(steps.map(placeKey));
  const levels = [...new Map(scenario.levels.map((level) => [levelKey(level), level])).values()];
  return scenario.targets.flatMap(({ name: target }) => {
    const missing = levels.filter((level) => !measured.has(placeKey({ target, level })));
    return missing.length === 0 ? [] : [{ target, levels: missing }];
  });
}

/** Says so of a result, in a line for each target; nothing where every target was measured at every level. */
export function describeUnmeasured(result: Pick<Result, "scenario" | "steps">): readonly string[] {
  const { stopOn, levels } = result.scenario;
  const why =
    stopOn.length === 0 ? "" : `; a stop rule (${stopOn.map(({ source }) => source).join(", ")}) may have left it out`;
  return findUnmeasured(result).map(
    (one) => `${shortTarget(one.target)} was not measured at ${describePlaces(one.levels, levels)}${why}.`,
  );
}

/** What to do about that. */
export const UNMEASURED_REMEDY =
  "Measure what is missing, without stopOn if that left it out, or ask about what was measured: target, and connections or rate.";
