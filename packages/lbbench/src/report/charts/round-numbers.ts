/** Numbers people like on an axis: 1, 2 and 5 times powers of ten. */
const MANTISSAS = [1, 2, 5] as const;
/** Over more decades than this, 2 and 5 would crowd a logarithmic axis. */
const DECADES_WITH_MANTISSAS = 3;

/** A value axis: its ends, and where its ticks are. */
export interface ValueTicks {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** Returns round ticks from 0 to at least `largest`, with at most `most` steps; 0 to 1 when everything is 0. */
export function linearTicks(largest: number, most: number): ValueTicks {
  const goal = largest > 0 ? largest : 1;
  const magnitude = 10 ** Math.floor(Math.log10(goal / most));
  const step = magnitude * ([1, 2, 2.5, 5, 10].find((mantissa) => mantissa * magnitude * most >= goal) ?? 10);
  const steps = Math.ceil(roundOff(goal / step));
  const ticks = Array.from({ length: steps + 1 }, (_, index) => roundOff(index * step));
  return { min: 0, max: roundOff(steps * step), ticks };
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
  return { min, max, ticks };
}

function isPowerOfTen(value: number): boolean {
  return Number.isInteger(roundOff(Math.log10(value)));
}

/** Takes away what binary arithmetic leaves behind: 0.30000000000000004 becomes 0.3. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}
