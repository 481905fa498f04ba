import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { describePlaces } from "../report/describe-level.js";
import { describeFinding } from "../report/finding-text.js";
import { plainLine, shortenName } from "../report/plain-line.js";
import { wrapWords } from "../report/text-layout.js";
import { distinctLevels, placeKey } from "../stats/identity.js";

/** What a statement about a result is found to be, in words. */
export interface Judgement {
  /** Whether it holds; `unknown`: the numbers support neither answer. */
  readonly answer: "yes" | "no" | "unknown";
  /** What was asked, after "to": `meet p99<50ms`. */
  readonly asked: string;
  /** What it rests on: the levels and their figures. Plain text, names as they came, a line each. */
  readonly evidence: readonly string[];
  /** What keeps it from being told; only of interest where the answer is `unknown`. */
  readonly doubts: readonly string[];
  /** What to do next; only of interest where the answer is not `yes`. */
  readonly remedies: readonly string[];
  /** In short what was asked for, and what came: `expected` and `actual` of an `AssertionError`. */
  readonly expected: string;
  readonly actual: string;
}

const WIDTH = 99;
/** A word that is longer, such as a URL, is shortened in the middle. */
const LONGEST_WORD = 60;
/** A line that is longer, which no text of ours is, holds text of others. */
const LONGEST_LINE = 600;
/** Lines of a list; how many more there are is said. */
const MOST_LINES = 10;

/**
 * Renders a judgement as the message of an assertion that failed: what was expected, the levels and figures, what keeps it
 * from being told, and what to do next. At most 99 columns wide; a name from outside cannot contain escape sequences.
 *
 * @param isNot whether the opposite was asserted.
 */
export function renderJudgement({ answer, asked, evidence, doubts, remedies }: Judgement, isNot: boolean): string {
  const isSo = (answer === "yes") === !isNot;
  const end = answer === "unknown" ? "but that cannot be told" : isSo ? "and that is so" : "but that is not so";
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", `${title}:`, ...listLines(lines)];
  return [
    wrapText(`Expected the result ${isNot ? "not " : ""}to ${asked}, ${end}${evidence.length === 0 ? "." : ":"}`, ""),
    ...listLines(evidence),
    ...section("Why it cannot be told", answer === "unknown" ? doubts : []),
    ...section("What to do next", answer === "yes" ? [] : remedies),
  ].join("\n");
}

function listLines(lines: readonly string[]): readonly string[] {
  const different = [...new Set(lines)];
  const more = different.length - MOST_LINES;
  return [...different.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more like these`] : [])].map((line) =>
    wrapText(line, "  "),
  );
}

function wrapText(line: string, indent: string): string {
  const words = shortenName(plainLine(line), LONGEST_LINE)
    .split(" ")
    .map((word) => shortenName(word, LONGEST_WORD));
  return wrapWords(words.join(" "), WIDTH - indent.length, "  ")
    .map((text) => `${indent}${text}`)
    .join("\n");
}

const LONGEST_NAME = 40;

/** A name of a target in a sentence, however long it is. */
export function shortTarget(name: string): string {
  return shortenName(name, LONGEST_NAME);
}

function withShortNames({ args, ...finding }: Finding): Finding {
  const names = Object.entries(args).map(([key, value]) => [
    key,
    typeof value === "string" && (key === "target" || key === "reference") ? shortTarget(value) : value,
  ]);
  return { ...finding, args: Object.fromEntries(names) };
}

/** Says what was found, with its code in brackets; plain text. */
export function describeFound(finding: Finding): string {
  return `${describeFinding(withShortNames(finding)).text} [${finding.code}]`;
}

/** Returns what to do about some findings, each remedy once; of a result that was imported with the program it came from. */
export function remediesOf(findings: readonly Finding[], { imported }: Pick<Result, "imported">): readonly string[] {
  const origin = imported === undefined ? "measured" : "imported";
  return [...new Set(findings.map((finding) => describeFinding(withShortNames(finding), origin).remedy))];
}

/** What a result lacks to be judged, and what to do about that. */
export interface Gaps {
  readonly lines: readonly string[];
  readonly remedies: readonly string[];
}

/** Says that a run did not get to its end: what is missing may be what would fail. */
export function findCut({ complete, steps }: Result, what = "The run"): Gaps {
  if (complete) return { lines: [], remedies: [] };
  return {
    lines: [`${what} was interrupted after ${steps.length} of its steps.`],
    remedies: ["Measure the rest: resume() goes on from a result that was written, or sweep again."],
  };
}

/** Says which targets were not measured at which levels, because a stop rule left them out or the run was cut short. */
export function findUnmeasured({ scenario, steps }: Pick<Result, "scenario" | "steps">): Gaps {
  const { stopOn, targets } = scenario;
  const measured = new Set(steps.map(placeKey));
  const levels = distinctLevels(scenario.levels);
  const rules = stopOn.map(({ source }) => source).join(", ");
  const why = rules === "" ? "" : `; a stop rule (${rules}) may have left it out`;
  const lines = targets.flatMap(({ name: target }) => {
    const missing = levels.filter((level) => !measured.has(placeKey({ target, level })));
    return missing.length === 0
      ? []
      : [`${shortTarget(target)} was not measured at ${describePlaces(missing, scenario.levels)}${why}.`];
  });
  const remedy =
    "Measure what is missing, without stopOn if that left it out, or ask about what was measured: target, and connections or rate.";
  return { lines, remedies: lines.length === 0 ? [] : [remedy] };
}
