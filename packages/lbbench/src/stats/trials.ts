import { medianInterval } from "./spread.js";
import { mean, median, range, standardDeviation, type Range } from "./descriptive.js";
import { normalTwoSidedTail } from "./distributions.js";

/** Probability of saying that there is a difference where there is none. */
export const SIGNIFICANCE = 0.05;

/** A figure of each trial. */
export type Values = readonly number[];

/** What several trials of the same thing gave. */
interface TrialsSummary extends Range {
  readonly median: number;
  readonly n: number;
  /**
   * What `low` and `high` are: the interval that contains the true median with 95 % confidence (from 6 trials), or, of
   * fewer trials, which cannot give such an interval, the smallest and the largest.
   */
  readonly interval: "confidence95" | "range";
}

/** How fast the probability of a false alarm is spent when trials are looked at several times: so that the first look can tell something. */
const SPENDING = 0.35;

/**
 * Returns the probability of a false alarm that is left for a look at some trials, where the trials are looked at after each of `looks`, so
 * that over all looks it stays what it is for one: 0.05 x (part of all trials) ^ 0.35 less what earlier looks have spent (Lan and DeMets,
 * "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983; the family of Kim and DeMets, Biometrika 74, 1987).
 */
export function significanceAt(trials: number, looks: readonly number[]): number {
  const next = looks.findIndex((look) => look >= trials);
  const at = Math.max(0, next);
  const spentBy = (look: number | undefined): number =>
    look === undefined ? 0 : SIGNIFICANCE * (look / (looks.at(-1) ?? look)) ** SPENDING;
  return spentBy(looks[at]) - spentBy(looks[at - 1]);
}

/** How the trials of one thing compare with those of another. */
export interface TrialsComparison {
  /** Two-sided; `null` when there are too few trials for any outcome to be significant. */
  readonly pValue: number | null;
  /** `~`: no difference that could be told from noise. */
  readonly verdict: "higher" | "lower" | "~";
}

/**
 * Summarizes trials by their median and an interval, from 6 trials on `medianInterval`. Throws a `RangeError` for an empty list.
 */
export function summarizeTrials(values: readonly number[]): TrialsSummary {
  const interval = medianInterval(values);
  return {
    median: median(values),
    ...(interval ?? range(values)),
    n: values.length,
    interval: interval === undefined ? "range" : "confidence95",
  };
}

/**
 * Says whether `other` is higher or lower than `reference`, trial by trial independent, by Fisher's permutation test of the difference
 * of means. Too few trials for significance (3 against 3) give `~` without a p-value. Throws a `RangeError` when one side is empty.
 */
export function compareTrials(reference: Values, other: Values, significance = SIGNIFICANCE): TrialsComparison {
  const isEnough = smallestPValue(reference.length, other.length) !== null;
  const pValue = isEnough ? permutationTest(reference, other) : null;
  return { pValue, verdict: judgeDifference(reference, other, pValue, significance) };
}

/**
 * Says which side is higher, given a p-value (that may have been corrected for several comparisons). `~` also when
 * means and medians point in opposite directions. Throws a `RangeError` when one side is empty.
 */
export function judgeDifference(
  reference: Values,
  other: Values,
  pValue: number | null,
  significance = SIGNIFICANCE,
): TrialsComparison["verdict"] {
  const [ofMeans, ofMedians] = [mean(other) - mean(reference), median(other) - median(reference)];
  if (pValue === null || pValue > significance || ofMeans * ofMedians <= 0) return "~";
  return ofMeans > 0 ? "higher" : "lower";
}

/**
 * Puts the ranks of the values of two sides in their place, 1 for the lowest of all; equal ones share the mean of their ranks. A test of
 * these is of order alone, which is all that is known of `Infinity` (Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods",
 * 3rd edition, section 4.1).
 */
export function rankSides(reference: Values, other: Values): readonly [reference: Values, other: Values] {
  const all = [...reference, ...other];
  const rank = (value: number): number =>
    all.filter((one) => one < value).length + (all.filter((one) => one === value).length + 1) / 2;
  return [reference.map(rank), other.map(rank)];
}

/** Whether the flipping of signs of so many matched trials can show a difference: of 6 and more, by the usual significance. */
export function canFlip(trials: number, significance = SIGNIFICANCE): boolean {
  return 2 ** (1 - trials) <= significance;
}

/**
 * Says whether `other` is higher or lower than `reference`, where the trials of both were made in turn: what is alike in a pair of them,
 * such as a drift of the machine, does not count. By {@link flipSigns} of the differences; of too few trials for that ({@link canFlip}) as
 * {@link compareTrials}. Both are of the same length, and in the same order.
 */
