import { binomialCoefficient } from "./binomial.js";
import { mean } from "./descriptive.js";
import { subsetSums } from "./subset-sums.js";

/** Returns the mean of `other` less the mean of `reference`. Throws a `RangeError` when one is empty. */
export function meanDifference(reference: readonly number[], other: readonly number[]): number {
  return mean(other) - mean(reference);
}

/**
 * Returns the two-sided p-value of the difference of means by Fisher's exact permutation test: the share of all ways of
 * dealing the values to two sides of these sizes whose means differ at least as much as they do here (Good,
 * "Permutation, Parametric, and Bootstrap Tests of Hypotheses", 3rd edition, section 3.1).
 *
 * The ways are counted and not tried: every sum of some values is one of the first half of them and one of the second
 * (Horowitz and Sahni, "Computing Partitions with Applications to the Knapsack Problem", Journal of the ACM 21, 1974). 9
 * against 9 values take 1024 sums for 48 620 ways.
 */
export function permutationTest(reference: readonly number[], other: readonly number[]): number {
  const pooled = [...reference, ...other];
  const side = reference.length <= other.length ? reference : other;
  const dealt = side.length;
  const expected = mean(pooled) * dealt;
  // Sums of the same values in another order differ in the last bits; equal outcomes have to count as equal.
  const rounding = 1e-12 * pooled.reduce((total, value) => total + Math.abs(value), 0);
  const observed = Math.abs(side.reduce((total, value) => total + value, 0) - expected) - rounding;
  if (observed <= 0) return 1;
  const middle = Math.ceil(pooled.length / 2);
  const [first, second] = [subsetSums(pooled.slice(0, middle), dealt), subsetSums(pooled.slice(middle), dealt)];
  const extreme = first.reduce((count, sums, size) => {
    const rest = second[dealt - size];
    return rest === undefined
      ? count
      : count + countFrom(expected + observed, sums, rest) + countUpTo(expected - observed, sums, rest);
  }, 0);
  return extreme / binomialCoefficient(pooled.length, dealt);
}

/** In how many ways one of each list, both ascending, add up to a sum or more. */
function countFrom(least: number, some: Float64Array, others: Float64Array): number {
  let start = others.length;
  return some.reduce((count, value) => {
    while (start > 0 && value + (others[start - 1] as number) >= least) start -= 1;
    return count + others.length - start;
  }, 0);
}

/** In how many ways one of each list, both ascending, add up to a sum or less. */
function countUpTo(most: number, some: Float64Array, others: Float64Array): number {
  let end = others.length;
  return some.reduce((count, value) => {
    while (end > 0 && value + (others[end - 1] as number) > most) end -= 1;
    return count + end;
  }, 0);
}
