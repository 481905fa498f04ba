import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode, Severity } from "../../model/finding.js";
import type { StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import { judgeResult } from "../judge-result.js";

/** What a target makes of more load. */
const RESPONSES = ["KNEE", "SHEDS", "CLIFF", "DEGRADES"] as const;
export type ResponseCode = (typeof RESPONSES)[number];

/** What came of a search. */
export type SearchCode = "LIMIT_DOUBTFUL" | "LIMIT_FOUND" | "LIMIT_NOT_FOUND" | "NOTHING_HELD";

/** What a whole run is needed for, and no response to load. */
export type RunCode =
  | SearchCode
  | "BACKEND_DIFFERS"
  | "BYTES_DIFFER"
  | "COMPARISON_INCONCLUSIVE"
  | "CORES_DIFFER"
  | "IDENTICAL_FIGURES"
  | "MEMORY_GROWS"
  | "NO_WARMUP"
  | "SINGLE_TRIAL"
  | "STOPPED_EARLY"
  | "THRESHOLD_FAILED"
  | "THRESHOLD_INCONCLUSIVE"
  | "TRIALS_DISAGREE"
  | "WITHIN_NOISE"
  | "WORSE_THAN_REFERENCE";

/** When a rule finds something of which severity, with the arguments that matter, and when, in cases close to these, it does not. */
export type Rule<Case> = Readonly<Partial<Record<Severity, Readonly<Record<string, readonly [FindingArgs, Case]>>>>> & {
  readonly silent: Readonly<Record<string, Case>>;
};

/** Stands for a figure that equals this one to so many decimal places. */
export const near = (value: number, digits = 6): number => expect.closeTo(value, digits) as number;

/** Makes tests of rules: each finds what it is to find, once for a target and a metric, and nothing in what is close to that. */
export function testRules<Case>(
  rules: Readonly<Record<string, Rule<Case>>>,
  judge: (given: Case) => readonly Finding[],
): void {
  describe.each(Object.entries(rules))("%s", (code, { silent, ...found }) => {
    const fires = Object.entries(found).flatMap(([severity, cases]) =>
      Object.entries(cases).map(([what, [args, given]]) => [what, severity, args, given] as const),
    );
    it.each(fires)("is found for %s", (_, severity, args, given) => {
      const all = judge(given).filter((finding) => finding.code === code);
      expect(all).toContainEqual({ code, severity, args: expect.objectContaining(args) });
      const places = all.map(({ args: own }) =>
        JSON.stringify(["target", "metric", "together", "levels"].map((name) => own[name])),
      );
      expect(new Set(places).size).toBe(all.length);
    });

    it.each(Object.entries(silent))("is not found for %s", (_, given) => {
      expect(judge(given).map((finding) => finding.code)).not.toContain(code);
    });
  });
}

/** Returns what is said of how targets answer to more load. */
export function responsesTo(scenario: Scenario, steps: readonly StepResult[]): readonly Finding[] {
  const { findings } = judgeResult({ scenario, steps });
  return findings.filter(({ code }) => RESPONSES.some((response) => response === code));
}

/** Returns the codes of findings. */
export function codesOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ code }) => code);
}

/** Returns the arguments of the first finding of a code. */
export function argsOf(findings: readonly Finding[], code: FindingCode): FindingArgs | undefined {
  return findings.find((finding) => finding.code === code)?.args;
}
