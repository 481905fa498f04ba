import { median } from "./descriptive.js";

/** Part of the largest value by which a value may be less and still be of the plateau. */
const DEPTH = 0.1;

/**
 * Returns the height of the plateau that the largest of some values form: the median of those within 10 % of the
 * largest, which by itself is the one that noise favoured most. Throws a `RangeError` for an empty list.
 */
export function plateau(values: readonly number[]): number {
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return median(values.filter((value) => value >= largest * (1 - DEPTH)));
}
