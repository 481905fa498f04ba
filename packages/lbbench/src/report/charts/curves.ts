/** What charts against load are drawn of: a curve for each target, and the panel that it stands in. */
import { largestCurve } from "../../judge/load-response.js";
import type { Result } from "../../model/result.js";
import type { Target } from "../../model/scenario.js";
import { range, type Range } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { FEWEST_FOR_SPREAD, findOutliers } from "../../stats/spread.js";
import { summarizeTrials } from "../../stats/trials.js";
import { type Cell, cellsByTarget, collectCells } from "../cells.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { drawnFigures } from "../figures.js";
import { formatCount } from "../../stats/format-number.js";
import type { ChartAxis, ChartPoint } from "./chart-definition.js";
import { defined } from "../../stats/defined.js";

/** How throughput and latency are named and measured where something else than load is along the axis. */
export const THROUGHPUT = drawnFigures(["throughput_per_s"], []);
export const LATENCY = drawnFigures(["latency_p50_ms"], []);

/** The cells of one target with the same number of requests or the same duration, by rising load. */
export interface Curve {
  /** The target's name, and the amount where there are several. */
  readonly name: string;
  /** Of the target, where one made it. */
  readonly gridPlace?: Target["gridPlace"] | undefined;
  readonly colorIndex: number;
  readonly cells: readonly Cell[];
}

/** What the charts of a result have in common, read once. */
export type Sweep = ReturnType<typeof readSweep>;

/** Reads what the charts of a result are drawn of. */
export function readSweep(result: Result) {
  const cells = collectCells(result);
  const amounts = amountsOf(cells);
  const places = new Map(result.scenario.targets.map(({ name, gridPlace }) => [name, gridPlace]));
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  const curves = [...groups.values()].flatMap((group, colorIndex) =>
    group.slice(0, 1).map(({ target, level }): Curve => ({
      name: amounts.length > 1 ? `${target}, ${describeAmount(level)}` : target,
      gridPlace: places.get(target),
      colorIndex,
      cells: group.toSorted((a, b) => loadValue(a.level) - loadValue(b.level)),
    })),
  );
  const largest = new Set([...cellsByTarget(cells).values()].flatMap(largestCurve));
  const main = curves.filter((curve) => curve.cells.some((cell) => largest.has(cell)));
  const loads = loadsOf(cells);
  const loadName = loadWords(cells.map(({ level }) => level)).axis;
  return {
    result,
    cells,
    curves,
    /** A curve of each target, in the name and the colour that it has among all: of a matrix the one with the most requests or the longest time. */
    main,
    /** Says of which part of a matrix these are: `with 1,000 requests`; empty where they are all there is. */
    part: main.length < curves.length ? `with ${amountsOf([...largest]).join(" or ")}` : "",
    loads,
    loadName,
    /** A category for each load, as {@link loadCategory} names it. */
    categories: {
      label: loadName,
      scale: "category",
      ticks: loads.map(formatCount),
      values: loads,
    } satisfies ChartAxis,
  };
}

function amountsOf(cells: readonly Cell[]): readonly string[] {
  return distinctAmounts(cells.map(({ level }) => level));
}

/** Returns the loads that occur in some cells, each once, rising. */
export function loadsOf(cells: readonly Cell[]): readonly number[] {
  return [...new Set(cells.map(({ level }) => loadValue(level)))].toSorted((a, b) => a - b);
}

/** Returns the place of a cell on the axis of categories. */
export function loadCategory({ level }: Cell): string {
  return formatCount(loadValue(level));
}

/** Says between other words how many trials cells have that have several: `median of 5 to 6 trials`; empty where none has. */
export function tellTrials(cells: readonly Cell[], before: string, after = ""): string {
  const trials = trialsOf(cells);
  if (trials === undefined) return "";
  const { low, high } = trials;
  return `${before} ${low === high ? "" : `${formatCount(low)} to `}${formatCount(high)} trials${after}`;
}

/** What the whiskers of points of several trials are. */
export function tellWhiskers(cells: readonly Cell[]): string {
  const { low = 0, high = 0 } = trialsOf(cells) ?? {};
  if (high < FEWEST_FOR_SPREAD) return "lowest to highest";
  const few = low < FEWEST_FOR_SPREAD ? `; of fewer than ${FEWEST_FOR_SPREAD} trials lowest to highest` : "";
  return `95 % interval${few}`;
}

function trialsOf(cells: readonly Cell[]): Range | undefined {
  const counts = cells.map(({ measurements }) => measurements.length).filter((trials) => trials > 1);
  return counts.length === 0 ? undefined : range(counts);
}

