import type { ProgramFigures } from "../engines/programs/printed.js";
import type { Doubt } from "../model/measurement.js";

/** What is said beside the files, because their output does not tell it. */
export interface NotInOutput {
  /** Connections of runs that do not tell them, as those of hey; where a run tells others, it is refused. */
  readonly connections?: number;
  /** Time that runs were asked to last, where they do not tell it, as `ab -t`; the same. */
  readonly durationMs?: number;
}

/** What the output of one run tells, whatever the program; absent or `null` is what it does not. */
export interface ImportedRun {
  readonly program: string;
  readonly version: string | null;
  /** What was asked for; absent where it is not told. */
  readonly url?: string;
  /** What the target is called, where the output itself names it. */
  readonly target?: string;
  /** Requests under way at a time. */
  readonly connections: number;
  /** Connections they were sent over, where that is another number. */
  readonly sockets?: number;
  /** Connections that were opened at most. */
  readonly opened?: number;
  /** Exactly one of the two. */
  readonly amount: { readonly requests: number } | { readonly durationMs: number };
  /** The amount is how many requests there were: nobody tells whether that many were asked for, or a time. */
  readonly isAmountCounted?: true;
  /** Which repetition it is, where the output itself says so. */
  readonly trial?: number;
  readonly keepAlive: boolean | null;
  /** ISO 8601. */
  readonly startedAt?: string;
  /** Absent where the program gave up. */
  readonly figures?: ProgramFigures;
  /** Why the program gave up. */
  readonly failure?: string;
  readonly doubts: readonly Doubt[];
  /** What was printed. */
  readonly output: string;
}

/** The output of one run in a file. */
export interface Block {
  readonly program: "ab" | "wrk" | "hey" | "json";
  /** Its lines, from `first` to `last`, numbered from 1. */
  readonly lines: readonly string[];
  readonly first: number;
  readonly last: number;
  /** What stands between it and the block before: prompts, comments, commands. */
  readonly before: readonly string[];
}

/** The text of a block, with an empty line for each before it, so that whoever counts lines counts those of the file. */
export function textInPlace({ lines, first }: Block): string {
  return "\n".repeat(first - 1) + lines.join("\n");
}

/** Names the place of a block: `runs.txt:12-45`. */
export function placeOf(file: string, { first, last }: Pick<Block, "first" | "last">): string {
  return `${file}:${first === last ? first : `${first}-${last}`}`;
}

/** A file that cannot be imported: not the output of a program that is known, cut, damaged, or in another language. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "IMPORT_FAILED";
}
