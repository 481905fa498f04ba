import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { BalancerOptionsError } from "../options/options.js";
import { examplePool, exampleRequest } from "../testing/example-pool.js";
import { loadPolicy } from "./load-policy.js";

/** Writes a module into a folder of its own; returns its path. */
function write(name: string, source: string): string {
  return join(temporaryFolder({ [name]: source }), name);
}

describe("loadPolicy", () => {
  it("takes a module that exports one", async () => {
    const last = "export const policy = { name: 'last', create: () => ({ pick: (backends) => backends.at(-1) }) };";
    const policy = await loadPolicy(write("last.mjs", last));
    expect(policy.name).toBe("last");
    expect(policy.create().pick(examplePool([1, 1, 1]), exampleRequest(0))?.name).toBe("backend-2");
  });

  it.each([
    ["a default export that was compiled", "exports.__esModule = true;\nexports.default = POLICY;"],
    ["an export of that name", "const all = {};\nall.policy = POLICY;\nmodule.exports = all;"],
    ["the whole module", "module.exports = POLICY;"],
  ])("takes CommonJS: %s", async (_, source) => {
    const policy = "{ name: 'last', create: () => ({ pick: (backends) => backends.at(-1) }) }";
    const file = write("last.cjs", source.replace("POLICY", policy));
    expect((await loadPolicy(file)).name).toBe("last");
  });

  it.each([
    ["for import only", { type: "module", exports: { import: "./own.js" } }, "export const policy = POLICY;"],
    ["in CommonJS", { main: "./own.js" }, "module.exports = POLICY;"],
  ])("takes an installed package that is %s", async (_, manifest, source) => {
    const policy = "{ name: 'installed', create: () => ({ pick: () => undefined }) }";
    const folder = temporaryFolder({
      "node_modules/own-policy/package.json": JSON.stringify({ name: "own-policy", ...manifest }),
      "node_modules/own-policy/own.js": source.replace("POLICY", policy),
    });
    expect((await loadPolicy("own-policy", { folder })).name).toBe("installed");
    await expect(loadPolicy("other-policy", { folder })).rejects.toThrow('got "other-policy".');
  });

  it("takes what another way of importing finds", async () => {
    const own = { name: "own", create: () => ({ pick: () => undefined }) };
    const importModule = async (text: string) => (text === "./own.ts" ? { default: own } : undefined);
    expect(await loadPolicy("./own.ts", { importModule })).toBe(own);
    await expect(loadPolicy("./other.ts", { importModule })).rejects.toThrow('got "./other.ts".');
    expect((await loadPolicy("random", { importModule })).name).toBe("random");
  });

  it.each<[string, () => string, RegExp]>([
    ["a word that is nothing", () => "fair", /^policy: expected one of round-robin, .* got "fair"\.$/],
    ["a path where nothing is", () => join(temporaryFolder(), "none.mjs"), /none\.mjs" cannot be loaded: /],
    ["a module that fails", () => write("bad.mjs", "throw new Error('no luck')"), /cannot be loaded: no luck$/],
    [
      "a module without one",
      () => write("other.mjs", "export const other = 1"),
      /to export a policy by default or as "policy", .* exports other\.$/,
    ],
    ["a wrong option", () => "random:seed:x", /^policy "random:seed:x": /],
  ])("refuses %s", async (_, text, message) => {
    const failure = await loadPolicy(text()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BalancerOptionsError);
    expect((failure as Error).message).toMatch(message);
  });
});
