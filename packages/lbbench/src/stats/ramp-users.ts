import type { Ramp } from "../model/scenario.js";

const MS_TO_US = 1000;

/**
 * Returns when each user of a ramp comes, in microseconds from the start, in order.
 *
 * `from` users are there at 0. Of the n = `users` - `from` others, number k (from 1) comes at k / n of the rise, so that the
 * last comes at its end. In s steps it comes at the end of step ceil(k * s / n): a step has floor(n / s) users or one more, and
 * all together have n. (Without steps every user is a step of its own.) A ramp of n + 1 users, one more every second, rises
 * in n seconds.
 */
export function rampStartsUs(users: number, { from, riseMs, steps }: Ramp): readonly number[] {
  const others = Math.max(0, users - from);
  const parts = steps ?? others;
  const riseUs = riseMs * MS_TO_US;
  return Array.from({ length: users }, (_, index) => {
    const number = index - from + 1;
    return number <= 0 ? 0 : (Math.ceil((number * parts) / others) * riseUs) / parts;
  });
}

/** How many users of a ramp there are; times are in ms from its start. */
export interface RampUsers {
  /** That have come by then. */
  readonly at: (ms: number) => number;
  /** On average between two moments. */
  readonly mean: (fromMs: number, toMs: number) => number;
}

/** Returns how many users of a ramp to `users` there are when. */
export function rampUsers(users: number, ramp: Ramp): RampUsers {
  const starts = rampStartsUs(users, ramp).map((startUs) => startUs / 1000);
  const sums = [0];
  for (const start of starts) sums.push((sums.at(-1) ?? 0) + start);
  const at = (ms: number): number => countUpTo(starts, ms);
  /** Time that all who have come by then were there, together. */
  const presentMs = (ms: number): number => at(ms) * ms - (sums[at(ms)] ?? 0);
  return { at, mean: (fromMs, toMs) => (presentMs(toMs) - presentMs(fromMs)) / (toMs - fromMs) };
}

/** How many of some rising numbers are at most so much. */
function countUpTo(rising: readonly number[], most: number): number {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rising[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
