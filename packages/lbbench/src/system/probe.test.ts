import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { addPreload, loopUtilization, type LoopReading } from "./probe.js";

const BEFORE: LoopReading = { idleMs: 5000, activeMs: 1000, atMs: 100 };

it.each<[string, number, LoopReading | undefined, LoopReading]>([
  ["what it did not wait between the questions", 0.75, BEFORE, { idleMs: 5250, activeMs: 1750, atMs: 1100 }],
  ["all the time when it never waited", 1, BEFORE, { idleMs: 5000, activeMs: 2000, atMs: 1100 }],
  ["as much when it answers 3 s late", 0.75, BEFORE, { idleMs: 5250, activeMs: 4750, atMs: 1100 }],
  ["since its begin when it was not there before", 0.25, undefined, { idleMs: 300, activeMs: 100, atMs: 1100 }],
  ["since its begin when another process had its pid", 0.25, BEFORE, { idleMs: 300, activeMs: 100, atMs: 1100 }],
  ["nothing before its loop began", 0, undefined, { idleMs: 0, activeMs: 0, atMs: 1100 }],
  ["nothing when no time has passed", 0, BEFORE, BEFORE],
  ["never less than nothing", 0, BEFORE, { idleMs: 7000, activeMs: 1000, atMs: 1100 }],
])("an event loop was busy for %s", (_, expected, before, after) => {
  expect(loopUtilization(before, after)).toBe(expected);
});

describe("the option by which Node preloads a module", () => {
  it.each([
    [undefined, "/a/preload.cjs", "--require=/a/preload.cjs"],
    [" --no-warnings ", "/a/preload.cjs", "--no-warnings --require=/a/preload.cjs"],
    ["--require=/a/preload.cjs --no-warnings", "/a/preload.cjs", "--require=/a/preload.cjs --no-warnings"],
    [undefined, String.raw`C:\new\preload.cjs`, String.raw`--require="C:\\new\\preload.cjs"`],
  ])("added to %j for %s is %s", (options, module, expected) => {
    expect(addPreload(options, module)).toBe(expected);
  });

  it("is understood by Node, whatever the folder is called", () => {
    const name = String.raw`a  "b" \'é' -/preload.cjs`;
    const module = join(temporaryFolder({ [name]: 'console.log("preloaded");' }), name);
    const env = { ...process.env, NODE_OPTIONS: addPreload("--no-warnings", module) };
    expect(execFileSync(process.execPath, ["-e", "0"], { env, encoding: "utf8" })).toBe("preloaded\n");
  });
});
