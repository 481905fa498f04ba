import type { Result } from "../model/result.js";
import type { Decision, Search, SearchOutcome, TriedLevel } from "../model/search.js";
import { countOf } from "../stats/count-of.js";
import { describeLoad } from "./describe-level.js";
import { formatCount } from "./format-number.js";

/**
 * Says for each target what its search found, and what was tried on the way unless a table beside it shows that; nothing of a sweep.
 * Plain text.
 */
export function describeSearches({ search = [] }: Pick<Result, "search">, hasTable = false): readonly string[] {
  return search.flatMap((outcome) => [
    `${outcome.target}: ${describeFound(outcome)}.`,
    ...(hasTable ? [] : [`${outcome.target} was tried at ${outcome.tried.map(describeTried).join(", ")}.`]),
    ...(outcome.beyond === null
      ? []
      : [`${outcome.target} beyond its limit: ${describeBeyond(outcome, outcome.beyond)}.`]),
  ]);
}

/** Says in a sentence what the verdict of a search means, but for what it lacks; plain text. */
export function describeSearchVerdict({ verdict, search = [] }: Pick<Result, "verdict" | "search">): string {
  switch (verdict.status) {
    case "pass":
      return "The largest load that holds was searched, and the numbers decide.";
    case "fail":
      return "A target does not hold even the smallest load.";
    case "inconclusive": {
      const isTold = ({ status }: SearchOutcome): boolean =>
        status === "found" || status === "unbounded" || status === "unfinished";
      const isDoubted = verdict.findings.some(
        ({ code, severity }) => severity === "error" || code === "LIMIT_DOUBTFUL",
      );
      return isDoubted || !search.every(isTold) ? "The numbers do not support a conclusion; the findings say why." : "";
    }
  }
}

function describeFound({ status, by, held, broken, tried }: SearchOutcome): string {
  const upTo = held === null ? "nothing is known to hold" : `${load(by, held)} held`;
  const last = tried.at(-1)?.value ?? 0;
  switch (status) {
    case "found":
      return `${upTo}, ${formatCount(broken ?? 0)} did not (${reasonAt(tried, broken)})`;
    case "nothing-held":
      return `not even ${load(by, broken ?? 1)} held (${reasonAt(tried, broken)})`;
    case "unbounded":
      return `${upTo}, which is the most that was tried`;
    case "unclear":
      return `${upTo}; it cannot be said whether ${formatCount(last)} does (${reasonAt(tried, last)})`;
    case "unfinished":
      return `${upTo}; the search was cut short at ${formatCount(last)}`;
  }
}

function describeBeyond({ by }: SearchOutcome, { value, held, broken, unclear }: TriedLevel): string {
  return `${formatCount(held)} of ${countOf(held + broken + unclear, "trial")} held ${load(by, value)}`;
}

/** What a search decided of a level, in a word. */
export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  held: "held",
  broken: "did not hold",
  unclear: "unclear",
  undecided: "undecided",
};

function describeTried({ value, decision }: TriedLevel): string {
  return `${formatCount(value)} (${DECISION_WORDS[decision]})`;
}

/**
 * Says why the smallest load that did not hold did not, or why it cannot be said of the last that was tried: `requests failed`; empty
 * where every load that was tried held.
 */
export function describeMissed({ status, tried, broken }: SearchOutcome): string {
  const value = status === "unclear" ? tried.at(-1)?.value : broken;
  const isTold = tried.some((level) => level.value === value && level.because !== undefined);
  return isTold ? reasonAt(tried, value ?? null) : "";
}

function reasonAt(tried: readonly TriedLevel[], value: number | null): string {
  const because = tried.find((level) => level.value === value)?.because ?? "?";
  return CODE.test(because) ? because : describeMiss(because);
}

/** Of a finding, which tells by itself why it cannot be said. */
const CODE = /^(?!TARGET_DIED)[A-Z0-9_?]+$/;

function load(by: Search["by"], value: number): string {
  return describeLoad({ [by]: value });
}

/**
 * Says why a load did not hold, from what a search keeps of it: `requests piled up`, `requests failed`, `p99<50ms was
 * missed`.
 */
export function describeMiss(because: string): string {
  if (because === "backlog") return "requests piled up";
  if (because === "TARGET_DIED") return "the target died";
  if (/^errors\s*<=?\s*0\s*%?$/.test(because)) return "requests failed";
  return because.startsWith("errors") ? `too many requests failed (${because})` : `${because} was missed`;
}
