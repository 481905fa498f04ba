import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addPreload } from "./preload-option.js";

it.each([
  [undefined, "/a/preload.cjs", "--require=/a/preload.cjs"],
  ["", "/a/preload.cjs", "--require=/a/preload.cjs"],
  [" --no-warnings ", "/a/preload.cjs", "--no-warnings --require=/a/preload.cjs"],
  ["--require=/a/preload.cjs --no-warnings", "/a/preload.cjs", "--require=/a/preload.cjs --no-warnings"],
  [undefined, "/my files/preload.cjs", '--require="/my files/preload.cjs"'],
  [undefined, String.raw`C:\new\preload.cjs`, String.raw`--require="C:\\new\\preload.cjs"`],
])("adds to %j the module %s", (options, module, expected) => {
  expect(addPreload(options, module)).toBe(expected);
});

it.each(["a b", 'a"b', String.raw`a\b`, "ab", "a  'b' é"])("has Node preload a module in a folder named %j", (name) => {
  const folder = mkdtempSync(join(tmpdir(), `lbbench-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const module = join(folder, "preload.cjs");
  writeFileSync(module, 'console.log("preloaded");');
  const env = { ...process.env, NODE_OPTIONS: addPreload("--no-warnings", module) };
  expect(execFileSync(process.execPath, ["-e", "0"], { env, encoding: "utf8" })).toBe("preloaded\n");
});
