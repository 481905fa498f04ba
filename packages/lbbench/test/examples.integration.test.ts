import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readResult } from "../src/store/read-result.js";
import { inRepository, readDocument } from "./repository/repository.js";
import { killMarked, markedProcesses, markEnvironment, type ProcessEntry } from "./support/marked-processes.js";
import { temporaryFolder } from "./support/temporary-folder.js";

interface ExampleRun {
  readonly shows: string;
  readonly folder?: string;
  readonly saves?: string;
  readonly finds?: readonly string[];
  readonly contains?: readonly string[];
}

interface Example {
  readonly title: string;
  readonly needs?: readonly string[];
  readonly runs: readonly ExampleRun[];
}

interface Running {
  readonly stderr: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly processes: () => readonly ProcessEntry[];
}

const MINUTES = 60_000;
const LONGEST_CONFIG = 40;
const names = readdirSync(inRepository("examples")).filter((name) =>
  existsSync(inRepository(`examples/${name}/example.json`)),
);
const examples = names.map((name) => {
  const example = JSON.parse(readDocument(`examples/${name}/example.json`)) as Example;
  const missing = (example.needs ?? []).filter((program) => spawnSync("which", [program]).status !== 0);
  return { name, example, missing: process.env["CI"] === undefined ? missing : [] };
});
const codes = new Set([...readDocument("docs/findings.md").matchAll(/^## ([A-Z0-9_]+)$/gm)].map(([, code]) => code));

/** Starts `examples/run.mjs`; whatever is left of it when the test has finished is killed. */
function startRunner(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const mark = randomUUID();
  const child = spawn(process.execPath, [inRepository("examples/run.mjs"), ...args], {
    env: { ...process.env, ...env, ...markEnvironment(mark) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  onTestFinished(() => killMarked(mark));
  return {
    stderr: () => stderr,
    ended: once(child, "close").then(([code]) => ({ code: code as number | null, stderr })),
    kill: (signal) => void child.kill(signal),
    processes: () => markedProcesses(mark),
  };
}

/** As it reads: how wide the columns of a table are says nothing. */
function squeeze(markdown: string): string {
  return markdown.replaceAll(/ +/g, " ");
}

function markdownOf(folder: string): string {
  const files = readdirSync(folder).filter((file) => file.endsWith(".md"));
  return squeeze(files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n"));
}

/** The last section of a README, which says what the original missed. */
function lastSection(readme: string): string {
  return readme.split(/^(?=## )/m).at(-1) ?? "";
}

async function expectReport(
  { folder, saves, finds = [], contains = [], shows }: ExampleRun,
  out: string,
): Promise<void> {
  const saved = saves === undefined ? [] : [readFileSync(join(out, saves), "utf8").trim()];
  expect(saved, shows).not.toContain("");
  if (folder === undefined) return;
  const { result } = await readResult(join(out, folder));
  expect(result.complete, shows).toBe(true);
  expect(result.verdict.findings.map(({ code }) => code)).toEqual(expect.arrayContaining([...finds]));
  const text = markdownOf(join(out, folder));
  for (const words of contains) expect(text, shows).toContain(words);
}

/** The index has the verdict of each report, and links to nothing that is not there; a single report needs none. */
function expectIndex({ runs }: Example, out: string): void {
  if (runs.length === 1) return;
  const reports = runs.flatMap(({ folder }) => folder ?? []);
  const index = readFileSync(join(out, "README.md"), "utf8");
  expect(index.match(/^### Verdict: /gm)).toHaveLength(reports.length);
  const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => !existsSync(join(out, link)))).toEqual([]);
}

/** Only what drops refuses: `block` and `simple` let newcomers wait. */
async function expectRefusalsOfPolicies(folder: string): Promise<void> {
  const { result } = await readResult(folder);
  const refusing = result.steps.filter(({ measurement }) => (measurement?.requests.non2xx ?? 0) > 0);
  const policies = new Set(refusing.map(({ target }) => /policy=(.*)$/.exec(target)?.[1] ?? target));
  expect([...policies].toSorted()).toEqual(["drop-head", "drop-tail"]);
}

describe.each(examples)("the example $name", ({ name, example, missing }) => {
  const readme = readDocument(`examples/${name}/README.md`);

  it("has configs of at most a screen", () => {
    const files = readdirSync(inRepository(`examples/${name}`)).filter((file) => file.endsWith(".config.json"));
    expect(files.length).toBeGreaterThan(0);
    const lengths = files.map((file) => readDocument(`examples/${name}/${file}`).trim().split("\n").length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LONGEST_CONFIG);
  });

  it("shows its command, and ends with what the original missed, by findings that there are", () => {
    expect(readme).toContain(`npm run example ${name}`);
    const section = lastSection(readme);
    expect(section).toMatch(/^## What the original missed/);
    const named = [...section.matchAll(/`([A-Z][A-Z0-9]*_?[A-Z0-9_]*)`/g)].map(([, code]) => code);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((code) => !codes.has(code))).toEqual([]);
    const shown = example.runs.flatMap(({ finds = [] }) => finds);
    expect(named).toEqual(expect.arrayContaining([...new Set(shown)]));
  });

  const needs = missing.length === 0 ? "" : `; it needs ${missing.join(" and ")}, not found here`;
  it.skipIf(missing.length > 0)(
    `runs to its end, and leaves every report with what it is there to show${needs}`,
    async () => {
      const out = temporaryFolder();
      const runner = startRunner([name, "--quick", "--out", out]);
      const { code, stderr } = await runner.ended;
      expect(code, stderr).toBe(0);
      expect(runner.processes(), "processes left behind").toEqual([]);
      for (const run of example.runs) await expectReport(run, out);
      if (name === "r4") await expectRefusalsOfPolicies(join(out, "policies"));
      expectIndex(example, out);
    },
    10 * MINUTES,
  );
});

describe("the runner of examples", () => {
  it.each([
    [["r9"], /expected: npm run example NAME .*\nNAME is one of .*r1, r2/],
    [[], /NAME is one of/],
    [["r1", "--full", "--quick"], /--full and --quick exclude each other/],
    [["r1", "--fast"], /Unknown option '--fast'/],
  ])("says what it expects when it is given %j", async (args, words) => {
    const { code, stderr } = await startRunner(args).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });

  it("says which programs are missing, and how to install them, before it runs anything", async () => {
    const { code, stderr } = await startRunner(["r2", "--quick", "--out", temporaryFolder()], { PATH: "" }).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/examples\/r2 needs programs that are not in PATH:\n {2}nginx \(Debian, Ubuntu: apt-get/);
    expect(stderr).not.toContain("1 of");
  });

  const isMissing = examples.some(({ name, missing }) => name === "r1" && missing.length > 0);
  it.skipIf(isMissing)(
    "passes an interruption on, keeps what was measured, and leaves nothing running",
    async () => {
      const out = temporaryFolder();
      const runner = startRunner(["r1", "--quick", "--out", out]);
      await expect.poll(runner.stderr, { timeout: MINUTES }).toContain("[1/");
      runner.kill("SIGINT");
      const { code, stderr } = await runner.ended;
      expect(code, stderr).toBe(130);
      expect(stderr).not.toContain("2 of");
      expect(runner.processes()).toEqual([]);
      const { result } = await readResult(join(out, "servers"));
      expect(result.complete).toBe(false);
      expect(result.steps.length).toBeGreaterThan(0);
    },
    2 * MINUTES,
  );
});
