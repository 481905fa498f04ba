import { loadWords } from "../describe-level.js";
import { formatCount } from "../format-number.js";
import { chooseScale } from "./axis-scale.js";
import type { ChartAxis, ChartSeries } from "./chart-definition.js";
import { loadsOf, type Curve } from "./curves.js";

/** How charts against load are laid out: a single level has no course to draw a line along. */
export interface LoadAxis {
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
  const name = loadName(curves);
  const label = scale === "log" ? `${name} (log scale)` : name;
  return { axis: { label, scale, ticks: loads }, shape: "line", place: (value) => value };
}

/** Returns an axis with a category for every level, for bars; `formatCount` gives the place of its load. */
export function loadCategories(curves: readonly Curve[]): ChartAxis {
  return { label: loadName(curves), scale: "category", ticks: loadsOf(curves).map(formatCount) };
}

/** What the charts are drawn against: `connections`. */
export function loadName(curves: readonly Curve[]): string {
  return loadWords(curves.flatMap(({ cells }) => cells.map(({ level }) => level))).axis;
}
