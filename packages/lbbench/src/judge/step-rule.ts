import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { Seen } from "./finding-args.js";
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

/** Returns one finding, with the args that its code has. */
export function found<Code extends FindingCode>(code: Code, severity: Severity, args: Seen<Code>): readonly Finding[] {
  // Every arg that is there is a text or a number.
  return [{ code, severity, args: args as FindingArgs }];
}
