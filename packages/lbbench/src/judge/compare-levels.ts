import type { Level } from "../model/level.js";
import { loadOf } from "../stats/load.js";
import { compareByMargin } from "./compare-by-margin.js";
import type { MarginCircumstances, MarginComparison } from "./compare-by-margin.js";
import { findDeaths } from "./compare-deaths.js";
import type { Deaths } from "./compare-deaths.js";
import type { Sides } from "./compare-metric.js";
import type { JudgedMetric } from "./compare-scales.js";
import type { Margins } from "./compare-scales.js";

/** One level of two targets, compared with a margin. */
export interface LevelJudgement extends Readonly<Record<JudgedMetric, MarginComparison>> {
  readonly level: Level;
  /** Present where the other target died and the reference did not, which is worse whatever the figures are. */
  readonly deaths?: Deaths;
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

/** Compares all metrics of two targets with a margin, level by level; circumstances as in `compareByMargin`. */
export function compareLevels(
  levels: readonly LevelSides[],
  margins: Margins,
  circumstances: MarginCircumstances = {},
): readonly LevelJudgement[] {
  const compare = (metric: JudgedMetric): readonly MarginComparison[] =>
    compareByMargin(metric, levels, margins, circumstances);
  const [throughput, p50, p99, errors] = [compare("throughput"), compare("p50"), compare("p99"), compare("errors")];
  return levels.map((sides, index) => {
    const deaths = circumstances.prevented === undefined ? findDeaths(sides) : undefined;
    return {
      level: sides.level,
      throughput: throughput[index] as MarginComparison,
      p50: p50[index] as MarginComparison,
      p99: p99[index] as MarginComparison,
      errors: errors[index] as MarginComparison,
      ...(deaths === undefined ? {} : { deaths }),
    };
  });
}

/** Whether a target is worse beyond a margin at any level, in any metric, or because it died. */
export function isWorse({ levels }: TargetJudgement): boolean {
  return levels.some(
    ({ throughput, p50, p99, errors, deaths }) =>
      deaths !== undefined || [throughput, p50, p99, errors].some(({ worse }) => worse === "yes"),
  );
}

/**
 * Returns the levels that the reference was measured at and of which nothing says whether the other target got slower; all of
 * them where the reference was measured at none. Failed requests do not count, as something is known of them always; nor does
 * the throughput of an open loop, which is the rate that was asked for unless that is too much.
 */
export function findUnanswered({ levels }: TargetJudgement): readonly LevelJudgement[] {
  const measured = levels.filter(({ throughput }) => throughput.reference !== null);
  return measured.length === 0 ? levels : measured.filter((level) => !isLevelAnswered(level));
}

function isLevelAnswered({ level, throughput, p50, p99, deaths }: LevelJudgement): boolean {
  const speeds = [...(loadOf(level).kind === "rate" ? [] : [throughput]), p50, p99];
  return deaths !== undefined || speeds.some(({ worse }) => worse !== "unknown");
}

/** Whether it is known of every level that the reference was measured at if the other target got slower. */
export function isAnswered(target: TargetJudgement): boolean {
  return target.levels.length > 0 && findUnanswered(target).length === 0;
}

/**
 * Decides a comparison: `fail` when any target is worse beyond the margin; else `inconclusive` when of any it cannot be said
 * at some level that the reference was measured at, or there is none; else `pass`.
 */
export function decideComparison(targets: readonly TargetJudgement[]): "pass" | "fail" | "inconclusive" {
  if (targets.some(isWorse)) {
    return "fail";
  }
  return targets.length > 0 && targets.every(isAnswered) ? "pass" : "inconclusive";
}
