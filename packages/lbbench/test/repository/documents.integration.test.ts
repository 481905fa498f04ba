import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { parseArgsStringToArgv } from "string-argv";
import { afterAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { inRepository, readDocument } from "./repository.js";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "lbbench-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "reports/README.md",
  "docs/findings.md",
  "bench/engine/README.md",
  "bench/proxy/README.md",
  "packages/lbbench/README.md",
  "packages/proxy/README.md",
  "docs/servers.md",
  "packages/backends/README.md",
  ...foldersOf("examples").map((name) => `examples/${name}/README.md`),
];

/** Programs that an example needs beside Node; in CI all of them are there. */
const NEEDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["any-language", ["go", "python3"]],
  ["topologies", ["nginx", "haproxy"]],
]);

function commandsOf(document: string): readonly string[] {
  const blocks = [...readDocument(document).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  const inline = [...readDocument(document).matchAll(/`(npx lbbench [^`]*)`/g)].map(([, command = ""]) => command);
  const lines = blocks.flatMap((block) => block.split("\n")).flatMap((line) => line.split("&&"));
  return [...lines, ...inline]
    .map((line) => line.replace(/\s#.*$/, "").trim())
    .filter((line) => line.startsWith("npx lbbench"));
}

function foldersOf(relative: string): readonly string[] {
  return readdirSync(inRepository(relative), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** The folders in the table of a section of ARCHITECTURE.md. */
function tableOf(heading: string): readonly string[] {
  const [, section = ""] = readDocument("ARCHITECTURE.md").split(heading);
  const [ofSection = ""] = section.split(/^## /m);
  return [...ofSection.matchAll(/^\| `(\w+)\/`/gm)].map(([, name = ""]) => name);
}

const configs = foldersOf("examples")
  .map((name) => ({ config: `examples/${name}/lbbench.config.json`, missing: missingOf(NEEDS.get(name) ?? []) }))
  .filter(({ config }) => existsSync(inRepository(config)));

function missingOf(programs: readonly string[]): readonly string[] {
  if (process.env["CI"] !== undefined) return [];
  return programs.filter((program) => spawnSync("which", [program]).status !== 0);
}

const commands = DOCUMENTS.flatMap((document) => commandsOf(document).map((command) => ({ document, command })));

describe("the documents", () => {
  it("show commands", () => {
    expect(commands.length).toBeGreaterThan(10);
  });

  it.each(commands)("show only what the command line knows: $document: $command", ({ command }) => {
    const [, , name = "", ...words] = parseArgsStringToArgv(command);
    const known = createProgram(() => {}).commands.find((one) => one.name() === name);
    expect(known, `the command "${name}"`).toBeDefined();
    const flags = words.filter((word) => /^--?[a-zA-Z]/.test(word));
    const options = known?.options.flatMap(({ short, long }) => [short, long]);
    expect([...(options ?? []), "--help"]).toEqual(expect.arrayContaining(flags));
  });

  it("quote the sample report, the examples and the benches as they are", async () => {
    const { stderr } = await run(process.execPath, [inRepository("docs/update.mjs"), "--check"]);
    expect(stderr).toBe("");
  });

  it.each(DOCUMENTS)("link to files that are there: %s", (document) => {
    const links = [...readDocument(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
    const missing = links.filter((target) => !existsSync(resolve(dirname(inRepository(document)), target)));
    expect(missing).toEqual([]);
  });

  it("name only folders that are there in the table of stations", () => {
    const folders = foldersOf("packages/lbbench/src").filter((name) => !name.startsWith("test"));
    expect(tableOf("## The stations").toSorted()).toEqual(folders.toSorted());
    const ofProxy = foldersOf("packages/proxy/src").filter((name) => !name.startsWith("test"));
    expect(tableOf("## The balancer").toSorted()).toEqual(ofProxy.toSorted());
  });

  it("say in the first forty lines of the README what it is, the command, its table, its chart and the library", () => {
    const start = readDocument("README.md").split("\n").slice(0, 12).join("\n");
    expect(start).toContain("npm ci && npx lbbench sweep");
  });
});

describe("the examples", () => {
  for (const { config, missing } of configs) {
    const needs = missing.length === 0 ? "" : `; it needs ${missing.join(" and ")}, not found here`;
    it.skipIf(missing.length > 0)(`run: ${config}${needs}`, async () => {
      const out = join(folder, config.replaceAll("/", "-"));
      const lbbench = inRepository("packages/lbbench/bin/lbbench.js");
      const flags = ["-c", "1,4", "-d", "200ms", "--trials", "1", "--warmup", "50ms", "-o", out];
      await run(process.execPath, [lbbench, "sweep", "--config", inRepository(config), ...flags]);
      expect(JSON.parse(readFileSync(join(out, "result.json"), "utf8"))).toMatchObject({ complete: true, version: 1 });
    });
  }

  it("run: examples/library/sweep.mjs", async () => {
    const { stdout } = await run(process.execPath, [inRepository("examples/library/sweep.mjs")]);
    expect(stdout).toContain("two workers 10 ");
  });
});
