import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { compareMetric } from "./compare-metric.js";
import type { MetricComparison } from "./compare-metric.js";
import { pairWithReference } from "./reference-sides.js";
import type { ReferenceSides } from "./reference-sides.js";

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
export function compareTargets(run: Pick<Result, "scenario" | "steps">): readonly LevelComparison[] {
  const comparisons = pairWithReference(run).map(compareSides);
  const levels = Math.max(0, ...comparisons.map(({ length }) => length));
  return Array.from({ length: levels }, (_, index) => comparisons.flatMap((byLevel) => byLevel[index] ?? [])).flat();
}

function compareSides({ reference, other, sides }: ReferenceSides): readonly LevelComparison[] {
  const throughput = compareMetric("throughput", sides);
  const p50 = compareMetric("p50", sides);
  const p99 = compareMetric("p99", sides);
  return sides.map(({ level }, index) => ({
    level,
    reference,
    target: other,
    throughput: throughput[index] as MetricComparison,
    p50: p50[index] as MetricComparison,
    p99: p99[index] as MetricComparison,
  }));
}
