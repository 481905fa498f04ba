import type { Level } from "../../model/level.js";
import { median } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import type { Cell } from "../cells.js";
import { describeLoad } from "../describe-level.js";

/** A level whose latencies are drawn one by one. */
export interface ChosenLevel {
  readonly load: number;
  /** With why it was chosen, where not all levels are: `50 connections (most throughput)`. */
  readonly name: string;
  /** Whether the most throughput was there, of whatever target. */
  readonly isBest: boolean;
}

/**
 * Chooses the levels whose distributions are worth a look, rising: all of them up to `most`, else the lowest, the one with the most
 * throughput, and the highest. Of those at which the most targets can be compared; none without cells.
 */
export function chooseLevels(cells: readonly Cell[], most: number): readonly ChosenLevel[] {
  const groups = [...groupBy(cells, ({ level }) => String(loadValue(level))).values()];
  const widest = Math.max(0, ...groups.map((group) => group.length));
  const levels = groups
    .filter((group) => group.length === widest)
    .flatMap(toCandidate)
    .toSorted((a, b) => a.load - b.load);
  const [lowest, ...higher] = levels;
  if (lowest === undefined) return [];
  const highest = levels.at(-1) ?? lowest;
  const best = higher.reduce((a, b) => (b.throughput > a.throughput ? b : a), lowest);
  const isAll = levels.length <= most;
  return (isAll ? levels : [...new Set([lowest, best, highest])]).map((one) => {
    const reasons = [
      ...(one === lowest ? ["lowest"] : []),
      ...(one === highest ? ["highest"] : []),
      ...(one === best ? ["most throughput"] : []),
    ];
    const name = describeLoad(one.level);
    return { load: one.load, name: isAll ? name : `${name} (${reasons.join(", ")})`, isBest: one === best };
  });
}

interface Candidate {
  readonly load: number;
  readonly level: Level;
  /** The most that a target answers. */
  readonly throughput: number;
}

function toCandidate(group: readonly Cell[]): readonly Candidate[] {
  const throughputs = group.map(({ measurements }) => median(measurements.map(({ throughput }) => throughput)));
  return group
    .slice(0, 1)
    .map(({ level }) => ({ load: loadValue(level), level, throughput: Math.max(...throughputs) }));
}
