import { describeMiss } from "../judge/finding-figures.js";
import type { Result, StepKey } from "../model/result.js";
import type { Decision, Search, SearchOutcome, TriedLevel } from "../model/search.js";
import { countOf } from "../stats/count-of.js";
import { describeLoad, loadWords } from "./describe-level.js";
import { formatCount, formatTime } from "../stats/format-number.js";
import { loadValue } from "../stats/load.js";
import { compareTrials } from "../stats/trials.js";

/** Says what the search of each target found, and what it tried unless a table shows that; nothing of a sweep. Plain text. */
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
  if (verdict.status === "pass") return "The largest load that holds was searched, and the numbers decide.";
  if (verdict.status === "fail") return "A target does not hold even the smallest load.";
  const isDoubted = verdict.findings.some(({ code, severity }) => severity === "error" || code === "LIMIT_DOUBTFUL");
  const isTold = search.every(({ status }) => ["found", "unbounded", "unfinished"].includes(status));
  return isDoubted || !isTold ? "The numbers do not support a conclusion; the findings say why." : "";
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

function describeTried({ value, decision }: TriedLevel): string {
  return `${formatCount(value)} (${DECISION_WORDS[decision]})`;
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

/** Between which values a limit is: the first held, the second did not. */
interface Bracket {
  readonly target: string;
  readonly held: number;
  readonly broken: number;
  readonly isDoubtful: boolean;
  readonly tried: SearchOutcome["tried"];
}

/**
 * Says which target of a search holds the most, and how many times as much as each other: a range, as a limit is somewhere between the
 * most that held and the least that did not. It claims a difference only where the trials between the two limits show it. Plain text.
 */
export function describeLimits({ search = [], scenario }: Pick<Result, "search" | "scenario">): readonly string[] {
  const isKnown = ({ status }: SearchOutcome): boolean => ["found", "unbounded", "nothing-held"].includes(status);
  const brackets = search.filter(isKnown).map(({ target, held, broken, tried }): Bracket => {
    const isDoubtful = tried.some(({ value, doubt }) => value === broken && doubt !== undefined);
    return { target, held: held ?? 0, broken: broken ?? Infinity, isDoubtful, tried };
  });
  const [most, ...others] = brackets.toSorted((a, b) => b.held - a.held);
  if (most === undefined || others.length === 0) return [];
  const unknown = search.filter((outcome) => !isKnown(outcome)).map(({ target }) => target);
  const list = [most, ...others].map(({ target, held }) => `${formatCount(held)} (${target})`).join(", ");
  const isBehind = (other: Bracket): boolean => other.broken <= most.held && !other.isDoubtful && isShown(most, other);
  const behind = others.filter(isBehind).map((one) => `${one.target} (${describeTimes(most, one)})`);
  const open = others
    .filter((one) => !isBehind(one))
    .map(({ target, isDoubtful }) => (isDoubtful ? `${target}, whose limit may not be its own,` : target));
  const leads = [
    ...(behind.length === 0 ? [] : [`${most.target} holds more than ${behind.join(", ")}.`]),
    ...(open.length === 0 ? [] : [`Between ${most.target} and ${open.join(", ")} no difference can be claimed (~).`]),
  ];
  return [
    `Most ${loadWords(scenario.levels).many} that held: ${list}.`,
    ...(scenario.trials === 1
      ? ["Whether these limits differ cannot be said: one trial cannot be told from noise."]
      : leads),
    ...(unknown.length === 0 ? [] : [`How ${unknown.join(", ")} compares cannot be said: no limit was found of it.`]),
  ];
}

function isShown(most: Bracket, other: Bracket): boolean {
  const [ofMost = [], ofOther = []] = [most, other].map(({ tried }) =>
    tried
      .filter(({ value }) => value >= other.broken && value <= most.held)
      .flatMap(({ held, broken }) => [...Array<number>(held).fill(1), ...Array<number>(broken).fill(0)]),
  );
  return ofMost.length * ofOther.length > 0 && compareTrials(ofOther, ofMost).verdict === "higher";
}

/** From the least that the one can hold and the most that the other can, to the reverse. */
function describeTimes(most: Bracket, { held, broken }: Bracket): string {
  if (held === 0) return "which held none";
  const least = formatTime(most.held / broken);
  if (most.broken === Infinity || most.isDoubtful) return `at least ${least} times as much`;
  const greatest = formatTime(most.broken / held);
  return `${least === greatest ? least : `${least} to ${greatest}`} times as much`;
}
