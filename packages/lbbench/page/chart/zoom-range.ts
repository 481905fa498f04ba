import type { ChartScale } from "../../src/report/charts/chart-definition.js";
import { linearTicks, logTicks } from "../../src/report/charts/axes.js";

/** A scale that the reader can choose. */
export type NumericScale = Exclude<ChartScale, "category">;

/** Part of an axis; of a category axis the first and the last index. */
export interface Range {
  readonly min: number;
  readonly max: number;
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

/** Returns what of an axis is seen when a piece is picked, from one place along what is seen now (0 to 1) to another. */
export function pickRange(full: Range, seen: Range, a: number, b: number, scale: ChartScale): Range | undefined {
  const [start, end] = toEdges(seen, scale);
  const [from, to] = [Math.max(0, Math.min(a, b)), Math.min(1, Math.max(a, b))];
  return within(full, [start + from * (end - start), start + to * (end - start)], scale);
}

/** Returns a range that was picked before if it still is a part of the axis, which may have become another. */
export function keepRange(full: Range, kept: Range | undefined, scale: ChartScale): Range | undefined {
  if (kept === undefined) return undefined;
  const isPart = kept.min >= full.min && kept.max <= full.max && (kept.min < kept.max || scale === "category");
  const isWhole = kept.min === full.min && kept.max === full.max;
  return isPart && !isWhole ? kept : undefined;
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

/** Returns ticks for a part of an axis: those of the whole that lie in it if they are enough, else round numbers. */
export function ticksWithin(
  whole: readonly number[],
  { min, max }: Range,
  scale: NumericScale,
  most: number,
): readonly number[] {
  const isInside = (tick: number): boolean => tick >= min && tick <= max;
  const kept = whole.filter(isInside);
  if (kept.length > FEWEST) return kept;
  const round = scale === "log" && max / min >= DECADE ? logTicks(min, max).ticks.filter(isInside) : [];
  return round.length >= FEWEST ? round : roundNumbers(min, max, most);
}

function roundNumbers(min: number, max: number, most: number): readonly number[] {
  const step = linearTicks(max - min, most).ticks[1] ?? max - min;
  const [first, last] = [Math.ceil(min / step), Math.floor(max / step)];
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** A tick, and where along its axis it stands: its middle and the width of its words, in pixels. */
export interface PlacedTick {
  readonly value: number;
  readonly pixel: number;
  readonly width: number;
}

/** Leaves out ticks (rising) whose words would run into those of another; the first and the last always stay. */
export function thinTicks(ticks: readonly PlacedTick[], distance: number): readonly number[] {
  const last = ticks.at(-1);
  if (last === undefined) return [];
  const isClear = (a: PlacedTick, b: PlacedTick): boolean => b.pixel - a.pixel >= (a.width + b.width) / 2 + distance;
  const kept = ticks.slice(0, -1).reduce<readonly PlacedTick[]>((sofar, tick) => {
    const before = sofar.at(-1);
    return before === undefined || (isClear(before, tick) && isClear(tick, last)) ? [...sofar, tick] : sofar;
  }, []);
  const [first] = kept;
  const both = first === undefined || isClear(first, last) ? [...kept, last] : kept;
  return both.map(({ value }) => value);
}
