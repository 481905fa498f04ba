import type { Readable } from "node:stream";

/** Keeps the last lines a stream printed, for the message of an error. */
export interface OutputTail {
  readonly lines: () => readonly string[];
}

const KEPT_LINES = 20;
const KEPT_LINE_LENGTH = 500;

/** Follows streams of text and keeps their last 20 lines, each cut at 500 characters, in the order they came. */
export function followOutput(...streams: readonly (Readable | null | undefined)[]): OutputTail {
  const kept: string[] = [];
  const unfinished: string[] = streams.map(() => "");
  streams.forEach((stream, index) => {
    stream?.setEncoding("utf8");
    stream?.on("data", (text: string) => {
      const lines = `${unfinished[index] ?? ""}${text}`.split(/\r?\n/);
      unfinished[index] = (lines.pop() ?? "").slice(0, KEPT_LINE_LENGTH);
      for (const line of lines) kept.push(line.slice(0, KEPT_LINE_LENGTH));
      kept.splice(0, Math.max(0, kept.length - KEPT_LINES));
    });
    stream?.on("error", () => {});
  });
  return { lines: () => [...kept, ...unfinished.filter((line) => line !== "")].slice(-KEPT_LINES) };
}
