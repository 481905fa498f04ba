import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import type { Difference } from "./compare-difference.js";
import type { LevelSides } from "./compare-levels.js";

/** The trials of two targets, level by level. */
export interface PairedLevels {
  /** Levels that both were measured at, the smallest load first. */
  readonly sides: readonly LevelSides[];
  readonly differences: readonly Difference[];
}

/**
 * Pairs the levels that a target of A and one of B were measured at. Those of the scenario will not do: a search finds its
 * own, and a sweep may have ended before them.
 */
export function pairLevels(a: Result, b: Result, [left, right]: readonly [a: string, b: string]): PairedLevels {
  const [trialsOfA, trialsOfB] = [trialsByLevel(a, left), trialsByLevel(b, right)];
  const onlyIn = (those: typeof trialsOfA, others: typeof trialsOfA): readonly Level[] =>
    levelsOf([...those].flatMap(([key, steps]) => (others.has(key) ? [] : steps.filter(isMeasured))));
  const sides = levelsOf([...trialsOfA.values()].flat()).flatMap((level) => {
    const [reference, other] = [trialsOfA.get(levelKey(level)), trialsOfB.get(levelKey(level))];
    return reference === undefined || other === undefined ? [] : [{ level, reference, other }];
  });
  const differences = [
    { code: "LEVELS_ONLY_IN_A", effect: "prevents", target: right, levels: onlyIn(trialsOfA, trialsOfB) } as const,
    { code: "LEVELS_ONLY_IN_B", effect: "note", target: right, levels: onlyIn(trialsOfB, trialsOfA) } as const,
  ];
  return { sides, differences: differences.filter(({ levels }) => levels.length > 0) };
}

function isMeasured({ measurement }: StepResult): boolean {
  return measurement !== undefined;
}

function trialsByLevel({ steps }: Result, name: string): ReadonlyMap<string, readonly StepResult[]> {
  return groupBy(
    steps.filter(({ target }) => target === name),
    ({ level }) => levelKey(level),
  );
}

function levelsOf(steps: readonly StepResult[]): readonly Level[] {
  const levels = [...groupBy(steps, ({ level }) => levelKey(level)).values()].flatMap(([step]) => step?.level ?? []);
  return levels.toSorted((one, two) => loadValue(one) - loadValue(two));
}
