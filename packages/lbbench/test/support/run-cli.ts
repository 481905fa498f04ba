import { fileURLToPath } from "node:url";
import { startProgram, type CliOutcome, type RunningCli } from "@lbbench/test-support/run-program.js";
import { expect } from "vitest";

/** The file that the command `lbbench` runs. */
export const BIN = fileURLToPath(new URL("../../bin/lbbench.js", import.meta.url));

/** Starts the real `lbbench`. */
export function startCli(args: readonly string[], cwd: string): RunningCli {
  return startProgram(process.execPath, [BIN, ...args], cwd);
}

/** Runs the real `lbbench` to its end, and expects that no process is left of it. */
export async function runCli(args: readonly string[], cwd: string): Promise<CliOutcome> {
  const cli = startCli(args, cwd);
  const outcome = await cli.ended;
  expect(cli.processes(), "processes left behind").toEqual([]);
  return outcome;
}
