import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { Environment, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";

/** A step before it is judged. */
export type UnjudgedStep = Omit<StepResult, "findings">;

/** Looks at a step for one thing; returns what it found, mostly nothing. Pure. */
export type StepRule = (
  step: UnjudgedStep,
  scenario: ToldScenario,
  environment: Environment | null,
) => readonly Finding[];

/** Returns one finding. */
export function found(code: FindingCode, severity: Severity, args: FindingArgs): readonly Finding[] {
  return [{ code, severity, args }];
}
