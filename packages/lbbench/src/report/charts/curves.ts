/** What a chart against load is drawn of: a curve for each target, where it stands, and the axis below. */
import { largestCurve } from "../../judge/load-response.js";
import type { Measurement } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { findOutliers } from "../../stats/spread.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { summarizeTrials } from "../../stats/trials.js";
import { type Cell, collectCells, valuesOf } from "../cells.js";
import { describeAmount, describeLoad, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount } from "../../stats/format-number.js";
import { chooseScale, namedAxis } from "./axes.js";
import type { ChartAxis, ChartMark, ChartPoint, ChartRow, ChartSeries, RowSeries } from "./chart-definition.js";

/** The cells of one target with the same number of requests or the same duration, by rising load. */
export interface Curve {
  /** The target's name, and the amount where there are several. */
  readonly name: string;
  readonly colorIndex: number;
  readonly cells: readonly Cell[];
}

/** Returns what a line of a chart against load consists of; none for a result without a step. */
export function collectCurves(result: Result): readonly Curve[] {
  const cells = collectCells(result);
  const hasSeveralAmounts = amountsOf(cells).length > 1;
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  return [...groups.values()].flatMap((group, colorIndex) =>
    group.slice(0, 1).map(({ target, level }) => ({
      name: hasSeveralAmounts ? `${target}, ${describeAmount(level)}` : target,
      colorIndex,
      cells: group.toSorted((a, b) => loadValue(a.level) - loadValue(b.level)),
    })),
  );
}

/** Returns the loads that occur in some curve, each once, rising. */
export function loadsOf(curves: readonly Curve[]): readonly number[] {
  const all = curves.flatMap(({ cells }) => cells.map(({ level }) => loadValue(level)));
  return [...new Set(all)].toSorted((a, b) => a - b);
}

/** The curves that stand for their targets where one of each is enough. */
interface MainCurves {
  /** One of each target: of a matrix the one with the most requests or the longest time. */
  readonly curves: readonly Curve[];
  /** Says of which part of a matrix they are: `with 1,000 requests`; empty where they are all there is. */
  readonly part: string;
}

/** Returns a curve of each target, in the name and the colour that it has in charts of all curves. */
export function mainCurves(result: Result): MainCurves {
  const all = collectCurves(result);
  const byTarget = groupBy(
    all.flatMap(({ cells }) => cells),
    ({ target }) => target,
  );
  const largest = new Set([...byTarget.values()].flatMap(largestCurve));
  const curves = all.filter(({ cells }) => cells.some((cell) => largest.has(cell)));
  return { curves, part: curves.length < all.length ? `with ${amountsOf([...largest]).join(" or ")}` : "" };
}

function amountsOf(cells: readonly Cell[]): readonly string[] {
  return distinctAmounts(cells.map(({ level }) => level));
}

/** Returns a figure of every trial of a cell that has it; none of steps that were cut short. */
export function trialValues(cell: Cell, figure: (measurement: Measurement) => number | undefined): readonly number[] {
  return cell.cutShort ? [] : valuesOf(cell, figure);
}

/** Returns the most trials of any cell. */
export function mostTrials(cells: readonly Cell[]): number {
  return Math.max(0, ...cells.map(({ measurements }) => measurements.length));
}

/**
 * Makes a point of the values of all trials: their median, with a whisker for several, and the outliers among them; a gap when
 * there is none.
 */
export function trialPoint(x: ChartPoint["x"], values: readonly number[]): ChartPoint {
  if (values.length === 0) return { x, y: null };
  const { median, low, high, n } = summarizeTrials(values);
  const outliers = findOutliers(values).flatMap((index) => values[index] ?? []);
  return { x, y: median, ...(n > 1 ? { low, high } : {}), ...(outliers.length > 0 ? { outliers } : {}) };
}

/** A curve in its panel, in the name and the colour that tell it from others there. */
export interface PlacedCurve extends Curve {
  readonly panel: number;
}

