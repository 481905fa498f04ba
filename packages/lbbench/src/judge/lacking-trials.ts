import { adjustHolm } from "../stats/holm.js";
import { smallestPValue, trialsNeeded } from "../stats/trials-needed.js";
import { SIGNIFICANCE } from "../stats/trials.js";
import type { TrialsTest } from "./compare-metric.js";

/**
 * Says of tests that are made together which of them cannot find any difference with the trials there are, however large,
 * once they are corrected for being several: the fewest trials on each side that could, or `undefined` where there are
 * enough or something else stands in the way. Same order.
 */
export function findLackingTrials(tests: readonly TrialsTest[]): readonly (number | undefined)[] {
  // Corrected p-values rise with each of those they are made of, so that of these nothing can be below.
  const smallest = adjustHolm(
    tests.map(({ reference, other, reason }) =>
      reason === undefined ? smallestPValue(reference.length, other.length) : null,
    ),
  );
  const tested = tests.filter(({ reason }) => reason === undefined || isLack(reason)).length;
  return tests.map(({ reason }, index) => {
    const lacks = reason === undefined ? (smallest[index] ?? 1) > SIGNIFICANCE : isLack(reason);
    return lacks ? trialsNeeded(tested) : undefined;
  });
}

function isLack(reason: TrialsTest["reason"]): boolean {
  return reason === "SINGLE_TRIAL" || reason === "TOO_FEW_TRIALS";
}
