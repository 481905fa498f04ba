import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { groupBy } from "../../src/stats/group-by.js";
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

/** What is imported only when it is used, by the folder of who does; the linter looks at other imports alone. */
function laterImports(): readonly (readonly [folder: string, lines: string])[] {
  const src = inRepository("packages/lbbench/src");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|test-support\//.test(file),
  );
  const found = files.flatMap((file) =>
    [...readFileSync(join(src, file), "utf8").matchAll(/\bimport\(\s*("\.[^"]+")/g)].map(
      ([, path = ""]) => [dirname(file), `export * from ${path};`] as const,
    ),
  );
  return [...groupBy(found, ([folder]) => folder)].map(([folder, all]) => [
    folder,
    [...new Set(all.map(([, line]) => line))].join("\n"),
  ]);
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
    ["live", 'export * from "../run/run-sweep.js";'],
    ["live", 'export * from "../api/sweep.js";'],
    ["report", 'export * from "../live/live-view.js";'],
    ["import", 'export * from "../run/run-sweep.js";'],
    ["import", 'export { readFile } from "node:fs/promises";'],
    ["report", 'export * from "../import/to-result.js";'],
    ["init", 'export * from "../run/run-sweep.js";'],
    ["run", 'export * from "../init/plan-init.js";'],
    ["../page", 'export * from "../src/config/defaults.js";'],
    ["../page/live", 'export * from "../../src/live/live-server.js";'],
    ["../page/chart", 'export { join } from "node:path";'],
    ["../page", 'export * from "../src/index.js";'],
    ["store", 'export * from "../report/json.js";'],
    ["run", 'export * from "../report/markdown.js";'],
    ["run", 'export * from "../cli/main.js";'],
    ["cli", 'export * from "../run/run-step.js";'],
    ["matchers", 'export * from "../run/run-sweep.js";'],
    ["matchers", 'export * from "../api/sweep.js";'],
    ["matchers", 'export { readFileSync } from "node:fs";'],
    ["matchers", "export const now = Date.now();"],
  ])("refuses in %s: %s", async (folder, line) => {
    expect(await lint(folder, line)).toMatch(/no-restricted/);
  });

  it("is shown what is imported later, which it does not look at by itself", () => {
    expect(laterImports().map(([folder]) => folder)).toEqual(
      expect.arrayContaining(["api", "cli", "doctor", "report"]),
    );
  });

  it.each(laterImports())("accepts in %s what is imported later, as if it were at once: %s", async (folder, lines) => {
    expect(await lint(folder, lines)).toBe("");
  });

  it.each([
    ["stats", 'export * from "../model/level.js";'],
    ["judge", 'export * from "../stats/trials.js";'],
    ["servers", 'export * from "../config/defaults.js";'],
    ["live", 'export type * from "../run/sweep-event.js";'],
    ["../page/live", 'export * from "../../src/live/live-messages.js";'],
    ["../page", 'export * from "../src/report/format-number.js";'],
    ["import", 'export * from "../judge/judge-step.js";'],
    ["cli", 'export * from "../index.js";'],
    ["matchers", 'export * from "../api/compare.js";'],
  ])("accepts in %s: %s", async (folder, line) => {
    expect(await lint(folder, line)).toBe("");
  });
});
