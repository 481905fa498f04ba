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