export function compareMatched(reference: Values, other: Values, significance = SIGNIFICANCE): TrialsComparison {
  if (!canFlip(reference.length, significance)) return compareTrials(reference, other, significance);
  const differences = other.map((value, index) => value - (reference[index] as number));
  const [pValue, none] = [flipSigns(differences), differences.map(() => 0)];
  return { pValue, verdict: judgeDifference(none, differences, pValue, significance) };
}

/** Of the sum of all differences: to this part of it each is rounded. */
const ROUNDED_TO = 2 ** -13;

/**
 * Returns the share of all ways to flip the signs of some differences that make their sum as large or larger, of either sign (Good,
 * "Permutation, Parametric, and Bootstrap Tests of Hypotheses", 3rd edition, section 3.2). As the ways are counted by their sums and
 * not tried, this takes 4,096 additions for each difference at the most. A test of rounded values has the same rate of false alarms.
 */
export function flipSigns(differences: readonly number[]): number {
  const unit = ROUNDED_TO * differences.reduce((sum, value) => sum + Math.abs(value), 0);
  if (unit === 0) return 1;
  const sumOf = (sign: number): number =>
    differences.reduce((sum, value) => sum + (value * sign > 0 ? Math.round(Math.abs(value) / unit) : 0), 0);
  // An outcome is as far from 0 if the differences against the rest add up to no more than here.
  const against = Math.min(sumOf(1), sumOf(-1));
  const shareOf = new Float64Array(against + 1);
  shareOf[0] = 1;
  for (const value of differences) {
    const size = Math.round(Math.abs(value) / unit);
    for (let sum = against; sum >= 0; sum -= 1) {
      shareOf[sum] = ((shareOf[sum] as number) + (shareOf[sum - size] ?? 0)) / 2;
    }
  }
  return Math.min(1, 2 * shareOf.reduce((sum, share) => sum + share, 0));
}

/** More ways than this are not counted; 9 against 9 trials have 48 620. */
const EXACT_WAYS = 50_000;

/**
 * Returns the two-sided p-value of the difference of means by Fisher's permutation test: the share of all ways of
 * dealing the values to two sides of these sizes whose means differ at least as much as they do here (Good,
 * "Permutation, Parametric, and Bootstrap Tests of Hypotheses", 3rd edition, section 3.1). Of more than 50 000 ways the normal
 * approximation of their distribution (section 3.2.2 there).
 *
 * The ways are counted and not tried: every sum of some values is one of the first half of them and one of the second
 * (Horowitz and Sahni, "Computing Partitions with Applications to the Knapsack Problem", Journal of the ACM 21, 1974). 9
 * against 9 values take 1024 sums.
 */
export function permutationTest(reference: Values, other: Values, exactWays = EXACT_WAYS): number {
  const pooled = [...reference, ...other];
  const side = reference.length <= other.length ? reference : other;
  const [all, dealt] = [pooled.length, side.length];
  const center = mean(pooled);
  // Sums of the same values in another order differ in the last bits; equal outcomes have to count as equal.
  const rounding = 1e-12 * pooled.reduce((total, value) => total + Math.abs(value), 0);
  const observed = Math.abs(side.reduce((total, value) => total + value, 0) - center * dealt) - rounding;
  if (observed <= 0) return 1;
  const ways = binomialCoefficient(all, dealt);
  if (ways > exactWays) {
    const squares = pooled.reduce((total, value) => total + (value - center) ** 2, 0);
    return normalTwoSidedTail(observed / Math.sqrt((dealt * (all - dealt) * squares) / (all * (all - 1))));
  }
  const middle = Math.ceil(all / 2);
  const [first, second] = [subsetSums(pooled.slice(0, middle), dealt), subsetSums(pooled.slice(middle), dealt)];
  const [upTo, from] = [center * dealt - observed, center * dealt + observed];
  const extreme = first.reduce(
    (count, sums, size) => count + countOutside(upTo, from, sums, second[dealt - size] ?? NO_SUMS),
    0,
  );
  return extreme / ways;
}

const NO_SUMS = new Float64Array();

/** In how many ways one of each list, both ascending, add up to `upTo` or less, or to `from` or more. */
function countOutside(upTo: number, from: number, some: Float64Array, others: Float64Array): number {
  let [few, many, count] = [others.length, others.length, 0];
  for (const value of some) {
    while (few > 0 && value + (others[few - 1] as number) > upTo) few -= 1;
    while (many > 0 && value + (others[many - 1] as number) >= from) many -= 1;
    count += few + others.length - many;
  }
  return count;
}

