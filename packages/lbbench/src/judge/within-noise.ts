import type { Finding, FindingArgs } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import { loadOf, loadValue } from "../stats/load.js";
import type { LevelSides } from "./compare-levels.js";
import { compareMetric } from "./compare-metric.js";
import type { ComparedMetric } from "./compare-scales.js";
import { pairWithReference } from "./reference-sides.js";
import { speedMetric } from "./speed-metric.js";

/** A change of the medians that nobody would call a gain or a loss. */
export const NEGLIGIBLE = 0.02;

/**
 * `WITHIN_NOISE` {target, reference, kind, metric, trials} for each target that was measured several times, and whose median lies above or below
 * that of the reference at levels where the trials do not tell the two apart: {higher, highest} and {lower, lowest} are those
 * levels and the largest change there, a ratio less one; of a matrix, whose levels differ in their numbers of requests, {higherRequests}
 * and {lowerRequests} are those numbers. `trials` is the fewest that a side has at one of them. `metric` is throughput, or
 * p50 in an open loop, whose throughput is what was asked for.
 */
export function findWithinNoise(run: Pick<Result, "scenario" | "steps">): readonly Finding[] {
  return pairWithReference(run).flatMap(({ reference, other, sides }): readonly Finding[] => {
    const [first] = sides;
    if (first === undefined) return [];
    const { kind } = loadOf(first.level);
    const metric = speedMetric(first.level);
    const isMatrix = new Set(sides.flatMap(({ level }) => level.requests ?? [])).size > 1;
    const draws = findDraws(metric, sides);
    const [up, down] = [draws.filter(({ change }) => change > 0), draws.filter(({ change }) => change < 0)];
    const args = {
      target: other,
      reference,
      kind,
      metric,
      trials: Math.min(...draws.map(({ trials }) => trials)),
      ...extent("higher", "highest", up, isMatrix),
      ...extent("lower", "lowest", down, isMatrix),
    };
    return draws.length === 0 ? [] : [{ code: "WITHIN_NOISE", severity: "info", args }];
  });
}

/** What {@link isWithinNoise} asks of a comparison, with a margin or without. */
interface Drawable {
  readonly verdict: string;
  readonly reason?: string;
  readonly change: number | null;
}

/** Whether a comparison is one that the finding speaks of. */
export function isWithinNoise({ verdict, reason, change }: Drawable): boolean {
  const isTried = reason === undefined || reason === "TOO_FEW_TRIALS" || reason === "WITHIN_NOISE";
  return verdict === "~" && isTried && change !== null && Math.abs(change) >= NEGLIGIBLE;
}

interface Draw {
  readonly level: Level;
  readonly change: number;
  readonly trials: number;
}

function findDraws(metric: ComparedMetric, levels: readonly LevelSides[]): readonly Draw[] {
  return compareMetric(metric, levels).flatMap((comparison, index): readonly Draw[] => {
    const sides = levels[index];
    return sides === undefined || comparison.change === null || !isWithinNoise(comparison)
      ? []
      : [{ level: sides.level, change: comparison.change, trials: fewestTrials(sides) }];
  });
}

function fewestTrials({ reference, other }: LevelSides): number {
  const [some, others] = [reference, other].map((steps) => steps.filter(({ state }) => state === "completed").length);
  return Math.min(some ?? 0, others ?? 0);
}

function extent(where: string, size: string, draws: readonly Draw[], isMatrix: boolean): FindingArgs {
  if (draws.length === 0) return {};
  const changes = draws.map(({ change }) => change).toSorted((a, b) => Math.abs(b) - Math.abs(a));
  return {
    [where]: listNumbers(draws.map(({ level }) => loadValue(level))),
    ...(isMatrix ? { [`${where}Requests`]: listNumbers(draws.flatMap(({ level }) => level.requests ?? [])) } : {}),
    [size]: changes[0] ?? 0,
  };
}

/** Each once, from the lowest to the highest. */
function listNumbers(numbers: readonly number[]): string {
  return [...new Set(numbers)].toSorted((a, b) => a - b).join(", ");
}
