import { compareWithReference } from "../judge/compare-with-reference.js";
import type { ReferenceComparison } from "../judge/compare-with-reference.js";
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
  const comparison = compareWithReference(result, { margin: margin ?? 0, errorMargin });
  remembered.set(result, comparison);
  return comparison;
}
