import type { Finding, FindingArgs, Verdict } from "../model/finding.js";
import type { SearchOutcome } from "../model/search.js";
import { rowOf } from "./findings.js";

/**
 * Says what a search found, for each target: `LIMIT_FOUND` {target, held, broken, because}, with `LIMIT_DOUBTFUL` {because, doubt}
 * beside it when it may not be the target that did not hold; `LIMIT_NOT_FOUND` {reason, because?} when all that was tried held,
 * a level could not be decided, or the search was cut short; `NOTHING_HELD` {because}. All with the value they are about as
 * `connections` or `rate`.
 */
export function findLimits({ target, by, status, held, broken, tried }: SearchOutcome): readonly Finding[] {
  const at = (value: number | null | undefined, args: FindingArgs): FindingArgs => ({
    target,
    [by]: value ?? 0,
    ...args,
  });
  const last = tried.at(-1);
  const because = last?.because === undefined ? {} : { because: last.because };
  if (status === "nothing-held") return [{ code: "NOTHING_HELD", severity: "error", args: at(broken, because) }];
  if (status !== "found") {
    return [{ code: "LIMIT_NOT_FOUND", severity: "warning", args: at(last?.value, { reason: status, ...because }) }];
  }
  const level = tried.find(({ value }) => value === broken);
  const why = { because: level?.because ?? "" };
  const limit = { held: held ?? 0, broken: broken ?? 0, ...why };
  const doubt = level?.doubt === undefined ? [] : [{ ...why, doubt: level.doubt }];
  return [
    { code: "LIMIT_FOUND", severity: "info", args: at(held, limit) },
    ...doubt.map((args): Finding => ({ code: "LIMIT_DOUBTFUL", severity: "warning", args: at(broken, args) })),
  ];
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
