import { plainLine, shortenName } from "../report/plain-line.js";
import { wrapWords } from "../report/text-layout.js";

/** Whether a statement about a result holds; `unknown`: the numbers support neither answer. */
export type Answer = "yes" | "no" | "unknown";

/** What a statement about a result is found to be, in words. */
export interface Judgement {
  readonly answer: Answer;
  /** What was asked, after "to": `meet p99<50ms`. */
  readonly asked: string;
  /** What it rests on: the levels and their figures. Plain text, names as they came, a line each. */
  readonly evidence: readonly string[];
  /** What keeps it from being told, where the answer is `unknown`. */
  readonly doubts: readonly string[];
  /** What to do next. */
  readonly remedies: readonly string[];
  /** In short what was asked for, and what came: `expected` and `actual` of an `AssertionError`. */
  readonly expected: string;
  readonly actual: string;
}

/** What a matcher of vitest or jest returns. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}

const WIDTH = 99;
/** A word that is longer, such as a URL, is shortened in the middle. */
const LONGEST_WORD = 60;
/** A line that is longer, which no text of ours is, says what somebody made it say. */
const LONGEST_LINE = 600;
/** Lines of a list; how many more there are is said. */
const MOST_LINES = 10;

/**
 * Renders a judgement as the message of an assertion that failed: what was expected, the levels and figures, what keeps it
 * from being told, and what to do next. At most 99 columns wide; a name from outside cannot contain escape sequences.
 *
 * @param isNot whether the opposite was asserted.
 */
export function renderJudgement(judgement: Judgement, isNot: boolean): string {
  const { answer, asked, evidence, doubts, remedies } = judgement;
  const expected = `Expected the result ${isNot ? "not " : ""}to ${asked},`;
  const isSo = (answer === "yes") === !isNot;
  const end = answer === "unknown" ? "but that cannot be told" : isSo ? "and that is so" : "but that is not so";
  return [
    wrapText(`${expected} ${end}:`, ""),
    ...listLines(evidence),
    ...section("Why it cannot be told", doubts),
    ...section("What to do next", remedies),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${title}:`, ...listLines(lines)];
}

function listLines(lines: readonly string[]): readonly string[] {
  const different = [...new Set(lines)];
  const shown = different.slice(0, MOST_LINES);
  const more = different.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`and ${more} more like these`])].map((line) => wrapText(line, "  "));
}

function wrapText(line: string, indent: string): string {
  const words = shortenName(plainLine(line), LONGEST_LINE)
    .split(" ")
    .map((word) => shortenName(word, LONGEST_WORD));
  return wrapWords(words.join(" "), WIDTH - indent.length, "  ")
    .map((text) => `${indent}${text}`)
    .join("\n");
}
