import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { isRunning } from "../testing/contract.js";
import { readVersion } from "./read-machine.js";

const PATIENCE = { timeout: 60_000, interval: 20 };

const NEVER = new AbortController().signal;

/** The path of a program that is this script. */
function program(script: string): string {
  const path = join(temporaryFolder(), "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe.runIf(process.platform === "linux")("readVersion", () => {
  it.each([
    ["on stdout", 'echo "Tool 1.2.3"', "1.2.3"],
    ["on stderr", 'echo "tool version: tool/1.22" >&2', "1.22"],
    ["with an exit code", 'echo "tool v4.1.0-3+b2 [epoll]"; exit 1', "4.1.0"],
    ["nowhere", 'echo "Usage: tool"; echo "  -t  seconds (1.5)"', "found; it does not tell its version"],
  ])("reads what is printed %s", async (_, script, expected) => {
    expect(await readVersion({ name: program(script), args: ["-v"] }, NEVER)).toBe(expected);
  });

  it("is null for a program that is not there", async () => {
    expect(await readVersion({ name: "lbbench-no-such-tool", args: [] }, NEVER)).toBeNull();
  });

  it("ends a program, and what that has started, when it is stopped", async () => {
    const controller = new AbortController();
    const started = join(temporaryFolder(), "started");
    const reading = readVersion(
      { name: program(`sleep 60 & echo $! > ${started}; wait`), args: [] },
      controller.signal,
    );
    const pid = await vi.waitFor(() => Number(readFileSync(started, "utf8").trim() || Number.NaN), PATIENCE);
    controller.abort();
    expect(await reading).toBeNull();
    expect(isRunning(pid)).toBe(false);
  });
});
