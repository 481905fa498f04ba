import { writeSync } from "node:fs";

const MESSAGE =
  "::error::Expected the step to come to its end, but the process ended before: a plugin or a config file that calls process.exit, " +
  "throws where nobody can catch it, or waits for what never comes. Nothing was judged.\n";

/** Fails the step where this process ends before it is done, as if all was well or not; returns what allows it to end. */
export function guardExit(): () => void {
  const fail = (code: number): void => {
    writeSync(process.stdout.fd, MESSAGE);
    if (code === 0) process.exitCode = 1;
  };
  process.once("exit", fail);
  return () => void process.off("exit", fail);
}
