import { inspect, stripVTControlCharacters } from "node:util";
import { CommanderError } from "commander";
import { ExitCode } from "./exit-code.js";
import { createProgram } from "./program.js";

/** Exit codes of the errors that a user can do something about; any other error is a bug and keeps its stack trace. */
const CODES = new Map<unknown, number>([
  ["BAD_CONFIG", ExitCode.usage],
  ["OUTPUT_FAILED", ExitCode.usage],
  ["START_FAILED", ExitCode.unreachable],
]);

/** Runs a command line (without program and script) and resolves with its exit code; prints errors to stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  // A reader that has gone away (`lbbench proxy --log | head`) is no reason to stop, and nothing can be told to it.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  let code: number = ExitCode.pass;
  const program = createProgram((outcome) => {
    code = outcome;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  // Commander has printed it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.pass : ExitCode.usage;
  const known = error instanceof Error && "code" in error ? CODES.get(error.code) : undefined;
  if (known === undefined || !(error instanceof Error)) {
    process.stderr.write(`This is a bug in lbbench, please report it:\n${inspect(error)}\n`);
    return ExitCode.bug;
  }
  process.stderr.write(formatError(error.message));
  return known;
}

/** A message with `error: ` before each of its lines that does not continue the one above it, by being indented. */
function formatError(message: string): string {
  // A message may quote a file, a server or a command line.
  const printable = stripVTControlCharacters(message).replaceAll(/[^\P{Cc}\n\t]/gu, " ");
  return `${printable.replaceAll(/^(?!\s|$)/gm, "error: ")}\n`;
}
