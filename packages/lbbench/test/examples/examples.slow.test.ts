import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResult } from "../../src/store/read-result.js";
import { needs } from "@lbbench/test-support/needs.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { EXAMPLES, RUNNER, type ExampleRun } from "./examples.js";

it("kept reports say what lbbench says of their results today", () => {
  const { stderr } = spawnSync(process.execPath, [inRepository("docs/update.mjs"), "--check"], { encoding: "utf8" });
  expect(stderr).toBe("");
});

/** They take some ten seconds each on a machine that does nothing else. */
const LONGEST_MS = 600_000;

const startRunner = (...args: readonly string[]) => startProgram(process.execPath, [RUNNER, ...args], process.cwd());

/** The Markdown in a folder as it reads: how wide the columns of a table are says nothing. */
function markdownIn(folder: string): string {
  const files = readdirSync(folder).filter((file) => file.endsWith(".md"));
  return files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll(/ +/g, " ")).join("\n");
}

async function expectReport({ finds = [], contains = [], shows }: ExampleRun, folder: string): Promise<void> {
  const { result } = await readResult(folder);
  expect(result.complete, shows).toBe(true);
  expect(result.verdict.findings.map(({ code }) => code)).toEqual(expect.arrayContaining([...finds]));
  const text = markdownIn(folder);
  for (const words of contains) expect(text, shows).toContain(words);
}

/** What is in the Markdown below a folder leads to what is there. */
function expectLinks(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const missing = files.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/\]\((?!https?:|#)([^)]+)\)/g)]
      .map(([, link = ""]) => join(folder, file, "..", link))
      .filter((path) => !existsSync(path)),
  );
  expect(missing).toEqual([]);
}

describe.each(EXAMPLES)("the example $name", ({ name, needs: programs = [], runs }) => {
  it.runIf(needs(...programs))(
    "runs to its end, leaves every report with what it is there to show, and an index with each verdict",
    async () => {
      const out = temporaryFolder();
      const runner = startRunner(name, "--quick", "--out", out);
      expect((await runner.ended).code, runner.stderr()).toBe(0);
      expect(runner.processes(), "processes left behind").toEqual([]);
      for (const { saves } of runs) expect(saves === undefined || readFileSync(join(out, saves), "utf8")).toBeTruthy();
      const reports = runs.flatMap((run) => (run.folder === undefined ? [] : { run, folder: join(out, run.folder) }));
      for (const { run, folder } of reports) await expectReport(run, folder);
      expect(readFileSync(join(out, "README.md"), "utf8").match(/^### Verdict: /gm)).toHaveLength(reports.length);
      expectLinks(out);
    },
    LONGEST_MS,
  );
});

it.runIf(needs("python3", "ab"))(
  "the runner passes an interruption on, keeps what was measured, and leaves nothing running",
  async () => {
    const out = temporaryFolder();
    const runner = startRunner("r1", "--quick", "--out", out);
    await expect.poll(runner.stderr).toContain("[1/");
    runner.kill("SIGINT");
    expect((await runner.ended).code, runner.stderr()).toBe(130);
    expect(runner.stderr()).not.toContain("2 of");
    expect(runner.processes()).toEqual([]);
    const { result } = await readResult(join(out, "servers"));
    expect(result.complete).toBe(false);
    expect(result.steps.length).toBeGreaterThan(0);
  },
  LONGEST_MS,
);
