import { join } from "node:path";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { expect } from "vitest";
import { ExitCode } from "../../src/cli/io.js";
import { readMarkdown, readStoredResult } from "./read-report.js";
import { runCommand } from "./run-command.js";

/** Runs a command line that leaves its report in `out` of a folder, expects how it ends, and resolves with the result and what was printed. */
export async function runAndRead(
  line: string | readonly string[],
  cwd = temporaryFolder(),
  expectedCode: number = ExitCode.pass,
) {
  const { code, stdout, stderr } = await runCommand(line, cwd);
  expect(code, stderr + stdout).toBe(expectedCode);
  const out = join(cwd, "out");
  return { ...readStoredResult(out), stdout, stderr, report: () => readMarkdown(out) };
}
