import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The part of the build that the bundle's LICENCES.txt is made by. */
const { renderLicences } = (await import(join(ROOT, "packages/action/build/render-licences.mjs"))) as {
  readonly renderLicences: (files: readonly string[], root: string) => Promise<string>;
};

describe("the licences of the bundle", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "lbbench-licences-"));
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  /** A package with these files beside its package.json; returns a file of it. */
  function aPackage(files: Readonly<Record<string, string>>): string {
    const folder = join(root, "node_modules/thing");
    mkdirSync(folder, { recursive: true });
    const manifest = JSON.stringify({ name: "thing", version: "1.2.3", license: "MIT" });
    for (const [name, text] of Object.entries({ ...files, "package.json": manifest })) {
      writeFileSync(join(folder, name), text);
    }
    return "node_modules/thing/index.js";
  }

  it("are the texts that packages bring along", async () => {
    const text = await renderLicences([aPackage({ "LICENSE.md": "Do what you like.\r\n" })], root);
    expect(text).toContain("thing 1.2.3 (MIT)\n=================\n\nDo what you like.\n");
  });

  it.each([
    ["no file", {}],
    ["an empty file", { LICENSE: "\n" }],
  ])("are not made where a package has none: %s", async (_, files) => {
    await expect(renderLicences([aPackage(files)], root)).rejects.toThrow(/node_modules\/thing to have .* licence/);
  });

  it("have texts of those that are published without", async () => {
    const files = ["node_modules/imurmurhash/imurmurhash.js", "node_modules/@assemblyscript/loader/umd/index.js"];
    const text = await renderLicences(files, ROOT);
    expect(text).toMatch(/^imurmurhash 0\.1\.4 \(MIT\)\n=+\n\nCopyright \(c\) 2013 Gary Court, Jens Taylor\n/m);
    expect(text).toMatch(/^@assemblyscript\/loader 0\.19\.23 \(Apache-2\.0\)\n=+\n\nApache License\n/m);
    expect(text).toContain("The following authors have all licensed their contributions to AssemblyScript");
  });
});
