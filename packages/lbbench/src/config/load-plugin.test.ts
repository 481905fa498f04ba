import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import type { Reporter } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { loadPlugin } from "./load-plugin.js";
import { ENGINE_KIND, REPORTER_KIND, SERVER_KIND, type PluginKind } from "./plugin-kinds.js";

const REPORTER = "{ format: 'own', render: () => [{ name: 'own.txt', content: 'hello' }] }";

function write(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function load<Plugin>(
  word: string,
  folder: string,
  kind: PluginKind<Plugin> = REPORTER_KIND as unknown as PluginKind<Plugin>,
): Promise<Plugin | undefined> {
  return loadPlugin({ word, place: "here" }, kind, folder);
}

describe("loadPlugin", () => {
  it.each([
    ["a path", "./own.mjs", { "own.mjs": `export default ${REPORTER};` }],
    ["a path of a folder above", "../own.mjs", { "../own.mjs": `export default ${REPORTER};` }],
    ["TypeScript", "./own.ts", { "own.ts": `const own: object = ${REPORTER};\nexport default own;` }],
    ["CommonJS", "./own.cjs", { "own.cjs": `module.exports = ${REPORTER};` }],
    [
      "CommonJS that was compiled from a default export",
      "./own.cjs",
      { "own.cjs": `Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = ${REPORTER};` },
    ],
    [
      "an installed package",
      "own-reporter",
      {
        "node_modules/own-reporter/package.json": '{ "name": "own-reporter", "main": "own.cjs" }',
        "node_modules/own-reporter/own.cjs": `module.exports = ${REPORTER};`,
      },
    ],
    [
      "a part of a package that can only be imported",
      "@me/own/reporter",
      {
        "node_modules/@me/own/package.json":
          '{ "name": "@me/own", "type": "module", "exports": { "./reporter": { "types": "./r.d.ts", "import": "./r.js" } } }',
        "node_modules/@me/own/r.js": `export default ${REPORTER};`,
      },
    ],
  ])("loads %s", async (_, word, files) => {
    const folder = join(
      write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`in/${name}`, text]))),
      "in",
    );
    const reporter = await load<Reporter>(word, folder);
    // It is asked for by that word from now on.
    expect(reporter?.format).toBe(word);
    expect(await reporter?.render({} as never, { charts: "none" })).toEqual([{ name: "own.txt", content: "hello" }]);
  });

  it("keeps an engine from being chosen for who has not asked for it, and leaves its methods what they belong to", async () => {
    const engine = `new (class { name = "own"; mark = "mine"; supports = { protocols: ["http"], loads: ["rate"] }; async run() { return this.mark; } })()`;
    const loaded = await load("./own.mjs", write({ "own.mjs": `export default ${engine};` }), ENGINE_KIND);
    expect(loaded).toMatchObject({ name: "./own.mjs", supports: { loads: ["rate"], automatic: false } });
    expect(await loaded?.run({} as never, {} as never)).toBe("mine");
  });

  it.each(["no-such-package", "node:fs", "fs", "localhost:8080", "http://127.0.0.1/", "", "Single"])(
    "leaves the word %j to others",
    async (word) => {
      expect(await load(word, write({}))).toBeUndefined();
    },
  );

  it("says of a folder that a file is expected", async () => {
    const folder = write({ "in/index.js": "" });
    await expect(load("./in", folder)).rejects.toThrow(
      `got "./in", but ${join(folder, "in")} is a folder; name the file in it, ./mine.mjs`,
    );
    await expect(load("./", folder)).rejects.toThrow("is a folder");
  });

  it.each<[string, PluginKind<never>, string | undefined, RegExp]>([
    [
      "no file",
      REPORTER_KIND,
      undefined,
      /^here: expected the path of a reporter, got ".\/own.mjs", but there is no file \//,
    ],
    [
      "a module that fails",
      REPORTER_KIND,
      "throw new Error('no luck')",
      /^here: the plugin "\.\/own\.mjs" .* could not be loaded: no luck$/,
    ],
    ["a module that throws nothing", REPORTER_KIND, "throw null", /could not be loaded: it threw null, where an Error/],
    ["no default export", REPORTER_KIND, "export const reporter = {};", /it has no default export, only reporter\./],
    ["nothing exported", REPORTER_KIND, "", /it has no default export\./],
    ["a function", REPORTER_KIND, "export default () => {};", /its default export is a function\./],
    [
      "a reporter without render",
      REPORTER_KIND,
      "export default { format: 'own' };",
      /\{ format, render \}, but its "render" is no function\. Is it a plugin of another kind/,
    ],
    [
      "a reporter as a server",
      SERVER_KIND,
      `export default ${REPORTER};`,
      /to export a server by default, an object \{ name, options, start \}, but its "name" is no text/,
    ],
    [
      "options that are no schema",
      SERVER_KIND,
      "export default { name: 'own', options: {}, start() {} };",
      /its "options" are no schema of zod 4/,
    ],
    [
      "an engine that does not say what it can do",
      ENGINE_KIND,
      "export default { name: 'own', run() {} };",
      /its "supports.protocols" is no list/,
    ],
  ] as never)("refuses %s", async (_, kind, source, message) => {
    const failure = await load("./own.mjs", write(source === undefined ? {} : { "own.mjs": source }), kind).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(ConfigError);
    expect((failure as Error).message).toMatch(message);
  });
});
