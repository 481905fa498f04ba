import { existsSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/main.js";
import { inRepository, readDocument } from "./repository.js";
import { allDocuments, shownCommands } from "./shown-commands.js";

const reports = readdirSync(inRepository("reports"), { recursive: true, encoding: "utf8" })
  .filter((file) => /^(sample-sweep|r\d)\/.*\.md$/.test(file))
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
  return [...ofSection.matchAll(/^\| `(\w+)\/`/gm)].map(([, name = ""]) => name);
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
    expect(plugins.toSorted()).toEqual(["engine", "policy", "reporter", "server"]);
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

  it.each([
    ["The stations", "packages/lbbench/src"],
    ["The balancer", "packages/proxy/src"],
  ])("name every folder, and no other, in the table of a section: %s", (heading, folder) => {
    expect(tableOf(heading).toSorted()).toEqual(foldersOf(folder).toSorted());
  });
});
