import type { Level } from "../model/level.js";
import { loadOf } from "../stats/load.js";
import { compareByMargin } from "./compare-by-margin.js";
import type { MarginComparison } from "./compare-by-margin.js";
import type { PreventingCode } from "./compare-difference.js";
import type { JudgedMetric, Sides } from "./compare-metric.js";
import type { Margins } from "./compare-scales.js";

/** One level of two targets, compared with a margin. */
export interface LevelJudgement extends Readonly<Record<JudgedMetric, MarginComparison>> {
  readonly level: Level;
}

/** The two sides of a comparison at one level. */
export interface LevelSides extends Sides {
  readonly level: Level;
}

/** Two targets, compared with a margin at every level that both were measured at. */
export interface TargetJudgement {
  /** The name that the target has on the side of the reference. */
  readonly reference: string;
  readonly other: string;
  readonly levels: readonly LevelJudgement[];
}

/** Compares all metrics of two targets with a margin, level by level; `prevented` as in `compareByMargin`. */
export function compareLevels(
  levels: readonly LevelSides[],
  margins: Margins,
  prevented?: PreventingCode,
): readonly LevelJudgement[] {
  const compare = (metric: JudgedMetric): readonly MarginComparison[] =>
    compareByMargin(metric, levels, margins, prevented);
  const [throughput, p50, p99, errors] = [compare("throughput"), compare("p50"), compare("p99"), compare("errors")];
  return levels.map(({ level }, index) => ({
    level,
    throughput: throughput[index] as MarginComparison,
    p50: p50[index] as MarginComparison,
    p99: p99[index] as MarginComparison,
    errors: errors[index] as MarginComparison,
  }));
}

/** Whether a target is worse beyond a margin at any level, in any metric. */
export function isWorse({ levels }: TargetJudgement): boolean {
  return levels.some(({ throughput, p50, p99, errors }) =>
    [throughput, p50, p99, errors].some(({ worse }) => worse === "yes"),
  );
}

/**
 * Whether the trials say of any level if the target got slower. Failed requests do not count, as something is known of
 * them always; nor does the throughput of an open loop, which is the rate that was asked for unless that is too much.
 */
export function isAnswered({ levels }: TargetJudgement): boolean {
  return levels.some(({ level, throughput, p50, p99 }) =>
    [...(loadOf(level).kind === "rate" ? [] : [throughput]), p50, p99].some(({ worse }) => worse !== "unknown"),
  );
}

/**
 * Decides a comparison: `fail` when any target is worse beyond the margin, else `inconclusive` when of any it cannot be
 * said at any level, or there is none, else `pass`.
 */
export function decideComparison(targets: readonly TargetJudgement[]): "pass" | "fail" | "inconclusive" {
  if (targets.some(isWorse)) {
    return "fail";
  }
  return targets.length > 0 && targets.every(isAnswered) ? "pass" : "inconclusive";
}
