import type { ChartAxis, ChartDefinition, ChartScale, ChartSeries } from "../../src/report/charts/chart-definition.js";
import type { NumericScale, Range } from "./zoom-range.js";

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

const LOG_WORDS = /(?:, log scale(?=\))| \(log scale\))/;

/** Returns an axis with another scale, and says so in its label if it is logarithmic. */
export function withScale(axis: ChartAxis, scale: Exclude<ChartScale, "category">): ChartAxis {
  const plain = plainLabel(axis);
  if (scale === "linear") return { ...axis, scale, label: plain };
  const label = plain.endsWith(")") ? `${plain.slice(0, -1)}, log scale)` : `${plain} (log scale)`;
  return { ...axis, scale, label };
}

/** Returns the label of an axis without what it says of the scale: `latency (ms)`, `connections`. */
export function plainLabel({ label }: ChartAxis): string {
  return label.replace(LOG_WORDS, "");
}

/** Returns the unit that stands in brackets at the end of a label; else the label, which is one: `ok responses per second`. */
export function unitOf(axis: ChartAxis): string {
  const label = plainLabel(axis);
  return /\(([^()]+)\)$/.exec(label)?.[1] ?? label;
}

/** A millisecond to the microsecond, which is finer than any clock of ours. */
const TO_THE_THOUSANDTH = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SIX_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** Formats a value with the digits that may be measured: `8,533.129`, below 1 six of them: `0.184`. */
export function exactNumber(value: number): string {
  return (Math.abs(value) < 1 ? SIX_DIGITS : TO_THE_THOUSANDTH).format(value);
}
