import type { Level } from "../model/level.js";
import type { StepKey } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { loadOf } from "./load.js";

/** Returns a text that is the same for equal levels and differs for different ones. */
export function levelKey(level: Level): string {
  const { kind, value } = loadOf(level);
  return JSON.stringify([kind, value, level.requests ?? null, level.durationMs ?? null]);
}

/** Returns each level once, in the order in which they first appear. */
export function distinctLevels(levels: readonly Level[]): readonly Level[] {
  return [...new Map(levels.map((level) => [levelKey(level), level])).values()];
}

/** Returns a text that is the same for steps of the same target and level, in any trial, and differs for others. */
export function placeKey({ target, level }: Pick<StepKey, "target" | "level">): string {
  return JSON.stringify([target, levelKey(level)]);
}

/** Returns a text that is the same for steps of the same target, level and trial, and differs for others. */
export function stepKey({ target, level, trial }: StepKey): string {
  return JSON.stringify([target, levelKey(level), trial]);
}

/** How many trials were planned of each step. If there are looks at trials: as many as at the last look, done or under way. */
export function plannedTrials(
  { trials, sequential }: Pick<ToldScenario, "trials" | "sequential">,
  steps: readonly Pick<StepKey, "trial">[],
): number {
  if (sequential === undefined) return trials;
  const made = Math.max(0, ...steps.map(({ trial }) => trial));
  return sequential.looks.find((look) => look >= made) ?? trials;
}
