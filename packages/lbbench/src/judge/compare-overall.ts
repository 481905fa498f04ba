import type { StepResult } from "../model/result.js";
import { testInBlocks } from "../stats/blocks.js";
import { mean } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey } from "../stats/identity.js";
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
  readonly measured: number;
  readonly best: number;
}

/**
 * Compares targets with their reference over all levels: levels and trials are blocks, in which all targets were measured one after the
 * other (`testInBlocks` for each reference). So six levels tell a difference of one trial. Undefined where none could show. A step without
 * a figure, or whose doubts may go either way, is left out; so is a block in which a doubt can explain who is faster.
 */
export function compareOverall(pairs: readonly Pair[]): readonly (OverallComparison | undefined)[] {
  const compared = new Map<Pair, OverallComparison>();
  for (const [first, ...rest] of groupBy(pairs, ({ reference }) => reference).values()) {
    if (first?.sides[0] === undefined) continue;
    const metric = speedMetric(first.sides[0].level);
    const own = [first, ...rest];
    const tables = [cellsOf(metric, first, "reference"), ...own.map((pair) => cellsOf(metric, pair, "other"))];
    const blocksOf = (columns: readonly number[]): readonly (readonly Cell[])[] =>
      [...(tables[0]?.keys() ?? [])].flatMap((place) => {
        const cells = columns.flatMap((column) => tables[column]?.get(place) ?? []);
        return cells.length === columns.length && isTold(cells) ? [cells] : [];
      });
    const pValues = testInBlocks(
      own.length,
      (those) => blocksOf([0, ...those.map((index) => index + 1)]),
      (one, two) => gainOf(one, two).least,
    );
    own.forEach((pair, index) => {
      const pValue = pValues[index];
      if (pValue === null || pValue === undefined) return;
      const places = [...(tables[0]?.keys() ?? [])].filter((place) => {
        const cells = [0, index + 1].flatMap((column) => tables[column]?.get(place) ?? []);
        return cells.length === 2 && isTold(cells);
      });
      const gains = blocksOf([0, index + 1]).map(([one, two]) => gainOf(one as Cell, two as Cell));
      const gain = mean(gains.map(({ least }) => least));
      compared.set(pair, {
        metric,
        change: Math.exp(metric === "throughput" ? gain : -gain) - 1,
        isAtLeast: gains.some(({ isBound }) => isBound),
        pValue,
        verdict: pValue > SIGNIFICANCE || gain === 0 ? "~" : gain > 0 ? "faster" : "slower",
        levels: new Set(places.map((place) => place.split("\n")[0])).size,
        of: pair.sides.length,
      });
    });
  }
  return pairs.map((pair) => compared.get(pair));
}

/** By level and trial. */
function cellsOf(
  metric: OverallComparison["metric"],
  { sides }: Pair,
  side: "reference" | "other",
): ReadonlyMap<string, Cell> {
  return new Map(
    sides.flatMap((ofLevel) =>
      ofLevel[side].flatMap((step) => {
        const cell = cellOf(metric, step);
        return cell === undefined ? [] : [[`${levelKey(ofLevel.level)}\n${step.trial}`, cell] as const];
      }),
    ),
  );
}

function cellOf(metric: OverallComparison["metric"], step: StepResult): Cell | undefined {
  const figures = step.state === "completed" ? allowed(metric, step) : undefined;
  if (figures === undefined || figures.measured <= 0) return undefined;
  const sign = metric === "throughput" ? 1 : -1;
  return { measured: sign * Math.log(figures.measured), best: sign * Math.log(figures.best) };
}

/** Whether no doubt can explain that one of the cells is slower than another. It does not depend on which target is which. */
function isTold(cells: readonly Cell[]): boolean {
  return cells.every((one) => cells.every((two) => one.measured >= two.measured || one.best < two.measured));
}

/** What is gained from one to two when the slower is allowed all that its doubts can explain. */
function gainOf(one: Cell, two: Cell): { readonly least: number; readonly isBound: boolean } {
  const least = two.measured > one.measured ? two.measured - one.best : two.best - one.measured;
  const isBound = one.best > one.measured || two.best > two.measured;
  return { least, isBound };
}
