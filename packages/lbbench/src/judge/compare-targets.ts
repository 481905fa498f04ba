import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
import { compareMetric } from "./compare-metric.js";
import type { MetricComparison, Sides } from "./compare-metric.js";

/** One target compared with the reference at one level. */
export interface LevelComparison {
  readonly level: Level;
  readonly reference: string;
  readonly target: string;
  readonly throughput: MetricComparison;
  readonly p50: MetricComparison;
  readonly p99: MetricComparison;
}

/**
 * Compares every other target with the reference of the scenario, level by level, over their trials, which are the
 * independent observations (never the requests). For each target and metric the p-values of its levels are corrected
 * by Holm's method. Ordered by level, then by target; empty without a reference.
 */
export function compareTargets({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly LevelComparison[] {
  const { reference, targets } = scenario;
  if (reference === null) {
    return [];
  }
  const levels = [...groupBy(scenario.levels, levelKey).values()].flatMap(([level]) => level ?? []);
  const trials = groupBy(steps, ({ target, level }) => trialsKey(target, level));
  const trialsOf = (target: string, level: Level): Sides["other"] => trials.get(trialsKey(target, level)) ?? [];
  const comparisons = targets
    .filter(({ name }) => name !== reference)
    .map(({ name }) => {
      const sides = levels.map((level) => ({ reference: trialsOf(reference, level), other: trialsOf(name, level) }));
      return compareLevels(levels, sides, reference, name);
    });
  return levels.flatMap((_, index) => comparisons.flatMap((byLevel) => byLevel[index] ?? []));
}

function compareLevels(
  levels: readonly Level[],
  sides: readonly Sides[],
  reference: string,
  target: string,
): readonly LevelComparison[] {
  const throughput = compareMetric("throughput", sides);
  const p50 = compareMetric("p50", sides);
  const p99 = compareMetric("p99", sides);
  return levels.map((level, index) => ({
    level,
    reference,
    target,
    throughput: throughput[index] as MetricComparison,
    p50: p50[index] as MetricComparison,
    p99: p99[index] as MetricComparison,
  }));
}

function trialsKey(target: string, level: Level): string {
  return JSON.stringify([target, levelKey(level)]);
}
