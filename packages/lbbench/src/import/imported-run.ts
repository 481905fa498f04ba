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
  /** What was asked for. */
  readonly url?: string;
  /** Requests under way at a time. */
  readonly connections?: number;
  /** Connections they were sent over, where that is another number. */
  readonly sockets?: number;
  /** Connections that were opened at most. */
  readonly opened?: number;
  /** One of the two at most. */
  readonly amount: { readonly requests?: number; readonly durationMs?: number };
  /** The amount is how many requests there were: nothing tells whether that many were asked for, or a time. */
  readonly isAmountCounted?: true;
  readonly keepAlive: boolean | null;
  /** ISO 8601. */
  readonly startedAt?: string;
  /** Absent where the program gave up. */
  readonly figures?: ProgramFigures;
  /** Requests per second, where neither their number nor a time is told. */
  readonly rate?: number;
  /** Why the program gave up. */
  readonly failure?: string;
  readonly doubts: readonly Doubt[];
  /** Conditions of k6, which are not taken over. */
  readonly thresholds?: readonly string[];
}

/** A run, and where its output stands. */
export interface ReadRun extends ImportedRun {
  /** `runs.txt:12-45` */
  readonly place: string;
  /** What was printed, cleaned. */
  readonly output: string;
}

/** Names the place of some lines: `runs.txt:12-45`. */
export function placeOf(file: string, first: number, last: number): string {
  return `${file}:${first === last ? first : `${first}-${last}`}`;
}

/** A file that cannot be imported: it is no text, or tells neither requests nor a rate. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "IMPORT_FAILED";
}
