import type { ChartAxis, ChartPoint, ChartSeries } from "../charts/chart-definition.js";
import { formatCount } from "../format-number.js";
import { formatFigure } from "./describe-point.js";

/** A table of more rows is nothing that anybody reads; the result that comes with the page has all that was measured. */
const MOST_ROWS = 60;

/** Of so many times as many places as its longest series has, most would be empty in a table with a column for each series. */
const MUCH_MORE = 1.5;

/** Where the points of several series lie along x. */
export interface ChartPlaces {
  readonly places: readonly { readonly x: ChartPoint["x"]; readonly words: string }[];
  /** Whether the series have most of these places in common. */
  readonly isShared: boolean;
  /** Says which places were left out; empty for none. */
  readonly left: string;
}

/** Returns the places along x where series have points: all of them, or, where these are very many, those with a tick or every so many-th. */
export function chartPlaces(axis: ChartAxis, series: readonly ChartSeries[]): ChartPlaces {
  const places = new Map<ChartPoint["x"], string>();
  for (const { x, label } of series.flatMap(({ points }) => points)) {
    if (!places.has(x)) places.set(x, label ?? tickLabel(axis, x) ?? formatFigure(x));
  }
  const all = [...places].map(([x, words]) => ({ x, words }));
  const sorted = all.every(({ x }) => typeof x === "number") ? all.toSorted((a, b) => Number(a.x) - Number(b.x)) : all;
  const longest = Math.max(0, ...series.map(({ points }) => points.length));
  return { ...thin(axis, sorted), isShared: series.length === 1 || sorted.length < MUCH_MORE * longest };
}

function tickLabel({ ticks = [], labels = [] }: ChartAxis, x: ChartPoint["x"]): string | undefined {
  return labels[ticks.indexOf(x)];
}

function thin({ ticks = [] }: ChartAxis, all: ChartPlaces["places"]): Omit<ChartPlaces, "isShared"> {
  if (all.length <= MOST_ROWS) return { places: all, left: "" };
  const isLast = (at: number): boolean => at === all.length - 1;
  const marked = all.filter(({ x }, at) => ticks.includes(x) || isLast(at));
  const count = formatCount(all.length);
  if (marked.length > 3 && marked.length <= MOST_ROWS) {
    return { places: marked, left: `Of ${count} places along the axis those with a tick are listed, and the last.` };
  }
  const every = Math.ceil(all.length / MOST_ROWS);
  return {
    places: all.filter((_, at) => at % every === 0 || isLast(at)),
    left: `Of ${count} places along the axis every ${every === 2 ? "second" : `${every}th`} is listed, and the last.`,
  };
}
