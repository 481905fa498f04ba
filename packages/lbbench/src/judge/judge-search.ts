import type { Finding, FindingArgs, Verdict } from "../model/finding.js";
import type { SearchOutcome } from "../model/search.js";
import { rowOf } from "./findings.js";

/**
 * Says what a search found, for each target: `LIMIT_FOUND` {target, held, broken, because}, with `LIMIT_DOUBTFUL` {because, doubt}
 * beside it when it may not be the target that did not hold; `LIMIT_NOT_FOUND` {reason, because?} when all that was tried held,
 * a level could not be decided, or the search was cut short; `NOTHING_HELD` {because}. All with the value they are about as
 * `connections` or `rate`.
 */
export function findLimits(outcome: SearchOutcome): readonly Finding[] {
  const { target, by, status, held, broken, tried } = outcome;
  const at = (value: number | null, args: FindingArgs): FindingArgs => ({ target, [by]: value ?? 0, ...args });
  const last = tried.at(-1);
  const because = last?.because === undefined ? {} : { because: last.because };
  switch (status) {
    case "found": {
      const level = tried.find(({ value }) => value === broken);
      const why = level?.because ?? "";
      return [
        {
          code: "LIMIT_FOUND",
          severity: "info",
          args: at(held, { held: held ?? 0, broken: broken ?? 0, because: why }),
        },
        ...(level?.doubt === undefined
          ? []
          : [
              {
                code: "LIMIT_DOUBTFUL",
                severity: "warning",
                args: at(broken, { because: why, doubt: level.doubt }),
              } as const,
            ]),
      ];
    }
    case "nothing-held":
      return [{ code: "NOTHING_HELD", severity: "error", args: at(broken, because) }];
    case "unbounded":
    case "unclear":
    case "unfinished": {
      return [
        { code: "LIMIT_NOT_FOUND", severity: "warning", args: at(last?.value ?? null, { reason: status, ...because }) },
      ];
    }
  }
}

/** What too much load makes of a target is what a search looks for: a warning, where a sweep has an error. */
export function softenOverload(finding: Finding): Finding {
  const isOverload = finding.severity === "error" && rowOf(finding).of === "overload";
  return isOverload ? { ...finding, severity: "warning" } : finding;
}

/**
 * The verdict of a search: `inconclusive` when an error says that numbers are false; else `fail` when a target held nothing;
 * else `inconclusive` when a limit is doubtful or was not found; else `pass`.
 */
export function decideSearch(noticed: readonly Finding[], outcomes: readonly SearchOutcome[]): Verdict["status"] {
  if (noticed.some(({ severity }) => severity === "error")) return "inconclusive";
  if (outcomes.some(({ status }) => status === "nothing-held")) return "fail";
  return outcomes.every(isCertain) ? "pass" : "inconclusive";
}

function isCertain({ status, broken, tried }: SearchOutcome): boolean {
  return status === "found" && tried.every(({ value, doubt }) => value !== broken || doubt === undefined);
}
