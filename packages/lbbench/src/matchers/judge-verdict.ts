import type { Finding } from "../model/finding.js";
import { describeShortfalls } from "../report/headline.js";
import { resultOf } from "./asked.js";
import { describeFound, describeIncomplete, remediesOf, RESUME_REMEDY } from "./describe-doubts.js";
import { answerOf } from "./judge-thresholds.js";
import type { Judgement } from "./judgement.js";
import { countOf } from "../stats/count-of.js";

const INCONCLUSIVE: ReadonlySet<string> = new Set(["THRESHOLD_INCONCLUSIVE", "COMPARISON_INCONCLUSIVE"]);

/**
 * Judges whether the verdict of a result is `pass`: by the thresholds, the margin or the search of its own scenario. `unknown` where
 * it is `inconclusive`, and where the run was cut short without having failed.
 */
export function judgeVerdict(given: unknown): Judgement {
  const result = resultOf(given);
  const { status, findings } = result.verdict;
  const answer = answerOf(status, result);
  const telling = answer === "yes" ? [] : findings.filter((finding) => isTelling(finding));
  const incomplete = answer === "unknown" ? describeIncomplete(result) : [];
  const lacks = answer === "unknown" && result.complete ? describeShortfalls(result) : [];
  const reasons = [...telling.map(describeFound), ...lacks, ...incomplete];
  return {
    answer,
    asked: "pass",
    evidence: [
      `its verdict is ${status}, of ${countOf(result.steps.length, "step")}`,
      ...(answer === "no" ? telling.map(describeFound) : []),
    ],
    doubts:
      answer === "unknown"
        ? reasons.length > 0
          ? reasons
          : ["It names no reason: nothing may have been measured."]
        : [],
    remedies: [...remediesOf(telling, result), ...(incomplete.length === 0 ? [] : [RESUME_REMEDY])],
    expected: "pass",
    actual: status,
  };
}

function isTelling({ code, severity }: Finding): boolean {
  return severity === "error" || INCONCLUSIVE.has(code);
}
