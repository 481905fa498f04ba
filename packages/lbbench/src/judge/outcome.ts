import type { Finding, FindingArgs } from "../model/finding.js";
import type { ToldScenario } from "../model/scenario.js";
import { rampUsers } from "../stats/ramp-users.js";
import type { UnjudgedStep } from "./step-rule.js";

const TARGET_DIED = "TARGET_DIED";

/**
 * `TARGET_DIED` {message}, in a ramp with {second, atUsers} it died at, or `STEP_FAILED` {code, message} when a step failed for
 * another reason.
 */
export function findFailure(step: UnjudgedStep, { ramp }: ToldScenario): readonly Finding[] {
  const { state, error } = step;
  if (error?.code === TARGET_DIED) {
    return [{ code: TARGET_DIED, severity: "error", args: { message: error.message, ...placeInRamp(step, ramp) } }];
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

function placeInRamp({ level, measurement }: UnjudgedStep, ramp: ToldScenario["ramp"]): FindingArgs {
  if (ramp === null || level.users === undefined || measurement === undefined) return {};
  const { elapsedMs } = measurement;
  return { second: Math.floor(elapsedMs / 1000), atUsers: rampUsers(level.users, ramp).at(elapsedMs) };
}
