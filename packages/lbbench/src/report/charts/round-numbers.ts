/** Numbers people like on an axis: 1, 2 and 5 times powers of ten. */
const MANTISSAS = [1, 2, 5] as const;
/** Over more decades than this, 2 and 5 would crowd a logarithmic axis. */
const DECADES_WITH_MANTISSAS = 3;

/** Times a power of ten at which there is room for a tick beside it. */
const CLEAR_OF_A_POWER = 5;

/** A value axis: its ends, and where its ticks are. */
export interface ValueTicks {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/**
 * Returns round ticks from 0 to at least `largest`, with at most `most` steps; 0 to 1 when everything is 0. Where `smallest`
 * is below 0 they begin there, with one at 0 and at most one step more.
 */
export function linearTicks(largest: number, most: number, smallest = 0): ValueTicks {
  const [top, bottom] = [Math.max(0, largest), Math.min(0, smallest)];
  const goal = top - bottom > 0 ? top - bottom : 1;
  const magnitude = 10 ** Math.floor(Math.log10(goal / most));
  const step = magnitude * ([1, 2, 2.5, 5, 10].find((mantissa) => mantissa * magnitude * most >= goal) ?? 10);
  const below = Math.ceil(roundOff(-bottom / step));
  const above = Math.ceil(roundOff((bottom < 0 ? top : goal) / step));
  const ticks = Array.from({ length: below + above + 1 }, (_, index) => roundOff((index - below) * step));
  return { min: below === 0 ? 0 : roundOff(-below * step), max: roundOff(above * step), ticks };
}

/** Returns ticks at 1, 2 and 5 times powers of ten (or powers alone) that enclose two positive numbers. */
export function logTicks(smallest: number, largest: number): ValueTicks {
  const first = Math.floor(Math.log10(smallest));
  const last = Math.ceil(Math.log10(largest));
  const candidates = Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)).flatMap((power) =>
    MANTISSAS.map((mantissa) => roundOff(mantissa * power)),
  );
  const min = candidates.findLast((tick) => tick <= smallest) ?? smallest;
  const max = candidates.find((tick) => tick >= largest) ?? largest;
  const isWide = Math.log10(max / min) > DECADES_WITH_MANTISSAS;
  const ticks = candidates.filter((tick) => tick >= min && tick <= max && (!isWide || isPowerOfTen(tick)));
  return { min, max, ticks: isWide ? withEnds(min, ticks, max) : ticks };
}

/** Adds the ends, unless the next power of ten is too close for both to be written beside the axis. */
function withEnds(min: number, ticks: readonly number[], max: number): readonly number[] {
  const [first = max, last = min] = [ticks[0], ticks.at(-1)];
  return [
    ...(first >= min * CLEAR_OF_A_POWER ? [min] : []),
    ...ticks,
    ...(last * CLEAR_OF_A_POWER <= max ? [max] : []),
  ];
}

function isPowerOfTen(value: number): boolean {
  return Number.isInteger(roundOff(Math.log10(value)));
}

/** Takes away what binary arithmetic leaves behind: 0.30000000000000004 becomes 0.3. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}
