import { CommanderError } from "commander";
import { describeError } from "./describe-error.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo, Output } from "./io.js";
import { createProgram } from "./program.js";

const WIDTH_WITHOUT_TERMINAL = 80;

/**
 * Runs a command line (without program and script) and resolves with its exit code; prints errors to stderr. It knows of the process
 * nothing but `io`.
 */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  let code: number = ExitCode.pass;
  const program = createProgram(async (command) => {
    code = await command({ ...io, argv });
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => widthOf(io.stdout),
      getErrHelpWidth: () => widthOf(io.stderr),
    });
  }
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.pass : ExitCode.usage;
    const { text, exitCode } = describeError(error);
    io.stderr.write(text);
    return exitCode;
  }
}

function widthOf({ isTTY, columns }: Output): number {
  return (isTTY === true ? columns : undefined) ?? WIDTH_WITHOUT_TERMINAL;
}
