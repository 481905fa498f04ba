import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { readMixFile } from "./read-mix-file.js";

function aFile(content: string): string {
  const path = join(temporaryFolder(), "mix.json");
  writeFileSync(path, content);
  return path;
}

describe("readMixFile", () => {
  it("reads a list of requests; paths in it begin at its folder", async () => {
    const path = aFile('[{"path": "/", "weight": 2}, {"method": "post", "bodiesFile": "b.txt"}, {"bodyFile": "/c"}]');
    await expect(readMixFile(path, "/")).resolves.toEqual([
      { path: "/", weight: 2 },
      { method: "POST", bodiesFile: join(path, "..", "b.txt") },
      { bodyFile: "/c" },
    ]);
  });

  it.each([
    ['[{"weight": -1}]', ": [0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got -1"],
    ['[{}, {"pahs": "/"}]', ': [1]: there is no setting "pahs"'],
    ["{}", ": expected a list, got {}"],
    ["[]", ": expected at least 1 entry, got []"],
  ])("names the entry that is wrong in %s", async (content, message) => {
    const path = aFile(content);
    await expect(readMixFile(path, "/")).rejects.toThrow(`--mix ${path}${message}`);
  });

  it("says which file is no JSON, or cannot be read", async () => {
    const path = aFile("[{");
    await expect(readMixFile(path, "/")).rejects.toThrow(`--mix: expected a file of JSON, a list of requests such as `);
    await expect(readMixFile(path, "/")).rejects.toThrow(`got "${path}"`);
    await expect(readMixFile("/no/such", "/")).rejects.toThrow(
      '--mix: expected a file that can be read, got "/no/such": no',
    );
  });
});
