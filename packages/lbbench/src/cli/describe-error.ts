import { inspect } from "node:util";
import { ExitCode } from "./exit-code.js";
import { toPrintable } from "./printable.js";

/** Exit codes of the errors that a user can do something about; any other error is a bug and keeps its stack trace. */
const CODES = new Map<unknown, number>([
  ["BAD_CONFIG", ExitCode.usage],
  ["IMPORT_FAILED", ExitCode.usage],
  ["OUTPUT_FAILED", ExitCode.usage],
  ["START_FAILED", ExitCode.unreachable],
]);

/** What is printed for an error, with a line break at its end, and the exit code. */
export interface ErrorDescription {
  readonly text: string;
  readonly exitCode: number;
}

/** Describes an error for whoever typed the command: its message, or a stack trace when it is a bug. */
export function describeError(error: unknown): ErrorDescription {
  const exitCode = error instanceof Error && "code" in error ? CODES.get(error.code) : undefined;
  if (exitCode === undefined || !(error instanceof Error)) {
    return { text: `This is a bug in lbbench, please report it:\n${inspect(error)}\n`, exitCode: ExitCode.bug };
  }
  // A line that is indented continues the one above it.
  return { text: `${toPrintable(error.message).replaceAll(/^(?!\s|$)/gm, "error: ")}\n`, exitCode };
}