/** In how many panels curves are drawn, and where each of them is. */
interface CurvePanels {
  /** A single one with an empty title where all are in one. */
  readonly panels: readonly string[];
  /** In the order of the curves. */
  readonly placed: readonly PlacedCurve[];
}

/** Lines in one panel that can still be told apart, and as many as are drawn in one where several panels are needed anyhow. */
const MOST_IN_ONE_PANEL = 8;
const MANY_IN_A_PANEL = 6;

/** The entry of the legend for a target that a panel is named after. */
const ALONE = "as named above the panel";

/**
 * Spreads curves over panels: of a matrix with several targets one for each target, its amounts told apart by colour; of more than
 * 8 targets from a grid one for each group of them; of other lists of targets beyond 8 one for each 6 of them; else a single one.
 */
export function curvePanels(curves: readonly Curve[]): CurvePanels {
  const cells = curves.map((curve) => curve.cells[0]);
  const targets = [...new Set(cells.map((cell) => cell?.target ?? ""))];
  const amounts = amountsOf(curves.flatMap((curve) => curve.cells));
  if (amounts.length > 1 && targets.length > 1) {
    return spread(
      curves,
      cells.map((cell) => ({ panel: cell?.target ?? "", name: cell === undefined ? "" : describeAmount(cell.level) })),
    );
  }
  if (curves.length <= MOST_IN_ONE_PANEL) return { panels: [""], placed: curves.map((one) => ({ ...one, panel: 0 })) };
  const grid = amounts.length > 1 ? undefined : readTargetGrid(targets);
  if (grid !== undefined) {
    return spread(
      curves,
      grid.map(({ group, member }) => ({ panel: group, name: member ?? ALONE })),
    );
  }
  const count = Math.ceil(curves.length / MANY_IN_A_PANEL);
  const size = Math.ceil(curves.length / count);
  const end = (panel: number): number => Math.min(curves.length, (panel + 1) * size);
  return {
    panels: Array.from({ length: count }, (_, at) => `${at * size + 1} to ${end(at)} of ${curves.length}`),
    placed: curves.map((one, at) => ({ ...one, panel: Math.floor(at / size) })),
  };
}

function spread(
  curves: readonly Curve[],
  places: readonly { readonly panel: string; readonly name: string }[],
): CurvePanels {
  const panels = [...new Set(places.map(({ panel }) => panel))];
  const names = [...new Set(places.map(({ name }) => name))];
  return {
    panels,
    placed: places.map(({ panel, name }, at) => ({
      cells: curves[at]?.cells ?? [],
      name,
      panel: panels.indexOf(panel),
      colorIndex: names.indexOf(name),
    })),
  };
}

/** How charts against load are laid out: a single level has no course to draw a line along. */
interface LoadAxis {
  readonly x: ChartAxis;
  readonly shape: "line" | "bar";
  /** Where a cell stands along the axis. */
  readonly place: (cell: Cell) => number | string;
}

/** Returns a numeric axis with a tick at every level (logarithmic where they span much), or a category for one level. */
export function loadAxis(curves: readonly Curve[]): LoadAxis {
  const loads = loadsOf(curves);
  if (loads.length === 1) return { x: loadCategories(curves), shape: "bar", place: loadCategory };
  const x = { ...namedAxis(loadName(curves), chooseScale(loads)), ticks: loads };
  return { x, shape: "line", place: ({ level }) => loadValue(level) };
}

/** Returns an axis with a category for every level, for bars; {@link loadCategory} gives the place of a cell. */
export function loadCategories(curves: readonly Curve[]): ChartAxis {
  return { label: loadName(curves), scale: "category", ticks: loadsOf(curves).map(formatCount) };
}

/** Returns the place of a cell on an axis of {@link loadCategories}. */
export function loadCategory({ level }: Cell): string {
  return formatCount(loadValue(level));
}

/** What the charts are drawn against: `connections`. */
export function loadName(curves: readonly Curve[]): string {
  return loadWords(curves.flatMap(({ cells }) => cells.map(({ level }) => level))).axis;
}

