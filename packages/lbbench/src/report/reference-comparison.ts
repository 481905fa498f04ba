import { compareWithin, decideComparison, type ReferenceComparison } from "../judge/compare-targets.js";
import type { Result } from "../model/result.js";

/** Several parts of a report speak of the same comparison, and its intervals take a while. */
const remembered = new WeakMap<Result, ReferenceComparison>();

/**
 * Returns how the targets of a run compare with its reference, judged by the margin of its scenario. Without a margin nothing is
 * to be said of what is worse; the rest stands.
 */
export function compareOf(result: Result): ReferenceComparison {
  const known = remembered.get(result);
  if (known !== undefined) {
    return known;
  }
  const { margin, errorMargin } = result.scenario;
  const targets = compareWithin(result, margin === null ? null : { margin, errorMargin });
  const comparison = { status: decideComparison(targets), margins: { margin: margin ?? 0, errorMargin }, targets };
  remembered.set(result, comparison);
  return comparison;
}
