import type { Layout, Printed, ProgramFigures } from "./printed.js";
import type { ToldCommand } from "./read-command.js";
import type { Doubt } from "../model/measurement.js";

/** What is said beside the files, because their output does not tell it. */
export interface NotInOutput {
  /** Connections of runs that do not tell them, as those of hey; where a run tells others, it is refused. */
  readonly connections?: number;
  /** Time that runs were asked to last, where they do not tell it, as `ab -t`; the same. */
  readonly durationMs?: number;
}

/** What the output of one run tells, of any program; `undefined` or `null` where it does not. */
export interface ImportedRun {
  readonly program: string;
  readonly version?: string | null;
  /** What was asked for. */
  readonly url?: string | undefined;
  /** Requests under way at a time. */
  readonly connections?: number | undefined;
  /** Connections they were sent over, where that is another number. */
  readonly sockets?: number | undefined;
  /** Connections that were opened at most. */
  readonly opened?: number | undefined;
  /** One of the two at most. */
  readonly amount: { readonly requests?: number | undefined; readonly durationMs?: number | undefined };
  /** The amount is how many requests there were: nothing tells whether that many were asked for, or a time. */
  readonly isAmountCounted?: boolean | undefined;
  readonly keepAlive?: boolean | null;
  /** ISO 8601. */
  readonly startedAt?: string | undefined;
  /** Absent where the program gave up. */
  readonly figures?: Pick<ProgramFigures, "elapsedMs" | "requests"> & Partial<ProgramFigures>;
  /** Why the program gave up. */
  readonly failure?: string;
  readonly doubts?: readonly Doubt[];
  /** Conditions of k6, which are not taken over. */
  readonly thresholds?: readonly string[];
}

/** What a reader tells of a run. */
export type ReadFigures = Omit<ImportedRun, "program">;

/** How the output of a program is read. All throw a `ProgramError` where it cannot be true. */
export interface Reader {
  readonly layout: Layout;
  /** Reads a block of text that has all its lines. */
  readonly read: (printed: Printed, command: ToldCommand, told: NotInOutput) => ReadFigures;
  /** Says why the program gave up before it told anything; `undefined` where it did not. */
  readonly gaveUp?: (printed: Printed) => string | undefined;
  /** Reads its JSON; `undefined` for any other. */
  readonly readJson?: (value: unknown, command: ToldCommand, told: NotInOutput) => ReadFigures | undefined;
}

/** A run, and where its output stands. */
export interface ReadRun extends ImportedRun {
  /** Name of its file. */
  readonly file: string;
  /** `runs.txt:12-45` */
  readonly place: string;
  /** What was printed. */
  readonly output: string;
}

/** A file that cannot be imported: it is no text, or the output in it is not whole. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "IMPORT_FAILED";
}
