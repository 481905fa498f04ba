import type { Level } from "../model/level.js";
import { type Block, testGroups, testInBlocks } from "../stats/blocks.js";
import { mean } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { levelKey, stepKey } from "../stats/identity.js";
import { adjustHolm } from "../stats/trials.js";
import { allowed, type Pair } from "./compare-trials.js";
import { speedMetric } from "./metrics.js";

/** How two targets of one run compare over several levels together. */
export interface OverallComparison {
  /** What tells which is faster: throughput, or p50 in an open loop. */
  readonly metric: "throughput" | "p50";
  /** Whether it leaves out the level of 1 connection, where there is nothing to share out. */
  readonly isAboveOne: boolean;
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
  readonly level: Level;
  readonly measured: number;
  readonly best: number;
}

/**
 * Parts of the 5 % of false alarms that each of the two questions has, so that both together have no more. One trial of six levels, all
 * of which point the same way, has p = 2/64, which is below the first.
 */
const ALL_LEVELS = 0.032;
const ABOVE_ONE = 0.018;

/** The difference that several levels have to be beyond, as the same target differs by some percent from start to start. */
const NOTABLE = Math.log(1.1);

/**
 * Compares targets with their reference over several levels, by two questions that were fixed before anything was measured. The first is of
 * all levels: levels and trials are blocks, in which all targets were measured one after the other (`testInBlocks` for each reference). The
 * second, which answers where the first does not, is of the levels above 1 connection: whether their mean, over at least four, is beyond
 * 10 % (`testGroups`, corrected for the number of targets by Holm's method). Of rates and users it asks about all levels.
 *
 * Undefined where no difference could show. A block in which a target has no figure, or one whose doubts may go either way, is left out. One
 * in which a doubt can explain who is faster counts as no difference.
 */
export function compareOverall(pairs: readonly Pair[]): readonly (OverallComparison | undefined)[] {
  const compared = new Map<Pair, OverallComparison>();
  for (const own of groupBy(pairs, ({ reference }) => reference).values()) {
    const [first] = own;
    const levels = first?.sides.map(({ level }) => level) ?? [];
    if (first === undefined || levels[0] === undefined) continue;
    const metric = speedMetric(levels[0]);
    const tables = [cellsOf(metric, first, "reference"), ...own.map((pair) => cellsOf(metric, pair, "other"))];
    const places = [...(tables[0]?.keys() ?? [])];
    const blocksOf = (things: readonly number[]): readonly Block<Cell>[] =>
      places
        .map((place) => [0, ...things.map((thing) => thing + 1)].flatMap((column) => tables[column]?.get(place) ?? []))
        .filter((cells) => cells.length === things.length + 1);
    const blocks = own.map((_, index) => blocksOf([index]));
    const loaded = blocks.map((all) => all.filter(([cell]) => cell?.level.connections !== 1));
    const ofLevels = loaded.map((all) => [...groupBy(all, levelOf).values()].map((those) => mean(those.map(gainIn))));
    const above = levels.filter(({ connections }) => connections !== 1).length;
    const questions = [
      { most: ALL_LEVELS, blocks, pValues: testInBlocks(own.length, blocksOf, gainOf), of: levels.length },
      {
        most: ABOVE_ONE,
        blocks: loaded,
        pValues: adjustHolm(ofLevels.map((one) => testGroups(one, NOTABLE))),
        of: above,
      },
    ];
    own.forEach((pair, index) => {
      const answers = questions.flatMap(({ most, blocks: asked, pValues, of }): readonly OverallComparison[] => {
        const those = asked[index] ?? [];
        const [pValue, gains] = [pValues[index] ?? null, those.map(gainIn)];
        if (pValue === null || gains.every((gain) => gain === 0)) return [];
        const gain = mean(gains);
        return [
          {
            metric,
            isAboveOne: of < levels.length,
            change: Math.exp(metric === "throughput" ? gain : -gain) - 1,
            isAtLeast: those.flat().some(({ measured, best }) => best > measured),
            pValue,
            verdict: pValue > most || gain === 0 ? "~" : gain > 0 ? "faster" : "slower",
            levels: new Set(those.map(levelOf)).size,
            of,
          },
        ];
      });
      const told = answers.find(({ verdict }) => verdict !== "~") ?? answers[0];
      if (told !== undefined) compared.set(pair, told);
    });
  }
  return pairs.map((pair) => compared.get(pair));
}

const levelOf = ([cell]: Block<Cell>): string => (cell === undefined ? "" : levelKey(cell.level));
const gainIn = ([one, two]: Block<Cell>): number => gainOf(one as Cell, two as Cell);

/** By level and trial; completed steps alone. */
function cellsOf(
  metric: OverallComparison["metric"],
  { sides }: Pair,
  side: "reference" | "other",
): ReadonlyMap<string, Cell> {
  const sign = metric === "throughput" ? 1 : -1;
  const cells = sides.flatMap(({ level, [side]: steps }) =>
    steps.flatMap((step): readonly (readonly [string, Cell])[] => {
      const figures = step.state === "completed" ? allowed(metric, step) : undefined;
      if (figures === undefined || figures.measured <= 0) return [];
      const [measured, best] = [sign * Math.log(figures.measured), sign * Math.log(figures.best)];
      return [[stepKey({ ...step, target: "" }), { level, measured, best }]];
    }),
  );
  return new Map(cells);
}

/** What is gained from one to two when the slower is allowed all that its doubts can explain; 0 where they explain the difference. */
function gainOf(one: Cell, two: Cell): number {
  return two.measured >= one.measured ? Math.max(0, two.measured - one.best) : Math.min(0, two.best - one.measured);
}
