import type { Readable } from "node:stream";

/** A line, and how often it came. */
export interface CountedLine {
  readonly line: string;
  readonly count: number;
}

/** Text that was printed, up to a limit. */
export interface CollectedText {
  readonly text: () => string;
  /** Whether there was more than the limit. */
  readonly isCut: () => boolean;
}

/** Collects the text of a stream, up to so many bytes; what is beyond is read and let go. */
export function collectText(stream: Readable, limitBytes: number): CollectedText {
  const chunks: Buffer[] = [];
  let length = 0;
  let cut = false;
  stream.on("data", (chunk: Buffer) => {
    const kept = chunk.subarray(0, limitBytes - length);
    cut ||= kept.length < chunk.length;
    length += kept.length;
    if (kept.length > 0) chunks.push(kept);
  });
  stream.on("error", () => {});
  return { text: () => Buffer.concat(chunks).toString("utf8"), isCut: () => cut };
}

const LONGEST_LINE = 500;

/**
 * Collects the lines of a stream, equal ones together, in the order of their first appearance: a program that complains of
 * every request says the same a million times. Of more different lines than `limit` the later ones are let go.
 */
export function collectLines(stream: Readable, limit: number): () => readonly CountedLine[] {
  const counts = new Map<string, number>();
  let unfinished = "";
  const add = (whole: string): void => {
    const line = whole.slice(0, LONGEST_LINE);
    const count = counts.get(line);
    if (count !== undefined || counts.size < limit) counts.set(line, (count ?? 0) + 1);
  };
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = `${unfinished}${text}`.split("\n");
    unfinished = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    lines.forEach(add);
  });
  stream.on("error", () => {});
  return () => {
    if (unfinished !== "") add(unfinished);
    unfinished = "";
    return [...counts].map(([line, count]) => ({ line, count }));
  };
}
