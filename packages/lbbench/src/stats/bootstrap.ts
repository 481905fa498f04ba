import { quantile, median } from "./descriptive.js";
import type { Range } from "./descriptive.js";
import { normalTwoSidedTail, studentQuantile } from "./distributions.js";
import { seededRandom } from "./seeded-random.js";

/** How an interval is drawn. */
export interface BootstrapOptions {
  /** Part of all intervals, between 0 and 1, that contain the true value; 0.95 by default. */
  readonly confidence?: number;
  /** How often trials are drawn anew; 2000 by default, which leaves an end uncertain by one or two percent of the width. */
  readonly resamples?: number;
  /** A whole number; always the same by default, so that the same trials give the same interval. */
  readonly seed?: number;
}

/**
 * The fewest trials that say how much they vary: of 5 smallest and largest enclose the median in 94 % of all cases, so that
 * there is no interval of 95 %, and without an outlier every seventh series would have one by its quartiles.
 */
export const FEWEST_FOR_SPREAD = 6;

/**
 * Returns an interval for a statistic of trials by the bootstrap: trials are drawn anew from those that there are, with
 * repetition, and the interval is what the middle of the drawn statistics spans. `undefined` for fewer than 6 trials.
 *
 * For n trials the middle 95 % would span too little, so that it reaches as much further as Student's t does, corrected
 * for dividing by n: the expanded percentile interval (Hesterberg, "What Teachers Should Know About the Bootstrap", The
 * American Statistician 69, 2015). Not BCa, whose acceleration comes from the jackknife, which fails for the median
 * (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section 11.6). In simulations 95 % covered a median in
 * 95 to 98 % of cases with 6 to 20 trials; a mean in 87 to 94 %, the less the fewer they are.
 */
export function bootstrapInterval(
  values: readonly number[],
  statistic: (values: readonly number[]) => number,
  options: BootstrapOptions = {},
): Range | undefined {
  const n = values.length;
  if (n < FEWEST_FOR_SPREAD) {
    return undefined;
  }
  const { confidence = 0.95, resamples = 2000, seed = 1 } = options;
  const tail = normalTwoSidedTail(Math.sqrt(n / (n - 1)) * studentQuantile(n - 1, confidence)) / 2;
  const random = seededRandom(seed);
  const drawn = Array.from({ length: resamples }, () => statistic(resample(values, random)));
  return { low: quantile(drawn, tail), high: quantile(drawn, 1 - tail) };
}

function resample(values: readonly number[], random: () => number): readonly number[] {
  return values.map(() => values[Math.floor(random() * values.length)] as number);
}

/** Quartile distances beyond the quartiles from which on a value is "far out". */
const FENCE = 3;

/** Part of the median within which nothing is an outlier, however much the others agree: nobody looks for its cause. */
const NEGLIGIBLE = 0.05;

/**
 * Returns the indices, ascending, of the trials that lie far from the others; they are to be marked, never removed. Far is
 * beyond Tukey's outer fences ("Exploratory Data Analysis", 1977, section 2E): three quartile distances below the first
 * or above the third quartile, and more than 5 % of the median. None for fewer than 6 trials.
 *
 * Of trials with normal noise of more than that one in 14 series of 6, and one in 20 of 10, gets a mark by chance; with the inner fences,
 * or with modified z-scores above 3.5 (Iglewicz and Hoaglin), it would be every fourth or every seventh.
 */
export function findOutliers(trials: readonly number[]): readonly number[] {
  if (trials.length < FEWEST_FOR_SPREAD) {
    return [];
  }
  const [first, third] = [quantile(trials, 0.25), quantile(trials, 0.75)];
  const reach = FENCE * (third - first);
  const center = median(trials);
  const isFar = (value: number): boolean =>
    (value < first - reach || value > third + reach) && Math.abs(value - center) > NEGLIGIBLE * Math.abs(center);
  return [...trials.keys()].filter((index) => isFar(trials[index] as number));
}
