import { mean } from "./descriptive.js";

/** Returns the mean of `other` less the mean of `reference`. Throws a `RangeError` when one is empty. */
export function meanDifference(reference: readonly number[], other: readonly number[]): number {
  return mean(other) - mean(reference);
}

/**
 * Returns the two-sided p-value of the difference of means by Fisher's exact permutation test: the share of all ways of
 * dealing the values to two sides of these sizes whose means differ at least as much as they do here (Good,
 * "Permutation, Parametric, and Bootstrap Tests of Hypotheses", 3rd edition, section 3.1). Tries every way, so keep n
 * small.
 */
export function permutationTest(reference: readonly number[], other: readonly number[]): number {
  const pooled = [...reference, ...other];
  const expected = mean(pooled) * reference.length;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  // Sums of the same values in another order differ in the last bits; equal outcomes have to count as equal.
  const rounding = 1e-12 * pooled.reduce((total, value) => total + Math.abs(value), 0);
  const observed = Math.abs(sum(reference) - expected) - rounding;
  let ways = 0;
  let extreme = 0;
  const deal = (from: number, missing: number, total: number): void => {
    if (missing === 0) {
      ways += 1;
      extreme += Math.abs(total - expected) >= observed ? 1 : 0;
      return;
    }
    for (let index = from; index <= pooled.length - missing; index += 1) {
      deal(index + 1, missing - 1, total + (pooled[index] as number));
    }
  };
  deal(0, reference.length, 0);
  return extreme / ways;
}
