import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { importPlugin } from "./import-plugin.js";

function write(name: string, source: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, source);
  return file;
}

it.each(["own.mjs", "own.ts"])("gives a module up that is never loaded: %s", async (name) => {
  const file = write(name, "await new Promise(() => {});\nexport default {};");
  await expect(importPlugin(file, 20)).rejects.toThrow(
    "it was not loaded after 0.02 s. Does an await at its top level wait for something that never comes?",
  );
});

it("waits for a module that is loaded in the end", async () => {
  const file = write("own.mjs", "await new Promise(setImmediate);\nexport default 5;");
  expect(await importPlugin(file)).toEqual(expect.objectContaining({ default: 5 }));
});