/** Returns a series for each curve of a chart against load, with a point for each cell. */
export function curveSeries(
  placed: readonly PlacedCurve[],
  shape: ChartSeries["shape"],
  point: (cell: Cell) => ChartPoint,
): readonly RowSeries[] {
  return placed.map(({ name, colorIndex, panel, cells }) => ({
    name,
    shape,
    colorIndex,
    panel,
    points: cells.map(point),
  }));
}

/** Returns a point as a search decided of its level, where that is not that it held. */
export function decidedPoint({ search = [] }: Result, { target, level }: Cell, point: ChartPoint): ChartPoint {
  const { tried = [], beyond = null } = search.find((outcome) => outcome.target === target) ?? {};
  const found = [...tried, ...(beyond === null ? [] : [beyond])].find(({ value }) => value === loadValue(level));
  return found?.decision === "broken" || found?.decision === "unclear" ? { ...point, decision: found.decision } : point;
}

/** Returns a mark at the largest load that held, for each target that a search found it of, and what marks mean; nothing of a sweep. */
export function searchMarks(
  { search = [] }: Result,
  curves: readonly Curve[],
  placed: readonly PlacedCurve[],
): { readonly marks: readonly ChartMark[]; readonly notes: NonNullable<ChartRow["notes"]> } {
  const limits = curves.flatMap(({ name, cells }, index) => {
    const outcome = search.find(({ target }) => target === cells[0]?.target);
    if (outcome === undefined || outcome.held === null || outcome.status !== "found") return [];
    return [{ name, x: outcome.held, by: outcome.by, panel: placed[index]?.panel ?? 0 }];
  });
  const alike = [...groupBy(limits, ({ panel, x }) => `${panel} ${x}`).values()];
  const marks = alike.flatMap((group) =>
    group.slice(0, 1).map(({ panel, x, by }): ChartMark => {
      const names = group.map(({ name }) => name).join(", ");
      const whose = curves.length === 1 ? describeLoad({ [by]: x }) : `${names} ${formatCount(x)}`;
      return { panel, x, label: `limit: ${whose}`, short: "limit" };
    }),
  );
  const limit = marks.length === 0 ? "" : "; limit: the largest load that held";
  return { marks, notes: search.length === 0 ? [] : [`×: did not hold${limit}`] };
}

/** Targets that a grid made, or one that stands for itself. */
export interface GridPlace {
  readonly target: string;
  /** All options of the name except one: `pool pool=8 queue=10`; of a target without a grid its name. */
  readonly group: string;
  /** The option left out: `policy=drop-head`; `undefined` of a target without a grid. */
  readonly member: string | undefined;
}

/** Targets in one panel, or bars side by side, that can still be told apart. */
const MOST_MEMBERS = 8;

/** A name as grids make them: `NAME pool=8 queue=10`. */
const GRID_NAME = /^(.*?)((?: [\w.-]+=[^\s=]+)+)$/;

/**
 * Sorts targets by the options in their names, as grids make them: those that differ in one option alone are members of a
 * group. That option is the last with 2 to 8 values. `undefined` where there is none, as without a grid.
 */
export function readTargetGrid(names: readonly string[]): readonly GridPlace[] | undefined {
  const read = names.map((target) => {
    const [, base = target, words = ""] = GRID_NAME.exec(target) ?? [];
    return { target, base, options: words.split(" ").filter((word) => word !== "") };
  });
  const labelOf = (option: string): string => option.slice(0, option.indexOf("="));
  const values = groupBy([...new Set(read.flatMap(({ options }) => options))], labelOf);
  const chosen = [...values].findLast(([, { length }]) => length >= 2 && length <= MOST_MEMBERS)?.[0];
  if (chosen === undefined) return undefined;
  return read.map(({ target, base, options }) => {
    const member = options.find((option) => labelOf(option) === chosen);
    const group = member === undefined ? target : [base, ...options.filter((option) => option !== member)].join(" ");
    return { target, group, member };
  });
}
