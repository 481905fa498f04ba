import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeFiles, type PlannedFile } from "./folder.js";

function aFile(path: string): PlannedFile {
  return { path, content: "new", manner: "create" };
}

it("puts everything back when one of them cannot be written, and says why", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "old"), "old");
  mkdirSync(join(folder, "in-the-way"));
  const files = [aFile("old"), aFile("made/for/it"), aFile("in-the-way")];
  await expect(writeFiles(folder, files)).rejects.toMatchObject({
    code: "OUTPUT_FAILED",
    message: expect.stringMatching(/in-the-way, but it cannot be written: .*EISDIR.*Nothing was written/),
  });
  expect(readdirSync(folder).toSorted()).toEqual(["in-the-way", "old"]);
  expect(readFileSync(join(folder, "old"), "utf8")).toBe("old");
});
