import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { inRepository } from "./repository.js";

type Line = readonly [folder: string, code: string];

/** What no file of a folder of packages/lbbench/src may say: the modules that it may not import, and whole lines. */
const REFUSED: readonly Line[] = [
  ...importsIn("model", "../stats/median.js"),
  ...importsIn("stats", "../judge/judge-step.js", "node:fs/promises"),
  ...importsIn("judge", "../run/run-step.js"),
  ...importsIn("report", "../config/defaults.js", "../import/to-result.js", "../live/live-view.js", "node:http"),
  ...importsIn("report/charts", "../../engines/recorder.js"),
  ...importsIn("system", "../run/run-step.js", "../plugin.js"),
  ...importsIn("config", "../servers/single.js"),
  ...importsIn("engines", "../config/resolve.js"),
  ...importsIn("servers", "../run/run-step.js"),
  ...importsIn("doctor", "../api/sweep.js"),
  ...importsIn("live", "../run/run-sweep.js", "../api/sweep.js"),
  ...importsIn("import", "../run/run-sweep.js", "node:fs/promises"),
  ...importsIn("init", "../run/run-sweep.js"),
  ...importsIn("store", "../report/json.js"),
  ...importsIn("run", "../store/read-result.js", "../init/plan-init.js", "../report/markdown.js", "../cli/main.js"),
  ...importsIn("cli", "../run/run-step.js"),
  ...importsIn("matchers", "../run/run-sweep.js", "../api/sweep.js", "node:fs"),
  ...importsIn("../page", "../src/config/defaults.js", "../src/index.js"),
  ...importsIn("../page/live", "../../src/live/live-server.js"),
  ...importsIn("../page/chart", "node:path"),
  ["stats", "export const now = Date.now();"],
  ["plan", "export const luck = Math.random();"],
  ["judge", "export const now = performance.now();"],
  ["matchers", "export const now = Date.now();"],
];

function importsIn(folder: string, ...modules: readonly string[]): readonly Line[] {
  return modules.map((module) => [folder, `export * from "${module}";`]);
}

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
  expect(later.map(([folder]) => folder)).toEqual(expect.arrayContaining(["api", "cli/commands", "doctor", "report"]));
  const lines = [...REFUSED, ...later];
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
