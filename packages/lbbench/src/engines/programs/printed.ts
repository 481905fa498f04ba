/** Reading what a program printed: whatever is not as expected is an error that names the line. */
import type { LatencySummary, Measurement, RequestCounts } from "../../model/measurement.js";

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

/** A line of what a program printed, with its number from 1. */
export interface NumberedLine {
  readonly text: string;
  readonly number: number;
}

/** Lines that are read by their beginnings. */
export type PrintedLines = ReturnType<typeof readLines>;

const SHOWN_LENGTH = 120;

/** @param source whose text it is, for messages: `ab`. */
export function readLines(source: string, text: string) {
  const all: readonly NumberedLine[] = text
    .split("\n")
    .map((line, index) => ({ text: line.replace(/\r$/, ""), number: index + 1 }));
  /** An error about all of it. */
  const error = (problem: string): ProgramError => new ProgramError(`cannot read what ${source} printed: ${problem}`);
  /** An error about a line. */
  const unlike = (line: NumberedLine, expected: string): ProgramError =>
    error(`line ${line.number}: expected ${expected}, got ${JSON.stringify(line.text.slice(0, SHOWN_LENGTH))}`);
  /** What a pattern captures in the only line that begins so; throws when there are more, or it does not fit. */
  const find = (beginning: string, pattern: RegExp): readonly string[] | undefined => {
    const [line, second] = all.filter(({ text: one }) => one.startsWith(beginning));
    if (line === undefined) return undefined;
    const wanted = JSON.stringify(beginning.trim());
    if (second !== undefined) throw unlike(second, `one line with ${wanted}, which line ${line.number} is`);
    const found = pattern.exec(line.text.slice(beginning.length));
    if (found === null) throw unlike(line, `${wanted} and its figures`);
    return found.slice(1);
  };
  /** The same; throws also when there is no such line. */
  const only = (beginning: string, pattern: RegExp): readonly string[] => {
    const found = find(beginning, pattern);
    if (found === undefined) throw error(`expected a line with ${JSON.stringify(beginning.trim())}, none came`);
    return found;
  };
  /** The number that the pattern captures first, as `find` and as `only` do. */
  const findNumber = (...line: Parameters<typeof find>): number | undefined => find(...line)?.map(Number)[0];
  const number = (...line: Parameters<typeof only>): number => Number(only(...line)[0]);
  return { all, find, only, findNumber, number, unlike, error };
}

/**
 * Returns the time of a run by whichever is more exact, the time that is printed or the count over the rate; of both it is told half of the
 * last digit.
 */
export function elapsedByRate({
  count,
  elapsedMs,
  elapsedResolutionMs,
  perSecond = 0,
  rateResolution,
}: Readonly<Record<"count" | "elapsedMs" | "elapsedResolutionMs" | "rateResolution", number>> & {
  readonly perSecond: number | undefined;
}): number {
  const byRateMs = (count / perSecond) * 1000;
  return byRateMs * (rateResolution / perSecond) < elapsedResolutionMs ? byRateMs : elapsedMs;
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
