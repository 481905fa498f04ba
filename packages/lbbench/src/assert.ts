/** Assertions about results, for `node:test` and any other runner; and the matchers for `expect.extend` of jest and others. */
import { AssertionError } from "node:assert";
import type { Baseline, Measured, Part } from "./matchers/asked.js";
import { judgeNoSlower, type NoSlowerOptions } from "./matchers/judge-no-slower.js";
import { judgeThresholdsMet, judgeVerdict } from "./matchers/judge-run.js";
import { renderJudgement, type Judgement } from "./matchers/judgement.js";

export type { Baseline, Measured, Part } from "./matchers/asked.js";
export type { NoSlowerOptions } from "./matchers/judge-no-slower.js";
export {
  matchers,
  type AsymmetricResultMatchers,
  type MatcherContext,
  type MatcherOutcome,
  type ResultMatchers,
} from "./matchers/matchers.js";

/**
 * Asserts that thresholds, written as `--threshold` takes them (`"p99<50ms"`, `"errors<1%"`), hold in every step of a result, or of
 * a part of it. Throws an `AssertionError` where they do not, and where that cannot be told.
 */
export function assertMeets(result: Measured, thresholds: string | readonly string[], part?: Part): void {
  check(assertMeets, judgeThresholdsMet(result, thresholds, part));
}

/**
 * Asserts that a result is no worse than a baseline by more than a margin. The baseline is another target of the same run by its
 * name, another result, or the path of one. Throws an `AssertionError` where it is worse, and where that cannot be told.
 */
export function assertNoSlowerThan(result: Measured, baseline: Baseline, options?: NoSlowerOptions): void {
  check(assertNoSlowerThan, judgeNoSlower(result, baseline, options));
}

/** Asserts that the verdict of a result is `pass`. Throws an `AssertionError` where it is `fail` or `inconclusive`. */
export function assertPasses(result: Measured): void {
  check(assertPasses, judgeVerdict(result));
}

/** @param asserting the function that was called; where that was is where the error points to. */
function check(asserting: (result: Measured, ...rest: never[]) => void, judgement: Judgement): void {
  if (judgement.answer === "yes") return;
  const { actual, expected } = judgement;
  throw new AssertionError({
    message: renderJudgement(judgement, false),
    actual,
    expected,
    operator: asserting.name,
    stackStartFn: asserting,
  });
}
