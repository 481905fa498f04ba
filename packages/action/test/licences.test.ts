import { expect, it } from "vitest";
import { inRepository } from "@lbbench/test-support/repository.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

/** The part of the build that the bundle's LICENCES.txt is made by. */
const { renderLicences } = (await import(inRepository("packages/action/build/render-licences.mjs"))) as {
  readonly renderLicences: (files: readonly string[], root: string) => Promise<string>;
};

/** The licences of one package with these files beside its package.json. */
function licencesOf(files: Readonly<Record<string, string>>): Promise<string> {
  const manifest = JSON.stringify({ name: "thing", version: "1.2.3", license: "MIT" });
  const all = Object.entries({ ...files, "package.json": manifest });
  const folder = temporaryFolder(Object.fromEntries(all.map(([name, text]) => [`node_modules/thing/${name}`, text])));
  return renderLicences(["node_modules/thing/index.js"], folder);
}

it("the licences of the bundle are the texts that packages bring along, and none is made where one has no text", async () => {
  const text = await licencesOf({ "LICENSE.md": "Do what you like.\r\n" });
  expect(text).toContain("thing 1.2.3 (MIT)\n=================\n\nDo what you like.\n");
  await expect(licencesOf({})).rejects.toThrow(/node_modules\/thing to have .* licence/);
  await expect(licencesOf({ LICENSE: "\n" })).rejects.toThrow(/node_modules\/thing to have .* licence/);
});
