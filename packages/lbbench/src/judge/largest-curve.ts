import type { Level } from "../model/level.js";
import { groupBy } from "../stats/group-by.js";

/**
 * Returns, of steps (or what else has a level) of one target, those of the same amount, the one with the most requests or the
 * longest time: levels of different amounts, the rows of a matrix, are curves of their own.
 */
export function largestCurve<T extends { readonly level: Level }>(items: readonly T[]): readonly T[] {
  const curves = [...groupBy(items, ({ level }) => JSON.stringify([level.requests, level.durationMs])).values()];
  const amount = ([first]: readonly T[]): number => first?.level.requests ?? first?.level.durationMs ?? 0;
  return curves.toSorted((a, b) => amount(b) - amount(a))[0] ?? [];
}
