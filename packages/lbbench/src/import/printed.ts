/** What programs print: tables of their lines, and one reader for all of them. */
import type { LatencySummary, Measurement, RequestCounts } from "../model/measurement.js";
import { defined } from "../stats/defined.js";

/** A program that generates load did not do what it was asked to, or what it printed cannot be understood. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code = "PROGRAM_FAILED";
}

/** What a program tells of a run; the rest of the measurement is known without it. */
export type ProgramFigures = Pick<
  Measurement,
  | "elapsedMs"
  | "requests"
  | "statusCodes"
  | "errorCodes"
  | "bytes"
  | "latency"
  | "failedLatency"
  | "histogram"
  | "phases"
  | "doubts"
>;

/** A line of text, with its number from 1. */
export interface NumberedLine {
  readonly text: string;
  readonly number: number;
}

/**
 * A line that a program prints: `once` in the order of the rows, which is the default; `may`, the same or not at all; `then`, where the last
 * one before that may come did; `often`, any number of times and anywhere.
 */
type Comes = "once" | "may" | "then" | "often";

interface Row {
  /** The words that it begins with, as messages have them; `N` for a number before them. */
  readonly label: string;
  /** Under which its figures are kept. */
  readonly key: string;
  readonly pattern: RegExp;
  readonly comes: Comes;
}

/** The lines of a program, in their order. */
export type Layout = readonly Row[];

const NUMBER = String.raw`(-?\d+(?:\.\d+)?)`;
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  N: NUMBER,
  C: String.raw`(\d+)`,
  T: String.raw`(?:${NUMBER} ?(ns|us|µs|ms|secs?|s|min|m|hr?)|(?:NaN|-?inf) \w+)`,
  S: String.raw`${NUMBER} ?([KMGT]?i?B|kB|bytes)`,
};

/** Rows of [key, pattern, comes]; in a pattern `<N>`, `<C>`, `<T>` and `<S>` are a number, a count, a time and a size, with its unit. */
export function layoutOf(...rows: readonly (readonly [key: string, pattern: string, comes?: Comes])[]): Layout {
  return rows.map(([key, pattern, comes = "once"]) => ({
    label: (pattern.replace(/^(?:\(.*?\)|<.>)/, "N").split(/[<([\\?]|\.\*/)[0] ?? "").trim(),
    key,
    pattern: new RegExp(`^(?:${pattern.replaceAll(/<([A-Z])>/g, (_, name: string) => PLACEHOLDERS[name] ?? "")})$`),
    comes,
  }));
}

/** What was read of a block of lines. */
export interface Printed {
  /** What the lines of a key capture, in their order; a group that took no part is `""`. */
  readonly all: (key: string) => readonly (readonly string[])[];
  /** Of the first of them; empty where there is none. */
  readonly texts: (key: string) => readonly string[];
  readonly has: (key: string) => boolean;
  readonly number: (key: string) => number | undefined;
  readonly lines: readonly NumberedLine[];
  /** A line that has to be there, and what came in its place; the lines before it were read. */
  readonly missing?: { readonly expected: string; readonly line: NumberedLine };
}

/** Whether a block of lines may begin with this one: with the first that has to come, or one that may before it. */
export function beginsWith(layout: Layout, line: NumberedLine): boolean {
  const first = layout.findIndex(({ comes }) => comes === "once");
  const beginnings =
    first === -1 ? layout.slice(0, 1) : layout.slice(0, first + 1).filter(({ comes }) => comes !== "often");
  return beginnings.some(({ pattern }) => pattern.test(clean(line.text)));
}

/** Whether a line can only be a part of a block. */
export function isInside(layout: Layout, line: NumberedLine): boolean {
  return layout.some(({ comes, pattern }) => comes === "once" && pattern.test(clean(line.text)));
}

/** One space between words, and none of the borders of tables. */
function clean(text: string): string {
  return text.replaceAll("│", " ").replaceAll(/\s+/g, " ").trim();
}

/** Reads a block of lines, from one on: as far as they come in the order of the layout. Empty lines do not count. */
export function readPrinted(layout: Layout, lines: readonly NumberedLine[], from = 0): Printed {
  const found = new Map<string, string[][]>();
  let [next, end] = [0, from];
  const isMissing = (row: number): boolean => {
    const { comes } = layout[row] as Row;
    const head = layout.findLast((one, at) => at < row && one.comes === "may");
    return comes === "once" || (comes === "then" && head !== undefined && found.has(head.key));
  };
  const missingBefore = (until: number): Row | undefined =>
    layout.find((_, row) => row >= next && row < until && isMissing(row));
  let missing: Row | undefined;
  for (let at = from; at < lines.length && missing === undefined; at += 1) {
    const text = clean(lines[at]?.text ?? "");
    if (text === "") continue;
    const row = layout.findIndex(
      ({ comes, pattern }, index) => (index >= next || comes === "often") && pattern.test(text),
    );
    if (row === -1) break;
    const { key, pattern, comes } = layout[row] as Row;
    if (comes !== "often") {
      missing = missingBefore(row);
      if (missing !== undefined) break;
      next = row + 1;
    }
    const captured = Array.from(pattern.exec(text) ?? [], (group: string | undefined) => group ?? "").slice(1);
    const before = found.get(key);
    if (before === undefined) found.set(key, [captured]);
    else before.push(captured);
    end = at + 1;
  }
  missing ??= missingBefore(layout.length);
  const all = (key: string): readonly (readonly string[])[] => found.get(key) ?? [];
  const texts = (key: string): readonly string[] => all(key)[0] ?? [];
  const last = { text: "", number: (lines.at(-1)?.number ?? 0) + 1 };
  return {
    all,
    texts,
    has: (key) => found.has(key),
    number: (key) => texts(key).map(Number)[0],
    lines: lines.slice(from, end),
    ...defined({
      missing: missing && {
        expected: missing.label,
        line: lines.slice(end).find(({ text }) => text.trim() !== "") ?? last,
      },
    }),
  };
}

/** Numbers the lines of a text. */
export function numberLines(text: string): readonly NumberedLine[] {
  return text.split(/\r?\n/).map((line, index) => ({ text: line, number: index + 1 }));
}

/**
 * Says whose latencies those of all answers are: of ok requests where no answer had an unexpected status, of failed ones where all had and
 * nothing failed besides, and otherwise of neither.
 */
export function latencyByStatus(
  { sent, non2xx }: RequestCounts,
  latency: LatencySummary | undefined,
): Pick<ProgramFigures, "latency" | "failedLatency"> {
  if (latency === undefined) return {};
  if (non2xx === 0) return { latency };
  return sent === non2xx ? { failedLatency: latency } : {};
}

/** Words for errors of the system, in C and in Go, on every system. */
const SYSTEM_ERRORS: readonly (readonly [words: string, code: string])[] = [
  ["connection refused", "ECONNREFUSED"],
  ["connection reset by peer", "ECONNRESET"],
  ["broken pipe", "EPIPE"],
  ["no such host", "ENOTFOUND"],
  ["no route to host", "EHOSTUNREACH"],
  ["network is unreachable", "ENETUNREACH"],
  ["timed out", "ETIMEDOUT"],
  ["cannot assign requested address", "EADDRNOTAVAIL"],
  ["too many open files", "EMFILE"],
];

/** Returns the code of the system's error that a message names, if it does. */
export function systemErrorOf(message: string): string | undefined {
  return SYSTEM_ERRORS.find(([words]) => message.toLowerCase().includes(words))?.[1];
}
