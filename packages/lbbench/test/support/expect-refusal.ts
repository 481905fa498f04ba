import { expect } from "vitest";
import { ExitCode } from "../../src/cli/io.js";
import type { CommandOutcome } from "./run-command.js";

/**
 * Expects that a command line was refused: the exit code (2 by default), nothing on stdout, and on stderr one message
 * that holds every one of `parts`, without a stack trace.
 */
export function expectRefusal(
  { code, stdout, stderr }: CommandOutcome,
  parts: readonly string[],
  expectedCode: number = ExitCode.usage,
): void {
  expect({ code, stdout }, stderr).toEqual({ code: expectedCode, stdout: "" });
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr.match(/^error: /gm) ?? [], stderr).toHaveLength(1);
  expect(stderr, "a stack trace").not.toMatch(/^\s+at /m);
}
