import { linearTicks, logTicks } from "../../src/report/charts/round-numbers.js";
import type { NumericScale } from "./chart-view.js";
import type { Range } from "./zoom-range.js";

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
