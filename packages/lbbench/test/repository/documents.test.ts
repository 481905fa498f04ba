import { existsSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.js";
import { inRepository, loadModule, readDocument } from "@lbbench/test-support/repository.js";
import { allDocuments, shownCommands } from "./shown-commands.js";

const reports = readdirSync(inRepository("reports"), { recursive: true, encoding: "utf8" })
  .filter((file) => /^(sample-sweep|balancers|failover|linkerd-2016|tower-p2c|r\d)\/.*\.md$/.test(file))
  .map((file) => `reports/${file}`);

function foldersOf(relative: string): readonly string[] {
  return readdirSync(inRepository(relative), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^test(-support)?$/.test(entry.name))
    .map(({ name }) => name);
}

/** The folders in the table of a section of ARCHITECTURE.md. */
function tableOf(heading: string): readonly string[] {
  const [, section = ""] = readDocument("ARCHITECTURE.md").split(`\n## ${heading}`);
  const [ofSection = ""] = section.split(/^## /m);
  return [...ofSection.matchAll(/^\| `([\w-]+)\/`/gm)].map(([, name = ""]) => name);
}

/** The words of `npx lbbench` in the text of a document, beside those that are shown as commands. */
function quotedCommands(document: string): readonly string[] {
  return [...readDocument(document).matchAll(/`(npx lbbench [^`]*)`/g)].map(([, command = ""]) => command);
}

describe("the documents", () => {
  it("show commands that tests run", () => {
    const shown = shownCommands();
    expect(shown.length).toBeGreaterThan(80);
    expect(shown.filter(({ way }) => way === undefined)).toEqual([]);
    const plugins = shown.flatMap(({ command }) => /^node --test examples\/plugin-(\w+)\//.exec(command)?.[1] ?? []);
    expect(plugins.toSorted()).toEqual(["balancer", "engine", "policy", "reporter", "server"]);
  });

  it("name only commands and flags that the command line knows", () => {
    const { commands } = createProgram(() => {});
    const shown = [...shownCommands().map(({ command }) => command), ...allDocuments().flatMap(quotedCommands)];
    const unknown = shown
      .filter((command) => /^(npx )?lbbench /.test(command))
      .flatMap((command) => {
        const [name = "", ...words] = parseArgsStringToArgv(command.replace(/^(npx )?lbbench /, ""));
        const options = commands
          .find((one) => one.name() === name)
          ?.options.flatMap(({ short, long }) => [short, long]);
        if (options === undefined) return [`${command}: ${name}`];
        const known = new Set([...options, "--help"]);
        return words
          .filter((word) => /^--?[a-zA-Z]/.test(word) && !known.has(word))
          .map((word) => `${command}: ${word}`);
      });
    expect(unknown).toEqual([]);
  });

  it("show no run into a folder that has a report in this repository, which is refused without --force", () => {
    const into = shownCommands().flatMap(({ command }) => {
      const [, out] = /^npx lbbench .*(?:-o|--out) (\S+)/.exec(command) ?? [];
      return out === undefined ? [] : [{ command, hasReport: existsSync(inRepository(`${out}/result.json`)) }];
    });
    expect(into.some(({ hasReport }) => hasReport)).toBe(true);
    expect(into.filter(({ command, hasReport }) => hasReport && !command.includes(" --force"))).toEqual([]);
  });

  it("name files that are there: the architecture, and the table of what keeps which promise", () => {
    const all = readdirSync(inRepository("packages"), { recursive: true, encoding: "utf8" });
    const files = all.filter((file) => !/\/(dist|node_modules)\//.test(file));
    const [, table = ""] = readDocument("CONTRIBUTING.md").split("| promise |");
    const kept = [...table.matchAll(/^\| .* \|$/gm)].flatMap(([row]) => row.match(/(?<=`)\w[\w./*-]+(?=`)/g) ?? []);
    const named = readDocument("ARCHITECTURE.md").match(/(?<=`)[\w./-]+\/[\w.-]+\.c?[tj]s(?=`)/g) ?? [];
    expect(Math.min(kept.length, named.length)).toBeGreaterThan(10);
    const isThere = (name: string): boolean => {
      const path = name.replace(/^packages|\*.*|\/$|\.c?[tj]s$/g, "").replace(/^(wire|proxy|backends)\//, "$1/src/");
      return files.some((file) => `/${file}`.includes(`/${path}`.replace("//", "/")));
    };
    expect([...kept, ...named].filter((name) => !isThere(name))).toEqual([]);
  });

  it("link to files that are there, and so do the reports that are kept", () => {
    expect(reports.length).toBeGreaterThan(15);
    const missing = [...allDocuments(), ...reports].flatMap((document) =>
      [...readDocument(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(resolve(dirname(inRepository(document)), target)))
        .map((target) => `${document}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it("are short enough to be read", () => {
    const wordsOf = (documents: readonly string[]): number =>
      documents.flatMap((document) => readDocument(document).match(/\S*[\p{L}\d]\S*/gu) ?? []).length;
    expect(wordsOf(["README.md"])).toBeLessThan(900);
    expect(wordsOf(["ARCHITECTURE.md"])).toBeLessThan(1301);
    expect(wordsOf(allDocuments().filter((document) => document.startsWith("docs/")))).toBeLessThan(23_000);
    // It compares three targets at six levels, and shows each of them once.
    expect(readDocument("reports/sample-sweep/report.md").split("\n").length).toBeLessThan(160);
  });

  it.each([
    ["The stations", "packages/lbbench/src"],
    ["The balancer", "packages/proxy/src"],
  ])("name every folder, and no other, in the table of a section: %s", (heading, folder) => {
    expect(tableOf(heading).toSorted()).toEqual(foldersOf(folder).toSorted());
  });
});

const { judge, summarize } = await loadModule<{
  readonly judge: (row: object) => { readonly reached: boolean };
  readonly summarize: (values: readonly number[]) => object | undefined;
}>("bench/table.mjs");

describe("the table of the benches", () => {
  it.each([
    ["a median at the least that is wanted is reached", [0.5, 0.9, 1.2], { atLeast: 0.9 }, true],
    ["a median below it is missed, however high the highest", [0.89, 0.89, 9], { atLeast: 0.9 }, false],
    ["a median at the most that is wanted is reached", [1, 2, 9], { atMost: 2 }, true],
    ["a median above it is missed, however low the lowest", [1, 2.01, 3], { atMost: 2 }, false],
    ["an even number of rounds is judged by the mean of the two in the middle", [1, 3], { atMost: 2 }, true],
    ["what was never measured undisturbed is missed", [], { atMost: 2 }, false],
  ])("%s", (_, values, wanted, reached) => {
    const row = { ...wanted, figure: summarize(values), rounds: values.length };
    expect(judge(row).reached).toBe(reached);
  });
});
