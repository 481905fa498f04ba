import { testInBlocks } from "../stats/blocks.js";
import { mean } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, stepKey } from "../stats/identity.js";
import { SIGNIFICANCE } from "../stats/trials.js";
import { allowed } from "./compare-trials.js";
import type { Pair } from "./compare-trials.js";
import { speedMetric } from "./metrics.js";

/** How two targets of one run compare over all levels together. */
export interface OverallComparison {
  /** What tells which is faster: throughput, or p50 in an open loop. */
  readonly metric: "throughput" | "p50";
  /** The geometric mean of the ratios at each level and trial, less one. */
  readonly change: number;
  /** Whether a doubt at some level may have made the difference look smaller than it is. */
  readonly isAtLeast: boolean;
  /** Two-sided, corrected for the number of targets that are compared with the same reference. */
  readonly pValue: number;
  readonly verdict: "faster" | "slower" | "~";
  /** Levels that it rests on, and how many there are. */
  readonly levels: number;
  readonly of: number;
}

/** One target in one trial of a level: the logarithms of its speed as it was measured, and of the best that it may have been. */
interface Cell {
  readonly level: string;
  readonly measured: number;
  readonly best: number;
}

/**
 * Compares targets with their reference over all levels: levels and trials are blocks, in which all targets were measured one after the
 * other (`testInBlocks` for each reference). So six levels tell a difference of one trial. Undefined where none could show. A block in
 * which a target has no figure, or one whose doubts may go either way, is left out. One in which a doubt can explain who is faster counts
 * as no difference.
 */
export function compareOverall(pairs: readonly Pair[]): readonly (OverallComparison | undefined)[] {
  const compared = new Map<Pair, OverallComparison>();
  for (const own of groupBy(pairs, ({ reference }) => reference).values()) {
    const [sides] = own[0]?.sides ?? [];
    if (own[0] === undefined || sides === undefined) continue;
    const metric = speedMetric(sides.level);
    const tables = [cellsOf(metric, own[0], "reference"), ...own.map((pair) => cellsOf(metric, pair, "other"))];
    const places = [...(tables[0]?.keys() ?? [])];
    const blocksOf = (things: readonly number[]): readonly (readonly Cell[])[] =>
      places
        .map((place) => [0, ...things.map((thing) => thing + 1)].flatMap((column) => tables[column]?.get(place) ?? []))
        .filter((cells) => cells.length === things.length + 1);
    const pValues = testInBlocks(own.length, blocksOf, gainOf);
    own.forEach((pair, index) => {
      const pValue = pValues[index];
      const blocks = blocksOf([index]) as readonly (readonly [Cell, Cell])[];
      const gains = blocks.map(([one, two]) => gainOf(one, two));
      if (pValue === null || pValue === undefined || gains.every((gain) => gain === 0)) return;
      const gain = mean(gains);
      compared.set(pair, {
        metric,
        change: Math.exp(metric === "throughput" ? gain : -gain) - 1,
        isAtLeast: blocks.flat().some(({ measured, best }) => best > measured),
        pValue,
        verdict: pValue > SIGNIFICANCE || gain === 0 ? "~" : gain > 0 ? "faster" : "slower",
        levels: new Set(blocks.map(([{ level }]) => level)).size,
        of: pair.sides.length,
      });
    });
  }
  return pairs.map((pair) => compared.get(pair));
}

/** By level and trial; completed steps alone. */
function cellsOf(
  metric: OverallComparison["metric"],
  { sides }: Pair,
  side: "reference" | "other",
): ReadonlyMap<string, Cell> {
  const sign = metric === "throughput" ? 1 : -1;
  const cells = sides.flatMap((ofLevel) =>
    ofLevel[side].flatMap((step): readonly (readonly [string, Cell])[] => {
      const figures = step.state === "completed" ? allowed(metric, step) : undefined;
      if (figures === undefined || figures.measured <= 0) return [];
      const [measured, best] = [sign * Math.log(figures.measured), sign * Math.log(figures.best)];
      return [[stepKey({ ...step, target: "" }), { level: levelKey(ofLevel.level), measured, best }]];
    }),
  );
  return new Map(cells);
}

/** What is gained from one to two when the slower is allowed all that its doubts can explain; 0 where they explain the difference. */
function gainOf(one: Cell, two: Cell): number {
  return two.measured >= one.measured ? Math.max(0, two.measured - one.best) : Math.min(0, two.best - one.measured);
}
