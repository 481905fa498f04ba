import { setFailed, warning } from "@actions/core";
import { describeFinding, type Result, type ResultComparison } from "lbbench";
import type { Verdict } from "./verdict.js";

/** How a run ended. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly result: Pick<Result, "verdict">;
  readonly comparison: Pick<ResultComparison, "status"> | undefined;
  readonly isCancelled: boolean;
  /** The verdicts that fail the step. */
  readonly failOn: ReadonlySet<Verdict>;
}

/** Fails the step where it is to fail, and says why; a verdict that is to be let pass is a warning. */
export function sayOutcome(outcome: Outcome): void {
  const { verdict, isCancelled, failOn } = outcome;
  if (isCancelled) return setFailed("Cancelled: the report holds what was measured until then.");
  if (verdict === "pass") return;
  const tell = failOn.has(verdict) ? setFailed : warning;
  tell(describeOutcome(outcome));
}

/** Says the verdict and what led to it, a line each. */
export function describeOutcome({
  verdict,
  result,
  comparison,
}: Pick<Outcome, "comparison" | "result" | "verdict">): string {
  const reasons = result.verdict.findings
    .filter(({ code, severity }) => severity === "error" || code.endsWith("_INCONCLUSIVE"))
    .map((finding) => describeFinding(finding).text);
  const compared = comparison === undefined || comparison.status === "pass" ? [] : [COMPARED[comparison.status]];
  return [`Verdict: ${verdict}.`, ...compared, ...reasons].join("\n");
}

const COMPARED = Object.freeze({
  fail: "It is worse than the baseline beyond the margin.",
  inconclusive: "Whether it is worse than the baseline cannot be told.",
});
