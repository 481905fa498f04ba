import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder, write } from "@lbbench/test-support/temporary-folder.js";
import { ConfigError } from "./config-error.js";
import { importModule, loadConfigFile } from "./modules.js";

const TYPESCRIPT = `
  interface Settings { readonly name: string }
  enum Kind { Small = "small" }
  export default { name: Kind.Small } satisfies Settings;
`;

describe("a config file", () => {
  it.each([
    ["lbbench.config.ts", TYPESCRIPT],
    ["lbbench.config.js", 'export default { name: "small" };'],
    ["lbbench.config.js", 'module.exports = { name: "small" };'],
    ["lbbench.config.mjs", 'const name = await Promise.resolve("small"); export default { name };'],
    ["lbbench.config.json", '{ "name": "small" }'],
  ])("is found and read: %s, %s", async (name, content) => {
    const folder = temporaryFolder();
    await expect(loadConfigFile(folder)).resolves.toBeUndefined();
    write(join(folder, name), content);
    await expect(loadConfigFile(folder)).resolves.toEqual({ path: join(folder, name), content: { name: "small" } });
    write(join(folder, "other/mine.json"), '{ "name": "mine" }');
    await expect(loadConfigFile(folder, "other/mine.json")).resolves.toMatchObject({ content: { name: "mine" } });
  });

  it.each([
    ["missing.json", undefined, "no such file or directory (ENOENT)"],
    ["broken.json", "{ broken", "Expected property name"],
    ["broken.ts", "export default {", "broken.ts"],
    ["throwing.mjs", 'throw new Error("no luck today")', "no luck today"],
    ["importing.mjs", 'import "no-such-package"; export default {}', "no-such-package"],
  ])("is refused with why it cannot be read: %s", async (name, content, why) => {
    const folder = temporaryFolder(content === undefined ? {} : { [name]: content });
    const failure = loadConfigFile(folder, name);
    await expect(failure).rejects.toBeInstanceOf(ConfigError);
    await expect(failure).rejects.toThrow(`The config file ${join(folder, name)} could not be read: `);
    await expect(failure).rejects.toThrow(why);
  });
});

it.each(["own.mjs", "own.ts"])("a module is given up where it is never loaded: %s", async (name) => {
  const folder = temporaryFolder({ [name]: "await new Promise(() => {});\nexport default {};" });
  await expect(importModule(join(folder, name), 20)).rejects.toThrow(
    "it was not loaded after 0.02 s. Does an await at its top level wait for something that never comes?",
  );
});
