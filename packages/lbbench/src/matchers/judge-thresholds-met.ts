import { ConfigError } from "../config/config-error.js";
import { parseThreshold } from "../config/parse-threshold.js";
import { judgeResult } from "../judge/judge-result.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import type { Threshold } from "../model/threshold.js";
import { describeDoubt, describeIncomplete, remediesOf, RESUME_REMEDY } from "./describe-doubts.js";
import type { Answer, Judgement } from "./judgement.js";
import { describeSteps } from "./describe-steps.js";
import { describeUnmeasured, findUnmeasured, UNMEASURED_REMEDY } from "./describe-unmeasured.js";
import { toResult } from "./measured.js";
import { selectPart } from "./part.js";
import type { Part } from "./part.js";

/**
 * Judges whether thresholds, written as `--threshold` takes them, hold in every step of a result or of a part of it, whatever
 * thresholds the run itself had. `unknown` where `lbbench sweep` would call it inconclusive, where the run was cut short, and where
 * a target was not measured at a level of the part.
 *
 * Throws a `ConfigError` for what is no result, no threshold, or no part of it.
 */
export function judgeThresholdsMet(
  given: unknown,
  expressions: string | readonly string[],
  part: Part = {},
): Judgement {
  const run = measuredOnPurpose(toResult(given), "meet thresholds");
  const result = selectPart(run, part);
  const thresholds = parseAll(expressions);
  const asked = thresholds.map(({ source }) => source).join(" and ");
  const verdict = judgeWith(result, thresholds);
  const answer = answerOf(verdict.status, result, findUnmeasured(result));
  const evidence = thresholds.flatMap((threshold) => describeSteps(threshold, result, answer));
  const doubts = answer === "unknown" ? doubtsIn(verdict) : [];
  const incomplete = answer === "unknown" ? describeIncomplete(run) : [];
  const unmeasured = answer === "unknown" ? describeUnmeasured(result) : [];
  return {
    answer,
    asked: `meet ${asked}`,
    evidence,
    doubts: [...doubts.map(describeDoubt), ...incomplete, ...unmeasured],
    remedies: remediesFor(answer, { result, verdict, doubts, incomplete, unmeasured }),
    expected: asked,
    actual: evidence.join("; "),
  };
}

/** A search measures loads that do not hold on purpose, so that nothing of the kind can be asked of all its steps. */
export function measuredOnPurpose(result: Result, what: string): Result {
  if (result.search === undefined) return result;
  throw new ConfigError(
    `Expected the result of a sweep or a ramp to ${what}, got that of a search, which goes beyond what holds on purpose. ` +
      "Ask for its verdict with toPass().",
  );
}

/** Judges a result by these thresholds, and by nothing else that was asked of it. */
export function judgeWith(result: Result, thresholds: readonly Threshold[]): Verdict {
  return judgeResult({ ...result, scenario: { ...result.scenario, thresholds, margin: null } });
}

/** A run that was cut short can have missed a condition, and never met it; nor can a part of it of which something is missing. */
export function answerOf(
  status: Verdict["status"],
  { complete }: Pick<Result, "complete">,
  unmeasured: readonly unknown[] = [],
): Answer {
  if (status === "fail") return "no";
  return status === "pass" && complete && unmeasured.length === 0 ? "yes" : "unknown";
}

/** What keeps a condition from being told: errors that no threshold made, and what a threshold that is in doubt names as its reason. */
export function doubtsIn({ findings }: Verdict): readonly Finding[] {
  const inDoubt = findings.filter(({ code }) => code === "THRESHOLD_INCONCLUSIVE");
  const named = new Set(inDoubt.map(({ args }) => args["because"]));
  const causes = findings.filter(
    ({ code, severity }) => named.has(code) || (severity === "error" && code !== "THRESHOLD_FAILED"),
  );
  return causes.length === 0 ? inDoubt : causes;
}

interface Grounds {
  readonly result: Result;
  readonly verdict: Verdict;
  readonly doubts: readonly Finding[];
  readonly incomplete: readonly string[];
  readonly unmeasured: readonly string[];
}

function remediesFor(answer: Answer, { result, verdict, doubts, incomplete, unmeasured }: Grounds): readonly string[] {
  switch (answer) {
    case "yes":
      return [];
    case "no":
      return remediesOf(
        verdict.findings.filter(({ code }) => code === "THRESHOLD_FAILED"),
        result,
      );
    case "unknown":
      return [
        ...remediesOf(doubts, result),
        ...(incomplete.length === 0 ? [] : [RESUME_REMEDY]),
        ...(unmeasured.length === 0 || incomplete.length > 0 ? [] : [UNMEASURED_REMEDY]),
      ];
  }
}

function parseAll(expressions: string | readonly string[]): readonly Threshold[] {
  const all: readonly unknown[] = Array.isArray(expressions) ? expressions : [expressions];
  if (all.length === 0) throw new ConfigError('Expected a threshold such as "p99<50ms", or several, got none.');
  return all.map((one) => {
    if (typeof one !== "string") {
      throw new ConfigError(`Expected a threshold such as "p99<50ms", or several, got a ${typeof one}.`);
    }
    try {
      return parseThreshold(one);
    } catch (error) {
      throw new ConfigError(`threshold: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  });
}
