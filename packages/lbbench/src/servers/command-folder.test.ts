import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCommandFolder } from "./command-folder.js";
import { useOwnTemporaryFolder } from "./test-support/own-temporary-folder.js";

describe("makeCommandFolder", () => {
  const around = useOwnTemporaryFolder();

  it("writes files, also in folders, and puts its path into them", () => {
    const folder = makeCommandFolder({ "a.conf": "in {folder}, {folder}/x", "www/index.html": "hello" });
    expect(readFileSync(join(folder, "a.conf"), "utf8")).toBe(`in ${folder}, ${folder}/x`);
    expect(readFileSync(join(folder, "www/index.html"), "utf8")).toBe("hello");
    expect(around.content()).toHaveLength(1);
  });

  it("lets others go through, but not look", () => {
    expect(statSync(makeCommandFolder({})).mode & 0o777).toBe(0o711);
  });

  it("leaves nothing when a file cannot be written", () => {
    expect(() => makeCommandFolder({ file: "a", "file/in-file": "b" })).toThrow(/EEXIST|ENOTDIR/);
    expect(around.content()).toEqual([]);
  });
});
