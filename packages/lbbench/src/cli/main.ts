import { CommanderError } from "commander";
import { describeError } from "./describe-error.js";
import { ExitCode } from "./exit-code.js";
import { guardExit } from "./guard-exit.js";
import { createProgram } from "./program.js";

/** Runs a command line (without program and script) and resolves with its exit code; prints errors to stderr. */
export async function main(argv: readonly string[]): Promise<number> {
  // A reader that has gone away (`lbbench proxy --log | head`) is no reason to stop, and nothing can be told to it.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const releaseExit = guardExit();
  let code: number = ExitCode.pass;
  const program = createProgram((outcome) => {
    code = outcome;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.pass : ExitCode.usage;
    const { text, exitCode } = describeError(error);
    process.stderr.write(text);
    return exitCode;
  } finally {
    releaseExit();
  }
}
