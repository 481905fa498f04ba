import { formatCount } from "../format-number.js";
import { chooseScale } from "./axis-scale.js";
import type { ChartAxis, ChartSeries } from "./chart-definition.js";
import { connectionsOf } from "./curves.js";
import type { Curve } from "./curves.js";

/** How charts against connections are laid out: a single level has no course to draw a line along. */
export interface ConnectionsAxis {
  readonly axis: ChartAxis;
  readonly shape: ChartSeries["shape"];
  readonly place: (connections: number) => number | string;
}

/** Returns a numeric axis with a tick at every level (logarithmic where they span much), or a category for one level. */
export function connectionsAxis(curves: readonly Curve[]): ConnectionsAxis {
  const connections = connectionsOf(curves);
  if (connections.length === 1) {
    return { axis: connectionsCategories(curves), shape: "bar", place: formatCount };
  }
  const scale = chooseScale(connections);
  const label = scale === "log" ? "connections (log scale)" : "connections";
  return { axis: { label, scale, ticks: connections }, shape: "line", place: (value) => value };
}

/** Returns an axis with a category for every level, for bars; `formatCount` gives the place of its connections. */
export function connectionsCategories(curves: readonly Curve[]): ChartAxis {
  return { label: "connections", scale: "category", ticks: connectionsOf(curves).map(formatCount) };
}
