import type { Result, StepResult } from "../../model/result.js";
import { describeStepError } from "../describe-state.js";
import { missOf } from "./miss-of-findings.js";
import { namePlace } from "./name-place.js";
import type { Miss, TestCase } from "./test-case.js";

/**
 * Makes a test case of each step: it passes when it ran to its end with figures that can be trusted. `error`: it failed, or a finding
 * says that its figures are false; `skipped`: it was interrupted. In a search nothing is wrong with a target that breaks.
 */
export function stepCases(result: Result, steps: readonly StepResult[]): readonly TestCase[] {
  return steps.map((step) => {
    const miss = missOfStep(step, result);
    return {
      name: `measured at ${namePlace(step.level)}, trial ${step.trial}`,
      timeMs: step.measurement?.elapsedMs ?? 0,
      ...(miss === undefined ? {} : { miss }),
    };
  });
}

function missOfStep(step: StepResult, result: Result): Miss | undefined {
  const { state, error, findings } = step;
  if (state === "aborted") return { kind: "skipped", type: "INTERRUPTED", message: "It was interrupted." };
  if (result.scenario.search !== null) return undefined;
  const grave = missOf(
    "error",
    findings.filter(({ severity }) => severity === "error"),
    result,
  );
  if (state === "completed") return grave;
  const message = describeStepError(step);
  return { kind: "error", type: error?.code ?? "STEP_FAILED", message, details: [message, ...(grave?.details ?? [])] };
}
