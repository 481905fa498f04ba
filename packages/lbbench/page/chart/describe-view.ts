import type { ChartAxis, ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { plainLabel } from "./axis-words.js";
import { countZeros } from "./chart-view.js";
import type { ChartView } from "./chart-view.js";
import { exactNumber } from "./exact-number.js";
import type { Range } from "./zoom-range.js";

const AXES = ["x", "y"] as const;

/** Ends of what is seen are where the reader happened to stop, so more digits would say nothing. */
const DIGITS = 3;

/** Returns which part of the axes is seen, in words: `shown: connections 46 to 260`; empty when it is all of them. */
export function describeZoom(definition: ChartDefinition, zoom: ChartView["zoom"]): string {
  const words = AXES.flatMap((axis) => {
    const range = zoom[axis];
    if (range === undefined) return [];
    const name = axis === "x" ? placeNamer(definition) : valueName;
    return [`${plainLabel(definition[axis])} ${describeEnds(range, name)}`];
  });
  return words.length === 0 ? "" : `shown: ${words.join("; ")}`;
}

/** Returns what is not drawn because a logarithmic axis has no place for it; empty when nothing is. */
export function describeZeros(definition: ChartDefinition): string {
  const zeros = definition.y.scale === "log" ? countZeros(definition) : 0;
  if (zeros === 0) return "";
  return `${zeros} ${zeros === 1 ? "value is" : "values are"} 0 and not drawn: a logarithmic axis has no place for 0.`;
}

function describeEnds({ min, max }: Range, name: (value: number) => string): string {
  return min === max ? name(min) : `${name(min)} to ${name(max)}`;
}

function valueName(value: number): string {
  return exactNumber(Number(value.toPrecision(DIGITS)));
}

function placeNamer({ x, series }: ChartDefinition): (value: number) => string {
  if (x.scale === "category") return (index) => String(x.ticks?.[index] ?? "");
  if (x.labels === undefined) return valueName;
  const places = series.flatMap(({ points }) =>
    points.flatMap((point) => (point.label === undefined ? [] : [{ at: Number(point.x), label: point.label }])),
  );
  return (value) => nearestLabel([...places, ...labelledTicks(x)], value);
}

interface NamedPlace {
  readonly at: number;
  readonly label: string;
}

function labelledTicks({ ticks = [], labels = [] }: ChartAxis): readonly NamedPlace[] {
  return ticks.map((tick, index) => ({ at: Number(tick), label: labels[index] ?? String(tick) }));
}

function nearestLabel(places: readonly NamedPlace[], value: number): string {
  const [first, ...others] = places;
  if (first === undefined) return valueName(value);
  return others.reduce((best, one) => (Math.abs(one.at - value) < Math.abs(best.at - value) ? one : best), first).label;
}
