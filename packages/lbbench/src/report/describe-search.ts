import { describeMiss } from "../judge/finding-figures.js";
import type { Result, StepKey } from "../model/result.js";
import type { Decision, Search, SearchOutcome, TriedLevel } from "../model/search.js";
import { countOf } from "../stats/count-of.js";
import { describeLoad } from "./describe-level.js";
import { formatCount } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";

/**
 * Says what the search of each target found, a line each, the most that held first; of several targets, that this is no test; plain text.
 * Nothing of a sweep.
 */
export function describeLimits({ search = [] }: Pick<Result, "search">): readonly string[] {
  const lines = search
    .toSorted((a, b) => (b.held ?? 0) - (a.held ?? 0))
    .map((outcome) => {
      const beyond = outcome.beyond === null ? "" : ` Beyond, ${describeBeyond(outcome, outcome.beyond)}.`;
      return `${outcome.target}: ${describeFound(outcome)}.${beyond}`;
    });
  return lines.length < 2
    ? lines
    : [
        ...lines,
        "A search does not test whether targets differ. To compare them, use lbbench sweep --trials auto at one load.",
      ];
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

/** What a search decided of a target at a level; `undefined` of what it did not try, and of a sweep. */
export function decisionOf(
  { search = [] }: Pick<Result, "search">,
  { target, level }: Pick<StepKey, "target" | "level">,
): Decision | undefined {
  const { tried = [], beyond } = search.find((outcome) => outcome.target === target) ?? {};
  return [...tried, ...(beyond ? [beyond] : [])].findLast(({ value }) => value === loadValue(level))?.decision;
}

/** Says why a load did not hold, or why that cannot be said: `requests failed`; empty where every load that was tried held. */
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
