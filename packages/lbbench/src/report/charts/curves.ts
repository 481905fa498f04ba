/** What a chart against load is drawn of: a curve for each target, where it stands, and the axis below. */
import { largestCurve } from "../../judge/load-response.js";
import type { Result } from "../../model/result.js";
import { findOutliers } from "../../stats/bootstrap.js";
import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { summarizeTrials } from "../../stats/trials.js";
import { type Cell, collectCells } from "../cells.js";
import { describeAmount, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import type { ChartAxis, ChartPoint, ChartSeries } from "./chart-definition.js";
import { readTargetGrid } from "./target-grid.js";
import { chooseScale, namedAxis } from "./axes.js";

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
  const hasSeveralAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  const groups = groupBy(cells, ({ target, level }) => JSON.stringify([target, describeAmount(level)]));
  return [...groups.values()].flatMap((group, colorIndex) => {
    const [first] = group;
    if (first === undefined) {
      return [];
    }
    const name = hasSeveralAmounts ? `${first.target}, ${describeAmount(first.level)}` : first.target;
    return [{ name, colorIndex, cells: group.toSorted((a, b) => loadValue(a.level) - loadValue(b.level)) }];
  });
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
  const amounts = distinctAmounts([...largest].map(({ level }) => level));
  return { curves, part: curves.length < all.length ? `with ${amounts.join(" or ")}` : "" };
}

/**
 * Makes a point of the values of all trials: their median, with a whisker for several, and the outliers among them; a gap when
 * there is none.
 */
export function trialPoint(x: ChartPoint["x"], values: readonly number[]): ChartPoint {
  if (values.length === 0) {
    return { x, y: null };
  }
  const { median, low, high, n } = summarizeTrials(values);
  const outliers = findOutliers(values).flatMap((index) => values[index] ?? []);
  return {
    x,
    y: median,
    ...(n > 1 ? { low, high } : {}),
    ...(outliers.length > 0 ? { outliers } : {}),
  };
}

/** Lines in one panel that can still be told apart. */
const MOST_IN_ONE_PANEL = 8;

/** In how many panels curves are drawn, and where each of them is. */
export interface CurvePanels {
  /** A single one with an empty title where all are in one. */
  readonly panels: readonly string[];
  /** In the order of the curves. */
  readonly places: readonly CurvePlace[];
}

/** Where a curve is drawn, and by what it is told from others there. */
export interface CurvePlace {
  readonly panel: number;
  /** In the legend. */
  readonly name: string;
  readonly colorIndex: number;
}

/**
 * Spreads curves over panels: of a matrix with several targets one for each target, its amounts told apart by colour; of more than
 * 8 targets from a grid one for each group of them; of other lists of targets beyond 8 one for each 6 of them; else a single one.
 */
export function curvePanels(curves: readonly Curve[]): CurvePanels {
  const targets = [...new Set(curves.map(targetOf))];
  const amounts = distinctAmounts(curves.flatMap(({ cells }) => cells.map(({ level }) => level)));
  if (amounts.length > 1 && targets.length > 1) {
    const places = curves.map((curve) => ({ panel: targetOf(curve), name: amountOf(curve) }));
    return spread(places, targets, amounts);
  }
  if (curves.length <= MOST_IN_ONE_PANEL) {
    return { panels: [""], places: curves.map(({ name, colorIndex }) => ({ panel: 0, name, colorIndex })) };
  }
  const grid = amounts.length > 1 ? undefined : readTargetGrid(targets);
  return grid === undefined ? chunk(curves) : spreadGrid(grid);
}

function spreadGrid(grid: NonNullable<ReturnType<typeof readTargetGrid>>): CurvePanels {
  const places = grid.map(({ group, member }) => ({ panel: group, name: member ?? ALONE }));
  return spread(places, distinct(places.map(({ panel }) => panel)), distinct(places.map(({ name }) => name)));
}

/** The entry of the legend for a target that a panel is named after. */
const ALONE = "as named above the panel";

/** Lines in a panel where several are needed anyhow. */
const MANY_IN_A_PANEL = 6;

function chunk(curves: readonly Curve[]): CurvePanels {
  const count = Math.ceil(curves.length / MANY_IN_A_PANEL);
  const size = Math.ceil(curves.length / count);
  const places = curves.map(({ name, colorIndex }, index) => ({ panel: Math.floor(index / size), name, colorIndex }));
  return {
    panels: Array.from({ length: count }, (_, panel) => {
      const [first, last] = [panel * size + 1, Math.min(curves.length, (panel + 1) * size)];
      return `${first} to ${last} of ${curves.length}`;
    }),
    places,
  };
}

function spread(
  places: readonly { readonly panel: string; readonly name: string }[],
  panels: readonly string[],
  names: readonly string[],
): CurvePanels {
  return {
    panels,
    places: places.map(({ panel, name }) => ({ panel: panels.indexOf(panel), name, colorIndex: names.indexOf(name) })),
  };
}

function targetOf({ cells }: Curve): string {
  return cells[0]?.target ?? "";
}

function amountOf({ cells: [first] }: Curve): string {
  return first === undefined ? "" : describeAmount(first.level);
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

/** Where the names of curves stand that have a panel each. */
interface PanelTitles {
  readonly panels: readonly string[];
  /** Puts the name of an only curve before what the chart is about. */
  readonly about: (text: string) => string;
}

/** Returns a panel with a title for each name; of a single one the name goes into the subtitle, where there is room. */
export function panelPerCurve(names: readonly string[]): PanelTitles {
  const [only] = names;
  return names.length === 1 && only !== undefined
    ? { panels: [""], about: (text) => `${only} · ${text}` }
    : { panels: names, about: (text) => text };
}

/** How charts against load are laid out: a single level has no course to draw a line along. */
interface LoadAxis {
  readonly axis: ChartAxis;
  readonly shape: ChartSeries["shape"];
  readonly place: (load: number) => number | string;
}

/** Returns a numeric axis with a tick at every level (logarithmic where they span much), or a category for one level. */
export function loadAxis(curves: readonly Curve[]): LoadAxis {
  const loads = loadsOf(curves);
  if (loads.length === 1) {
    return { axis: loadCategories(curves), shape: "bar", place: formatCount };
  }
  const scale = chooseScale(loads);
  const axis = { ...namedAxis(loadName(curves), scale), ticks: loads };
  return { axis, shape: "line", place: (value) => value };
}

/** Returns an axis with a category for every level, for bars; `formatCount` gives the place of its load. */
export function loadCategories(curves: readonly Curve[]): ChartAxis {
  return { label: loadName(curves), scale: "category", ticks: loadsOf(curves).map(formatCount) };
}

/** What the charts are drawn against: `connections`. */
export function loadName(curves: readonly Curve[]): string {
  return loadWords(curves.flatMap(({ cells }) => cells.map(({ level }) => level))).axis;
}
