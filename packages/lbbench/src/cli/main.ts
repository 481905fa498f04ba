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
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.pass : ExitCode.usage;
  const known = error instanceof Error && "code" in error ? CODES.get(error.code) : undefined;
  if (known !== undefined && error instanceof Error) {
    process.stderr.write(`${error.message.replaceAll(/^/gm, "error: ").replaceAll(/^error: (?=\s)/gm, "")}\n`);
    return known;
  }
  throw error;
}
