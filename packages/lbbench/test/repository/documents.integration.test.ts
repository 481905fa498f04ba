import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { parseArgsStringToArgv } from "string-argv";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.js";
import { inRepository, readDocument } from "./repository.js";
import { allDocuments } from "./shell-commands.js";

const run = promisify(execFile);

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

const commands = allDocuments().flatMap((document) => commandsOf(document).map((command) => ({ document, command })));

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

  it.each(allDocuments())("link to files that are there: %s", (document) => {
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
    const start = readDocument("README.md").split("\n").slice(0, 40).join("\n");
    for (const part of [
      "# lbbench",
      "npm ci && npx lbbench sweep",
      "target    conns",
      "throughput.png",
      "npm install",
      "await sweep(",
      "describeFinding(finding).text",
    ])
      expect(start).toContain(part);
  });
});
