import type { Finding } from "../model/finding.js";
import type { UnjudgedStep } from "./step-rule.js";

const TARGET_DIED = "TARGET_DIED";

/** `TARGET_DIED` {message}, or `STEP_FAILED` {code, message} when a step failed for another reason. */
export function findFailure({ state, error }: UnjudgedStep): readonly Finding[] {
  if (error?.code === TARGET_DIED) {
    return [{ code: TARGET_DIED, severity: "error", args: { message: error.message } }];
  }
  if (state !== "failed") {
    return [];
  }
  const { code, message } = error ?? { code: "UNKNOWN", message: "no reason was recorded" };
  return [{ code: "STEP_FAILED", severity: "error", args: { code, message } }];
}

/** `INTERRUPTED` {} when the step was stopped from outside before its end. */
export function findInterruption({ state }: UnjudgedStep): readonly Finding[] {
  return state === "aborted" ? [{ code: "INTERRUPTED", severity: "info", args: {} }] : [];
}