/** A point of the values of all trials: their median, with a whisker for several, and the outliers; a gap when there is none. */
export function trialPoint(x: ChartPoint["x"], values: readonly number[]): ChartPoint {
  if (values.length === 0) return { x, y: null };
  const { median, low, high, n } = summarizeTrials(values);
  const outliers = findOutliers(values).flatMap((index) => values[index] ?? []);
  return {
    x,
    y: median,
    ...defined({
      low: n > 1 ? low : undefined,
      high: n > 1 ? high : undefined,
      outliers: outliers.length > 0 ? outliers : undefined,
    }),
  };
}

/** A curve in its panel, in the name and the colour that tell it from others there. */
export interface PlacedCurve extends Curve {
  readonly panel: number;
}

/** Lines in one panel that can still be told apart, and as many as are drawn in one where several panels are needed anyhow. */
const MOST_IN_ONE_PANEL = 8;
const MANY_IN_A_PANEL = 6;

/** The entry of the legend for a target that a panel is named after. */
const ALONE = "as named above the panel";

/**
 * Spreads more than 8 curves over panels: of a matrix with several targets one for each target, of targets from a grid one for each group
 * of them, of others one for each 6.
 */
export function curvePanels(curves: readonly Curve[]): {
  readonly panels: readonly string[];
  readonly placed: readonly PlacedCurve[];
} {
  if (curves.length <= MOST_IN_ONE_PANEL) return { panels: [""], placed: curves.map((one) => ({ ...one, panel: 0 })) };
  const firsts = curves.flatMap(({ cells }) => cells.slice(0, 1));
  const grid =
    amountsOf(firsts).length > 1
      ? firsts.map(({ target, level }) => ({ group: target, member: describeAmount(level) }))
      : gridPlaces(curves);
  if (grid !== undefined) {
    const panels = [...new Set(grid.map(({ group }) => group))];
    const names = [...new Set(grid.map(({ member = ALONE }) => member))];
    const placed = curves.map((curve, at): PlacedCurve => {
      const { group = "", member: name = ALONE } = grid[at] ?? {};
      return { ...curve, name, panel: panels.indexOf(group), colorIndex: names.indexOf(name) };
    });
    return { panels, placed };
  }
  const size = Math.ceil(curves.length / Math.ceil(curves.length / MANY_IN_A_PANEL));
  const placed = curves.map((one, at) => ({ ...one, panel: Math.floor(at / size) }));
  const panels = Array.from({ length: Math.ceil(curves.length / size) }, (_, panel) => {
    const last = Math.min(curves.length, (panel + 1) * size);
    return `${panel * size + 1} to ${last} of ${curves.length}`;
  });
  return { panels, placed };
}

/** The place of a target in the grid that made it. */
interface GridPlace {
  readonly target: string;
  /** What it has in common with the others of its group: `pool pool=8 queue=10`; of a target without a grid its name. */
  readonly group: string;
  /** The same without the name that all groups begin with, which leaves room for the options: `pool=8 queue=10`. */
  readonly shortGroup: string;
  /** The option in which those of a group differ: `policy=drop-head`; `undefined` of a target without a grid. */
  readonly member: string | undefined;
}

const MOST_MEMBERS = 8;

/** Returns a place for each target. A group differs only in the last option with 2 to 8 values. `undefined` without a grid. */
export function gridPlaces(targets: readonly Pick<Curve, "name" | "gridPlace">[]): readonly GridPlace[] | undefined {
  const choices = targets.flatMap(({ gridPlace }) => gridPlace?.options ?? []);
  const values = groupBy(choices, ({ option }) => option);
  const chosen = [...values].findLast(([, all]) => {
    const { size } = new Set(all.map(({ value }) => value));
    return size >= 2 && size <= MOST_MEMBERS;
  })?.[0];
  if (chosen === undefined) return undefined;
  const isOneGrid = new Set(targets.flatMap(({ gridPlace }) => gridPlace?.name ?? [])).size === 1;
  return targets.map(({ name: target, gridPlace: grid }) => {
    const words = (grid?.options ?? []).map(({ option, value }) => `${option}=${value}`);
    const at = grid?.options.findIndex(({ option }) => option === chosen) ?? -1;
    if (grid === undefined || at < 0) return { target, group: target, shortGroup: target, member: undefined };
    const others = words.toSpliced(at, 1).join(" ");
    const group = `${grid.name} ${others}`.trimEnd();
    return { target, group, shortGroup: (isOneGrid && others) || group, member: words[at] };
  });
}
