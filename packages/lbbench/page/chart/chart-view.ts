/** What a reader chose to see of a chart: which series, on which scales, and which part of the axes. */
import { isPieceOfStack, linearTicks, logTicks } from "../../src/report/charts/axes.js";
import type { ChartAxis, ChartDefinition, ChartScale } from "../../src/report/charts/chart-definition.js";

/** A scale that the reader can choose. */
export type NumericScale = Exclude<ChartScale, "category">;

/** Part of an axis; of a category axis the first and the last index. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

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
  const onScale = (axis: ChartAxis, scale: NumericScale | undefined): ChartAxis =>
    scale === undefined ? axis : { ...axis, scale };
  return {
    ...definition,
    x: onScale(definition.x, scales.x),
    y: onScale(definition.y, scales.y),
    series: definition.series.filter(({ name }) => !hidden.has(name)),
  };
}

/** Says which axes of a chart can be both linear and logarithmic. */
export function switchableAxes({ x, y: { base }, series }: ChartDefinition): readonly ("x" | "y")[] {
  const points = series.flatMap((one) => one.points);
  const places = [...points.map((point) => point.x), ...(x.ticks ?? [])];
  // An axis with words of its own at its ticks shows something else than the numbers it is drawn by.
  const isPlain = x.scale !== "category" && x.labels === undefined;
  const hasX = isPlain && places.every((place) => typeof place === "number" && place > 0);
  // Pieces of a stack have no height of their own on a logarithmic axis, and bars that begin at a value may go below it.
  const hasY =
    base === undefined &&
    !series.some((one) => isPieceOfStack(one, series)) &&
    points.some(({ y }) => y !== null && y > 0) &&
    points.every(({ y, low = 0 }) => (y ?? 0) >= 0 && low >= 0);
  return [...(hasX ? (["x"] as const) : []), ...(hasY ? (["y"] as const) : [])];
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

/** Ends of what is seen are where the reader happened to stop, so more digits would say nothing. */
const DIGITS = 3;

/** Returns which part of the axes is seen, in words: `shown: connections 46 to 260`; empty when it is all of them. */
export function describeZoom(definition: ChartDefinition, zoom: ChartView["zoom"]): string {
  const valueName = (value: number): string => exactNumber(Number(value.toPrecision(DIGITS)));
  const words = (["x", "y"] as const).flatMap((axis) => {
    const range = zoom[axis];
    if (range === undefined) return [];
    const name = (axis === "x" ? placeNamer(definition) : undefined) ?? valueName;
    const [min, max] = [name(range.min), name(range.max)];
    return [`${definition[axis].label} ${range.min === range.max ? min : `${min} to ${max}`}`];
  });
  return words.length === 0 ? "" : `shown: ${words.join("; ")}`;
}

/** Names places of an axis whose ticks have words of their own, by the nearest tick. */
function placeNamer({ x: { scale, ticks = [], labels } }: ChartDefinition): ((value: number) => string) | undefined {
  if (scale === "category") return (index) => String(ticks[index] ?? "");
  if (labels === undefined) return undefined;
  return (value) => {
    const distances = ticks.map((tick) => Math.abs(Math.log(Number(tick) / value)));
    return labels[distances.indexOf(Math.min(...distances))] ?? "";
  };
}

/** Returns what is not drawn because a logarithmic axis has no place for it; empty when nothing is. */
export function describeZeros({ y: axis, series }: ChartDefinition): string {
  const values = series.filter(({ shape }) => shape !== "area").flatMap(({ points }) => points.map(({ y }) => y));
  const zeros = axis.scale === "log" ? values.filter((value) => value === 0).length : 0;
  if (zeros === 0) return "";
  return `${zeros} ${zeros === 1 ? "value is" : "values are"} 0 and not drawn: a logarithmic axis has no place for 0.`;
}

/** Returns the unit that stands in brackets at the end of a label; else the label, which is one: `requests/s`. */
export function unitOf({ label }: ChartAxis): string {
  return /\(([^()]+)\)$/.exec(label)?.[1] ?? label;
}

/** A millisecond to the microsecond, which is finer than any clock of ours. */
const TO_THE_THOUSANDTH = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });
const SIX_DIGITS = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });

/** Formats a value with the digits that may be measured: `8,533.129`, below 1 six of them: `0.184`. */
export function exactNumber(value: number): string {
  return (Math.abs(value) < 1 ? SIX_DIGITS : TO_THE_THOUSANDTH).format(value);
}

/** What fingers do: a place along the axis (0 to 1) moves to another, and everything around it grows by a factor. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly factor: number;
}

/** So much of the whole is the least that is shown. */
const SMALLEST_SHARE = 1e-4;

/** Returns what of an axis is seen when it is stretched; nothing when that is all of it. */
export function stretchRange(full: Range, seen: Range, stretch: Stretch, scale: ChartScale): Range | undefined {
  const [start, end] = toEdges(seen, scale);
  const span = (end - start) / stretch.factor;
  const kept = start + stretch.from * (end - start);
  const first = kept - stretch.to * span;
  return within(full, [first, first + span], scale);
}

/** Returns a range that was picked before if it still is a part of the axis, which may have become another. */
export function keepRange(full: Range, kept: Range | undefined): Range | undefined {
  return kept !== undefined && kept.min >= full.min && kept.max <= full.max ? kept : undefined;
}

type Edges = readonly [start: number, end: number];

/** Where an axis begins and ends in a measure in which equal distances look equal. */
function toEdges({ min, max }: Range, scale: ChartScale): Edges {
  if (scale === "log") return [Math.log(min), Math.log(max)];
  return scale === "category" ? [min - 0.5, max + 0.5] : [min, max];
}

function fromEdges([start, end]: Edges, scale: ChartScale): Range {
  if (scale === "log") return { min: Math.exp(start), max: Math.exp(end) };
  if (scale === "linear") return { min: start, max: end };
  const [first, last] = [Math.ceil(start), Math.floor(end)];
  const nearest = Math.round((start + end) / 2);
  return first <= last ? { min: first, max: last } : { min: nearest, max: nearest };
}

function within(full: Range, [start, end]: Edges, scale: ChartScale): Range | undefined {
  const [first, last] = toEdges(full, scale);
  const whole = last - first;
  const span = Math.max(end - start, whole * SMALLEST_SHARE);
  if (span >= whole * (1 - SMALLEST_SHARE)) return undefined;
  const from = Math.min(Math.max(start, first), last - span);
  return fromEdges([from, from + span], scale);
}

/** Fewer ticks than this do not say where on an axis one is. */
const FEWEST = 2;

/** Over less than this a logarithmic axis hardly differs from a linear one, and has too few ticks of its own. */
const DECADE = 10;

/** Returns ticks for a part of an axis: those of the whole that lie in it (`inside`) if they are enough, else round numbers. */
export function ticksWithin(
  inside: readonly number[],
  { min, max }: Range,
  scale: NumericScale,
  most: number,
): readonly number[] {
  if (inside.length > FEWEST) return inside;
  const decades = scale === "log" && max / min >= DECADE ? logTicks(min, max).ticks : [];
  const round = decades.filter((tick) => tick >= min && tick <= max);
  if (round.length >= FEWEST) return round;
  const step = linearTicks(max - min, most).ticks[1] ?? max - min;
  const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}
