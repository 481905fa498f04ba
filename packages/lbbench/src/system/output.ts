/** Reads what a program prints: its last lines for a message, all of its text, or its lines with their counts. */
import type { Readable } from "node:stream";

const KEPT_LINES = 20;
const LONGEST_LINE = 500;

/** Follows streams, for the message of an error: tells their last 20 lines, each cut at 500 characters, in the order they came. */
export function followOutput(...streams: readonly (Readable | null)[]): () => readonly string[] {
  const kept: string[] = [];
  const add = (line: string): void => void (kept.push(line) > KEPT_LINES && kept.shift());
  const unfinished = streams.map((stream) => stream && eachLine(stream, add));
  return () => [...kept, ...unfinished.flatMap((rest) => rest?.() || [])].slice(-KEPT_LINES);
}

/** The most characters to keep of a program that is run once. */
export const MOST_OUTPUT = 16 * 1024 * 1024;

/** Collects the text of a stream, up to so many characters; the rest is read and dropped. */
export function collectText(stream: Readable, limit: number): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    if (text.length < limit) text += chunk.slice(0, limit - text.length);
  });
  stream.on("error", () => {});
  return () => text;
}

/** A line, and how often it came. */
export interface CountedLine {
  readonly line: string;
  readonly count: number;
}

/**
 * Collects the lines of a stream, equal ones together, in the order of their first appearance: a program that complains of
 * every request says the same a million times. After `limit` different lines, new ones are dropped.
 */
export function collectLines(stream: Readable, limit: number): () => readonly CountedLine[] {
  const counts = new Map<string, number>();
  const add = (line: string): void => {
    const count = counts.get(line);
    if (count !== undefined || counts.size < limit) counts.set(line, (count ?? 0) + 1);
  };
  const unfinished = eachLine(stream, add);
  return () => {
    const rest = unfinished();
    if (rest !== "") add(rest);
    return [...counts].map(([line, count]) => ({ line, count }));
  };
}

/** Calls `add` with each line of a stream, cut at 500 characters; returns a function that gives the line without an end so far. */
function eachLine(stream: Readable, add: (line: string) => void): () => string {
  let unfinished = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = `${unfinished}${text}`.split(/\r?\n/);
    unfinished = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) add(line.slice(0, LONGEST_LINE));
  });
  stream.on("error", () => {});
  return () => unfinished;
}
