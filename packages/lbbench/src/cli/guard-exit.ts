import { writeSync } from "node:fs";
import { ExitCode } from "./exit-code.js";

const MESSAGE =
  "error: expected the command to come to its end, but the process ended before: a plugin or a config file that calls process.exit, " +
  "throws where nobody can catch it, or waits for what never comes. Nothing was judged; mend what is named above, or look for such a call\n";

/**
 * Makes an end of this process an error, whatever its code, which would pass for a verdict; returns what allows it again. An
 * interruption has a code of its own and stays one.
 */
export function guardExit(): () => void {
  const refuse = (code: number): void => {
    if (code === ExitCode.interrupted) return;
    writeSync(process.stderr.fd, MESSAGE);
    process.exitCode = ExitCode.usage;
  };
  process.once("exit", refuse);
  return () => void process.off("exit", refuse);
}
