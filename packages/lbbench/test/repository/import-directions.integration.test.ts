import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { inRepository } from "./repository.js";

type Line = readonly [folder: string, code: string];

/** What no file of a folder of packages/lbbench/src may say. */
const REFUSED: readonly Line[] = [
  ["model", 'export * from "../stats/median.js";'],
  ["stats", 'export * from "../judge/judge-step.js";'],
  ["stats", 'export { readFile } from "node:fs/promises";'],
  ["stats", "export const now = Date.now();"],
  ["plan", "export const luck = Math.random();"],
  ["judge", 'export * from "../run/run-step.js";'],
  ["judge", "export const now = performance.now();"],
  ["report", 'export * from "../config/defaults.js";'],
  ["report", 'export * from "../import/to-result.js";'],
  ["report", 'export * from "../live/live-view.js";'],
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
  ["import", 'export * from "../run/run-sweep.js";'],
  ["import", 'export { readFile } from "node:fs/promises";'],
  ["init", 'export * from "../run/run-sweep.js";'],
  ["store", 'export * from "../report/json.js";'],
  ["run", 'export * from "../init/plan-init.js";'],
  ["run", 'export * from "../report/markdown.js";'],
  ["run", 'export * from "../cli/main.js";'],
  ["cli", 'export * from "../run/run-step.js";'],
  ["matchers", 'export * from "../run/run-sweep.js";'],
  ["matchers", 'export * from "../api/sweep.js";'],
  ["matchers", 'export { readFileSync } from "node:fs";'],
  ["matchers", "export const now = Date.now();"],
  ["../page", 'export * from "../src/config/defaults.js";'],
  ["../page", 'export * from "../src/index.js";'],
  ["../page/live", 'export * from "../../src/live/live-server.js";'],
  ["../page/chart", 'export { join } from "node:path";'],
];

const ACCEPTED: readonly Line[] = [
  ["stats", 'export * from "../model/level.js";'],
  ["judge", 'export * from "../stats/trials.js";'],
  ["servers", 'export * from "../config/defaults.js";'],
  ["live", 'export type * from "../run/sweep-event.js";'],
  ["import", 'export * from "../judge/judge-step.js";'],
  ["cli", 'export * from "../index.js";'],
  ["matchers", 'export * from "../api/compare.js";'],
  ["../page", 'export * from "../src/report/format-number.js";'],
  ["../page/live", 'export * from "../../src/live/live-messages.js";'],
];

/** What is imported only when it is used, as if it were at once: the linter does not look at such imports. */
function laterImports(): readonly Line[] {
  const src = inRepository("packages/lbbench/src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|test-support\//.test(file))
    .flatMap((file) =>
      [...readFileSync(join(src, file), "utf8").matchAll(/\bimport\(\s*("\.[^"]+")/g)].map(([, path = ""]): Line => [
        dirname(file),
        `export * from ${path};`,
      ]),
    );
}

it("the linter refuses imports against the direction of the folders, clocks and chance in what is pure, and nothing else", () => {
  const root = temporaryFolder();
  // The patterns of the settings are relative to where these lie.
  copyFileSync(inRepository(".oxlintrc.json"), join(root, ".oxlintrc.json"));
  const later = laterImports();
  expect(later.map(([folder]) => folder)).toEqual(expect.arrayContaining(["api", "cli", "doctor", "report"]));
  const lines = [...REFUSED, ...ACCEPTED, ...later];
  for (const [at, [folder, code]] of lines.entries()) {
    const file = join(root, "packages/lbbench/src", folder, `line-${at}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${code}\n`);
  }
  const oxlint = inRepository("node_modules/oxlint/bin/oxlint");
  const { stdout } = spawnSync(process.execPath, [oxlint, "--format", "json", "packages"], { cwd: root });
  const { diagnostics } = JSON.parse(String(stdout)) as {
    readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  };
  expect(diagnostics.filter(({ code }) => !code.includes("no-restricted"))).toEqual([]);
  const found = new Set(diagnostics.map(({ filename }) => Number(/line-(\d+)\.ts$/.exec(filename)?.[1])));
  expect(lines.filter((_, at) => found.has(at))).toEqual(REFUSED);
});
