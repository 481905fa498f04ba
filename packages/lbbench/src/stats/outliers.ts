import { FEWEST_FOR_SPREAD } from "./bootstrap.js";
import { median, quantile } from "./descriptive.js";

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
