import { compareTrials, SIGNIFICANCE } from "./trials.js";

/**
 * Returns the p-value of the clearest outcome that so many trials can have, one side wholly above the other; `null` where
 * not even that is significant by itself.
 */
export function smallestPValue(reference: number, other: number): number | null {
  const below = Array.from({ length: reference }, (_, index) => index);
  const above = Array.from({ length: other }, (_, index) => reference + index);
  return reference === 0 || other === 0 ? null : compareTrials(below, above).pValue;
}

/**
 * Returns the fewest trials on each side with which a difference can be significant when so many comparisons are made at
 * once, corrected by Holm's method: 4 for one, 5 for two to six, 6 for up to 23.
 */
export function trialsNeeded(comparisons: number): number {
  let trials = 2;
  while ((smallestPValue(trials, trials) ?? 1) * comparisons > SIGNIFICANCE) {
    trials += 1;
  }
  return trials;
}
