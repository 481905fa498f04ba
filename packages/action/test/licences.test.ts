import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The part of the build that the bundle's LICENCES.txt is made by. */
const { renderLicences } = (await import(join(ROOT, "packages/action/build/render-licences.mjs"))) as {
  readonly renderLicences: (files: readonly string[], root: string) => Promise<string>;
};

/** The licences of one package with these files beside its package.json. */
function licencesOf(files: Readonly<Record<string, string>>): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "lbbench-licences-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "node_modules/thing");
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({ name: "thing", version: "1.2.3", license: "MIT" });
  for (const [name, text] of Object.entries({ ...files, "package.json": manifest })) {
    writeFileSync(join(folder, name), text);
  }
  return renderLicences(["node_modules/thing/index.js"], root);
}

it("the licences of the bundle are the texts that packages bring along, and none is made where one has no text", async () => {
  const text = await licencesOf({ "LICENSE.md": "Do what you like.\r\n" });
  expect(text).toContain("thing 1.2.3 (MIT)\n=================\n\nDo what you like.\n");
  await expect(licencesOf({})).rejects.toThrow(/node_modules\/thing to have .* licence/);
  await expect(licencesOf({ LICENSE: "\n" })).rejects.toThrow(/node_modules\/thing to have .* licence/);
});
