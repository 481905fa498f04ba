import type { Result, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, placeKey } from "../stats/identity.js";
import type { LevelSides } from "./compare-levels.js";

/** The trials of a target beside those of the reference of its run, level by level. */
export interface ReferenceSides {
  readonly reference: string;
  readonly other: string;
  /** Every level of the scenario, each once; a side is empty where nothing was measured. */
  readonly sides: readonly LevelSides[];
}

/**
 * Puts every target of a run beside those that it is compared with: its own references, else that of the scenario. In the order of
 * the scenario; nothing where that has no reference.
 */
export function pairWithReference({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly ReferenceSides[] {
  const { reference, targets } = scenario;
  if (reference === null) return [];
  const levels = [...groupBy(scenario.levels, levelKey).values()].flatMap(([level]) => level ?? []);
  const trials = groupBy(steps, placeKey);
  const trialsOf = (target: string, level: LevelSides["level"]): readonly StepResult[] =>
    trials.get(placeKey({ target, level })) ?? [];
  return targets.flatMap(({ name, references = [reference] }) =>
    references
      .filter((other) => other !== name)
      .map((other) => ({
        reference: other,
        other: name,
        sides: levels.map((level) => ({ level, reference: trialsOf(other, level), other: trialsOf(name, level) })),
      })),
  );
}
