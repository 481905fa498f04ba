import type { Finding, Verdict } from "../model/finding.js";
import type { SearchOutcome } from "../model/search.js";
import { rowOf } from "./findings.js";
import { found } from "./found.js";

/**
 * Says what a search found for a target: `LIMIT_FOUND`, and `LIMIT_DOUBTFUL` beside it when it may not be the target that did not hold;
 * `LIMIT_NOT_FOUND`; or `NOTHING_HELD`.
 */
export function findLimits({ target, by, status, held, broken, tried, beyond }: SearchOutcome): readonly Finding[] {
  const at = (value: number | null = null) => ({ target, kind: by, [by]: value ?? 0 });
  const last = tried.at(-1);
  const because = last?.because;
  if (status === "nothing-held") return found("NOTHING_HELD", "error", { ...at(broken), broken: broken ?? 1, because });
  if (status !== "found") {
    const upTo = { held: held ?? undefined, last: last?.value ?? 0, because };
    return found("LIMIT_NOT_FOUND", "warning", { ...at(last?.value), reason: status, ...upTo });
  }
  const { because: why = "", doubt } = tried.find(({ value }) => value === broken) ?? {};
  const further = beyond && {
    beyond: beyond.value,
    beyondHeld: beyond.held,
    trials: beyond.held + beyond.broken + beyond.unclear,
  };
  return [
    ...found("LIMIT_FOUND", "info", { ...at(held), held: held ?? 0, broken: broken ?? 0, because: why, ...further }),
    ...(doubt === undefined ? [] : found("LIMIT_DOUBTFUL", "warning", { ...at(broken), because: why, doubt })),
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
  const isCertain = ({ status, broken, tried }: SearchOutcome): boolean =>
    status === "found" && tried.every(({ value, doubt }) => value !== broken || doubt === undefined);
  return outcomes.every(isCertain) ? "pass" : "inconclusive";
}