/** Sums of all subsets of some values, ascending, in a list for each number of values that are added. */
function subsetSums(values: readonly number[], mostAdded: number): readonly Float64Array[] {
  let sums: readonly Float64Array[] = [Float64Array.of(0)];
  for (const value of values) {
    const before = sums;
    sums = Array.from({ length: Math.min(before.length, mostAdded) + 1 }, (_, size) =>
      mergeSums(before[size] ?? NO_SUMS, before[size - 1] ?? NO_SUMS, value),
    );
  }
  return sums;
}

/** Merges two ascending lists, after a value was added to all of the second. */
function mergeSums(some: Float64Array, others: Float64Array, added: number): Float64Array {
  const merged = new Float64Array(some.length + others.length);
  let [next, nextOther] = [0, 0];
  for (let at = 0; at < merged.length; at += 1) {
    const [one, other] = [some[next] ?? Infinity, (others[nextOther] ?? Infinity) + added];
    if (one <= other) next += 1;
    else nextOther += 1;
    merged[at] = Math.min(one, other);
  }
  return merged;
}

/** In how many ways `k` of `n` things can be chosen; a float beyond 2^53. */
export function binomialCoefficient(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i += 1) {
    ways = (ways * (n - Math.min(k, n - k) + i)) / i;
  }
  return Math.round(ways);
}

/**
 * Corrects p-values for being several (Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
 * Journal of Statistics 6, 1979), so that the probability of any false alarm among them stays what it is for one.
 * Same order as given; `null` (no test was possible) stays `null` and does not count.
 */
export function adjustHolm(pValues: readonly (number | null)[]): readonly (number | null)[] {
  const tests = pValues
    .flatMap((pValue, index) => (pValue === null ? [] : [{ pValue, index }]))
    .toSorted((a, b) => a.pValue - b.pValue);
  const adjusted: (number | null)[] = pValues.map(() => null);
  let floor = 0;
  for (const [position, { pValue, index }] of tests.entries()) {
    floor = Math.max(floor, Math.min(1, pValue * (tests.length - position)));
    adjusted[index] = floor;
  }
  return adjusted;
}

/**
 * Returns the p-value of the clearest outcome that so many trials can have, one side wholly above the other; `null` where
 * not even that is significant by itself.
 */
export function smallestPValue(reference: number, other: number): number | null {
  // That outcome and its mirror image are two of the ways.
  const pValue = 2 / binomialCoefficient(reference + other, reference);
  return pValue > SIGNIFICANCE ? null : pValue;
}

/**
 * Returns the fewest trials on each side with which a difference can be significant when so many comparisons are made at
 * once, corrected by Holm's method: 4 for one, 5 for two to six, 6 for up to 23, 7 for up to 85.
 */
export function trialsNeeded(comparisons: number, significance = SIGNIFICANCE): number {
  let trials = 2;
  while ((smallestPValue(trials, trials) ?? 1) * comparisons > significance) trials += 1;
  return trials;
}

/** How probable it is to be that a difference is told, where trials are planned for it. */
const POWER = 0.8;

/** More trials than this are not practical. */
const MOST_PLANNED = 1000;

/**
 * Returns about how many trials on each side would tell two sides apart, four times in five, if they differ as they seem to: by the normal
 * approximation (Chow, Shao and Wang, "Sample Size Calculations in Clinical Research", 2nd edition, section 3.2.1), with a significance that is
 * divided by the number of comparisons. `undefined` for more than 1,000, and of sides of one mean.
 */
export function trialsToTell(reference: Values, other: Values, comparisons: number): number | undefined {
  const apart = Math.abs(mean(other) - mean(reference));
  const variances = standardDeviation(reference) ** 2 + standardDeviation(other) ** 2;
  const reach = normalQuantile(SIGNIFICANCE / comparisons) + normalQuantile(2 * (1 - POWER));
  const trials = Math.ceil((reach ** 2 * variances) / apart ** 2);
  return trials <= MOST_PLANNED ? Math.max(trials, trialsNeeded(comparisons)) : undefined;
}

/** What a standard normal variable exceeds in absolute value with this probability. */
function normalQuantile(tail: number): number {
  let [low, high] = [0, 10];
  for (let halving = 0; halving < 50; halving += 1) {
    const middle = (low + high) / 2;
    if (normalTwoSidedTail(middle) > tail) low = middle;
    else high = middle;
  }
  return low;
}
