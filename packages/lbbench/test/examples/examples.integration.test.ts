import { spawnSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inRepository, loadModule, readDocument } from "@lbbench/test-support/repository.js";
import { readResult } from "../../src/store/read-result.js";
import { picturesIn, readMarkdown } from "../support/read-report.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { EXAMPLES, RUNNER } from "./examples.js";

const LONGEST_CONFIG = 40;
const codes = new Set([...readDocument("docs/findings.md").matchAll(/^## ([A-Z0-9_]+)$/gm)].map(([, code]) => code));

describe.each(EXAMPLES)("the example $name", ({ name, runs }) => {
  it("has configs of at most a screen", () => {
    const files = readdirSync(inRepository(`examples/${name}`)).filter((file) => file.endsWith(".config.json"));
    expect(files.length).toBeGreaterThan(0);
    const lengths = files.map((file) => readDocument(`examples/${name}/${file}`).trim().split("\n").length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LONGEST_CONFIG);
  });

  it("shows its command, and ends with what the original missed or what to set, by findings that there are", () => {
    const readme = readDocument(`examples/${name}/README.md`);
    expect(readme).toContain(`npm run example ${name}`);
    const section = readme.split(/^(?=## )/m).at(-1) ?? "";
    expect(section).toMatch(/^## What (the original missed|to set)/);
    const named = [...section.matchAll(/`([A-Z][A-Z0-9]*_?[A-Z0-9_]*)`/g)].map(([, code]) => code);
    expect(named.filter((code) => !codes.has(code))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining(runs.flatMap(({ finds = [] }) => finds)));
    expect(named.length).toBeGreaterThan(0);
  });
});

it.each(
  EXAMPLES.flatMap(({ name, runs }) => runs.flatMap(({ folder }) => (folder === undefined ? [] : [[name, folder]]))),
)("the report that is kept of %s, %s, was made by the command that its README shows", async (name, folder) => {
  const { result } = await readResult(inRepository(`reports/${name}/${folder}`));
  expect(readDocument(`reports/${name}/README.md`)).toContain(`\n${result.command}\n`);
});

it.each([
  [["r9"], {}, /expected: npm run example NAME .*\nNAME is one of balancers, failover, linkerd-2016, r1, r2/],
  [["r1", "--full", "--quick"], {}, /--full and --quick exclude each other/],
  [["r1", "--fast"], {}, /Unknown option '--fast'/],
  [["r2"], { PATH: "" }, /^examples\/r2 needs .*ab\. Install: apt-get install -y .*apache2-utils/],
])("the runner of examples says what it expects before it runs anything: %j %j", (args, env, words) => {
  const options = { env: { ...process.env, ...env }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, [RUNNER, ...args], options);
  expect(status).toBe(2);
  expect(stderr).toMatch(words);
  expect(stderr).not.toContain("1 of");
});

it("what the repository keeps of a report is its Markdown with two pictures, and the result that all else is made of again", async () => {
  const { keepSmall } = await loadModule<{ readonly keepSmall: (folder: string, command: string) => void }>(
    "examples/reports.mjs",
  );
  const sample = inRepository("reports/sample-sweep");
  const folder = temporaryFolder();
  cpSync(sample, folder, { recursive: true });
  keepSmall(folder, "the command");
  const [first = "", second = "", third = ""] = readMarkdown(sample).match(/^!\[.*$/gm) ?? [];
  const text = readMarkdown(folder);
  expect(text.match(/^!\[.*$/gm)).toEqual([first, second]);
  const inWords = third.replace(/^!\[(.*)\]\(.*$/, "$1");
  expect(text).toContain(`\`the command\` draws them, and makes the page.\n\n${inWords}\n`);
  expect(readdirSync(folder).toSorted()).toEqual([...picturesIn(text), "report.md", "result.json"].toSorted());
  expect((await readResult(folder)).result).toEqual((await readResult(sample)).result);
});
