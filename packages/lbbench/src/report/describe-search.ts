import { describeMiss } from "../judge/finding-figures.js";
import type { Result, StepKey } from "../model/result.js";
import type { Decision, SearchOutcome } from "../model/search.js";
import { loadValue } from "../stats/load.js";

/** What a search decided of a level, in a word. */
export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  held: "held",
  broken: "did not hold",
  unclear: "unclear",
  undecided: "undecided",
};

/** What a search decided of a target at a level; `undefined` of a level that it did not try, and of a sweep. */
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
  const because = tried.find((level) => level.value === value)?.because;
  return because === undefined ? "" : describeMiss(because);
}
