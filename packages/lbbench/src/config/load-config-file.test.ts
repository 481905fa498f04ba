import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { ConfigError } from "./config-error.js";
import { loadConfigFile } from "./load-config-file.js";

const TYPESCRIPT = `
  interface Settings { readonly name: string }
  enum Kind { Small = "small" }
  export default { name: Kind.Small } satisfies Settings;
`;

describe("loadConfigFile", () => {
  it("finds nothing in a folder without a config file", async () => {
    await expect(loadConfigFile(temporaryFolder())).resolves.toBeUndefined();
  });

  it.each([
    ["lbbench.config.ts", TYPESCRIPT],
    ["lbbench.config.js", 'export default { name: "small" };'],
    ["lbbench.config.js", 'module.exports = { name: "small" };'],
    ["lbbench.config.mjs", 'const name = await Promise.resolve("small"); export default { name };'],
    ["lbbench.config.json", '{ "name": "small" }'],
  ])("reads %s: %s", async (name, content) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), content);
    await expect(loadConfigFile(folder)).resolves.toEqual({ path: join(folder, name), content: { name: "small" } });
  });

  it("reads the file that is given, relative to the folder, in place of the one that is found", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "other"));
    writeFileSync(join(folder, "lbbench.config.json"), "{}");
    writeFileSync(join(folder, "other/mine.json"), '{ "name": "mine" }');
    const { content } = (await loadConfigFile(folder, "other/mine.json")) ?? {};
    expect(content).toEqual({ name: "mine" });
  });

  it.each([
    ["missing.json", undefined, "no such file or directory (ENOENT)"],
    ["missing.ts", undefined, "missing.ts"],
    ["broken.json", "{ broken", "Expected property name"],
    ["broken.ts", "export default {", "broken.ts"],
    ["throwing.mjs", 'throw new Error("no luck today")', "no luck today"],
    ["throwing.ts", 'throw "just a text"', "just a text"],
    ["importing.mjs", 'import "no-such-package"; export default {}', "no-such-package"],
  ])("says that %s cannot be read, and why", async (name, content, why) => {
    const folder = temporaryFolder();
    if (content !== undefined) writeFileSync(join(folder, name), content);
    const failure = loadConfigFile(folder, name);
    await expect(failure).rejects.toBeInstanceOf(ConfigError);
    await expect(failure).rejects.toThrow(`The config file ${join(folder, name)} could not be read: `);
    await expect(failure).rejects.toThrow(why);
  });
});
