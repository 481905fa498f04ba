import type { Result, StepKey } from "../../model/result.js";
import { missingSteps } from "./missing-steps.js";
import { missOf } from "./miss-of-findings.js";
import { namePlace } from "./name-place.js";
import type { Miss, TestCase } from "./test-case.js";
import { countOf } from "../../stats/count-of.js";

/**
 * Makes a test case of the verdict, for those who look at this case alone. `failure`: it is `fail`; `error`: it is `inconclusive`, or the
 * run did not come to its end, whatever the verdict on what there is.
 */
export function verdictCase(result: Result): TestCase {
  const miss = result.complete ? missOfVerdict(result) : missOfInterruption(result);
  return { name: "verdict of the run", timeMs: 0, ...(miss === undefined ? {} : { miss }) };
}

function missOfVerdict(result: Result): Miss | undefined {
  const { status, findings } = result.verdict;
  if (status === "pass") return undefined;
  const kind: Miss["kind"] = status === "fail" ? "failure" : "error";
  const [grave] = (["error", "warning"] as const)
    .map((wanted) => findings.filter(({ severity }) => severity === wanted))
    .filter((found) => found.length > 0);
  return missOf(kind, grave ?? [], result) ?? { kind, type: "VERDICT", message: `The verdict is ${status}.` };
}

function missOfInterruption(result: Result): Miss {
  const missing = missingSteps(result);
  const { type, message, details = [] } = missOfVerdict(result) ?? {};
  const verdict = type === undefined ? [] : [`${type}: ${message}`, ...details.slice(1)];
  return {
    kind: "error",
    type: "INTERRUPTED",
    message: `The run ${result.finishedAt === null ? "has not come to its end" : "was interrupted"}${describeCount(missing)}.`,
    details: [
      ...missing.map((step) => `missing: ${describeStep(step)}`),
      `The verdict on what was measured is ${result.verdict.status}.`,
      ...verdict,
    ],
  };
}

function describeCount({ length }: readonly StepKey[]): string {
  if (length === 0) return "";
  return `: ${countOf(length, "step is", "steps are")} missing`;
}

function describeStep({ target, level, trial }: StepKey): string {
  return `${target} at ${namePlace(level)}, trial ${trial}`;
}
