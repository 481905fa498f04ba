import type { ChartDefinition, ChartScale, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { withScale } from "./axis-words.js";
import type { Range } from "./zoom-range.js";

/** A scale that the reader can choose. */
export type NumericScale = Exclude<ChartScale, "category">;

/** What a reader chose for a chart; absent: as the chart is defined. */
export interface ChartView {
  /** Names of series that are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly scales: { readonly x?: NumericScale; readonly y?: NumericScale };
  readonly zoom: { readonly x?: Range; readonly y?: Range };
}

/** A chart as it is defined. */
export const WHOLE_VIEW: ChartView = { hidden: new Set(), scales: {}, zoom: {} };

/** Returns a definition as the reader wants to see it: without what is hidden, on the scales that were chosen. */
export function applyView(definition: ChartDefinition, { hidden, scales }: ChartView): ChartDefinition {
  const { x, y } = definition;
  return {
    ...definition,
    x: scales.x === undefined ? x : withScale(x, scales.x),
    y: scales.y === undefined ? y : withScale(y, scales.y),
    series: definition.series.filter(({ name }) => !hidden.has(name)),
  };
}

/** Says which axes of a chart can be both linear and logarithmic. */
export function switchableAxes(definition: ChartDefinition): readonly ("x" | "y")[] {
  const points = definition.series.flatMap((one) => one.points);
  const places = [...points.map((point) => point.x), ...(definition.x.ticks ?? [])];
  const { x } = definition;
  // An axis with words of its own at its ticks shows something else than the numbers it is drawn by.
  const isPlain = x.scale !== "category" && x.labels === undefined;
  const hasX = isPlain && places.every((place) => typeof place === "number" && place > 0);
  // Pieces of a stack have no height of their own on a logarithmic axis, and bars that begin at a value may go below it.
  const hasY =
    definition.y.base === undefined &&
    !isStacked(definition.series) &&
    points.some(({ y }) => y !== null && y > 0) &&
    points.every(({ y, low = 0 }) => (y ?? 0) >= 0 && low >= 0);
  return [...(hasX ? (["x"] as const) : []), ...(hasY ? (["y"] as const) : [])];
}

/** Counts the values that have no place on a logarithmic axis. */
export function countZeros({ series }: ChartDefinition): number {
  return series.flatMap(({ shape, points }) => (shape === "area" ? [] : points.filter(({ y }) => y === 0))).length;
}

/** Returns what is hidden after a name was pressed: that name too, or no longer. */
export function toggleName(hidden: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(hidden);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** Returns what is hidden when only one name is wanted; nothing when it is the only one already. */
export function onlyName(names: readonly string[], hidden: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const others = names.filter((one) => one !== name);
  const isOnly = !hidden.has(name) && others.every((one) => hidden.has(one));
  return new Set(isOnly ? [] : others);
}

function isStacked(series: readonly ChartSeries[]): boolean {
  const stacks = series.flatMap(({ stack, panel, name }) =>
    stack === undefined ? [] : [{ key: JSON.stringify([panel, stack]), name }],
  );
  return new Set(stacks.map(({ key }) => key)).size < stacks.length;
}
