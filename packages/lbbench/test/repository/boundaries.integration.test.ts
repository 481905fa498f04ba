import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { inRepository } from "./repository.js";

const run = promisify(execFile);
const root = mkdtempSync(join(tmpdir(), "lbbench-lint-"));
// The patterns of the settings are relative to where these lie.
copyFileSync(inRepository(".oxlintrc.json"), join(root, ".oxlintrc.json"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What the linter says of a file with this one line, were it in that folder of packages/lbbench/src. */
async function lint(folder: string, line: string): Promise<string> {
  const file = join(root, "packages/lbbench/src", folder, "probe.ts");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${line}\n`);
  try {
    await run(inRepository("node_modules/.bin/oxlint"), ["--deny-warnings", "packages"], { cwd: root });
    return "";
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(file);
  }
}

describe("the linter", () => {
  it.each([
    ["model", 'export * from "../stats/median.js";'],
    ["stats", 'export * from "../judge/judge-step.js";'],
    ["stats", 'export { readFile } from "node:fs/promises";'],
    ["stats", "export const now = Date.now();"],
    ["plan", "export const luck = Math.random();"],
    ["judge", 'export * from "../run/run-step.js";'],
    ["judge", "export const now = performance.now();"],
    ["report", 'export * from "../config/defaults.js";'],
    ["report", 'export { request } from "node:http";'],
    ["report/charts", 'export * from "../../engines/recorder.js";'],
    ["child", 'export * from "../model/level.js";'],
    ["probe", 'export * from "../run/run-step.js";'],
    ["config", 'export * from "../servers/single.js";'],
    ["engines", 'export * from "../config/resolve-scenario.js";'],
    ["servers", 'export * from "../run/run-step.js";'],
    ["doctor", 'export * from "../api/sweep.js";'],
    ["store", 'export * from "../report/json.js";'],
    ["run", 'export * from "../report/markdown.js";'],
    ["run", 'export * from "../cli/main.js";'],
    ["cli", 'export * from "../run/run-step.js";'],
  ])("refuses in %s: %s", async (folder, line) => {
    expect(await lint(folder, line)).toMatch(/no-restricted/);
  });

  it.each([
    ["stats", 'export * from "../model/level.js";'],
    ["judge", 'export * from "../stats/trials.js";'],
    ["servers", 'export * from "../config/defaults.js";'],
    ["cli", 'export * from "../index.js";'],
  ])("accepts in %s: %s", async (folder, line) => {
    expect(await lint(folder, line)).toBe("");
  });
});
