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
