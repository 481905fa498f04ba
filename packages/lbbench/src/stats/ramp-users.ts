import type { Ramp } from "../model/scenario.js";
import { rampStartsUs } from "./ramp-starts.js";

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
