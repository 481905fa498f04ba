import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder, write } from "@lbbench/test-support/temporary-folder.js";
import type { Reporter } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { ENGINE_KIND, type PluginKind, pluginMap, REPORTER_KIND, SERVER_KIND } from "./plugins.js";

const REPORTER = "{ format: 'own', render: () => [{ name: 'own.txt', content: 'hello' }] }";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(temporaryFolder(), "in");
  for (const [name, content] of Object.entries({ "package.json": "{}", ...files })) write(join(folder, name), content);
  return folder;
}

const load = async <Plugin>(word: string, folder: string, kind = REPORTER_KIND as unknown as PluginKind<Plugin>) =>
  pluginMap(kind, [], folder).load(word, "here");

describe("a plugin", () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ["a path", "./own.mjs", { "own.mjs": `export default ${REPORTER};` }],
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
  ])("is loaded from %s, and asked for by that word from then on", async (_, word, files) => {
    const reporter = await load<Reporter>(word, folderWith(files));
    expect(reporter?.format).toBe(word);
    expect(await reporter?.render({} as never, { charts: "none" })).toEqual([{ name: "own.txt", content: "hello" }]);
  });

  it("is chosen as an engine only by who has asked for it, and its methods stay with what they belong to", async () => {
    const engine = `new (class { name = "own"; mark = "mine"; supports = { protocols: ["http"], loads: ["rate"] }; async run() { return this.mark; } })()`;
    const loaded = await load("./own.mjs", folderWith({ "own.mjs": `export default ${engine};` }), ENGINE_KIND);
    expect(loaded).toMatchObject({ name: "./own.mjs", supports: { loads: ["rate"], automatic: false } });
    expect(await loaded?.run({} as never, {} as never)).toBe("mine");
  });

  it.each(["no-such-package", "node:fs", "fs", "localhost:8080", "http://127.0.0.1/", "", "Single"])(
    "is not what the word %j names",
    async (word) => expect(await load(word, folderWith({}))).toBeUndefined(),
  );

  const NO_SCHEMA = "export default { name: 'own', options: {}, start() {} };";
  const DOES_NOTHING = "export default { name: 'own', run() {} };";
  it.each<[string, PluginKind<unknown>, string | undefined, string]>([
    ["no file", REPORTER_KIND, undefined, 'here: expected the path of a reporter, got "./own.mjs", but there is no'],
    ["a module that fails", REPORTER_KIND, "throw new Error('no luck')", "could not be loaded: no luck"],
    ["a module that throws nothing", REPORTER_KIND, "throw null", "it threw null, where an Error"],
    ["no default export", REPORTER_KIND, "export const reporter = {};", "it has no default export, only reporter."],
    ["no render", REPORTER_KIND, "export default { format: 'own' };", 'its "render" is no fun'],
    ["another kind", SERVER_KIND, `export default ${REPORTER};`, '{ name, options, start }, but its "name" is no text'],
    ["options that are no schema", SERVER_KIND, NO_SCHEMA, 'its "options" are no schema of zod 4'],
    ["nothing that it can do", ENGINE_KIND, DOES_NOTHING, 'its "supports" is no object'],
  ] as never)("is refused with %s", async (_, kind, source, message) => {
    const folder = folderWith(source === undefined ? {} : { "own.mjs": source });
    const loading = load("./own.mjs", folder, kind);
    await expect(loading).rejects.toBeInstanceOf(ConfigError);
    await expect(loading).rejects.toThrow(message);
  });

  it("is refused where its path is a folder, or leads through a file", async () => {
    const folder = folderWith({ "in/index.js": "" });
    await expect(load("./in", folder)).rejects.toThrow(`${join(folder, "in")} is a folder; name the file in it`);
    const below = load("./in/index.js/own.mjs", folder);
    await expect(below).rejects.toThrow(`there is no file ${join(folder, "in/index.js/own.mjs")}`);
  });
});
