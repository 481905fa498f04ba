import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { OutputError } from "./write-file.js";
import { openReportFolder } from "./report-folder.js";

describe("openReportFolder", () => {
  it("makes the folder with its first file, and the folders above it", async () => {
    const base = temporaryFolder();
    const folder = await openReportFolder(join(base, "a/b/c"));
    expect(readdirSync(base)).toEqual([]);
    await expect(folder.list()).resolves.toEqual([]);
    const written = await folder.write([
      { name: "one.txt", content: "text" },
      { name: "two.bin", content: new Uint8Array([1, 2, 255]) },
    ]);
    expect(written).toEqual([join(base, "a/b/c/one.txt"), join(base, "a/b/c/two.bin")]);
    expect(readFileSync(join(folder.path, "one.txt"), "utf8")).toBe("text");
    expect([...readFileSync(join(folder.path, "two.bin"))]).toEqual([1, 2, 255]);
  });

  it("replaces a file, with no other file beside it afterwards", async () => {
    const folder = await openReportFolder(temporaryFolder());
    await folder.write([{ name: "result.json", content: "old" }]);
    await folder.write([{ name: "result.json", content: "new" }]);
    expect(readFileSync(join(folder.path, "result.json"), "utf8")).toBe("new");
    await expect(folder.list()).resolves.toEqual(["result.json"]);
  });

  it("removes what writes to a file have left whose process was killed, and nothing else", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const temporary = (name: string, by: number): string => `${name}.${by}-${randomUUID()}.tmp`;
    const left = [temporary("result.json", pid), temporary("result.json", process.pid)];
    const others = [temporary("result.json", process.ppid), temporary("other.json", pid), "result.json.tmp"];
    const content = Object.fromEntries([...left, ...others].map((name) => [name, ""]));
    const folder = await openReportFolder(temporaryFolder(content));
    await Promise.all(["one", "two"].map((one) => folder.write([{ name: "result.json", content: one }])));
    expect((await folder.list()).toSorted()).toEqual(["result.json", ...others].toSorted());
  });

  it("replaces a link, and leaves alone what it leads to, also where that is not there", async () => {
    const elsewhere = temporaryFolder({ kept: "kept" });
    const folder = await openReportFolder(temporaryFolder());
    const names = ["kept", "none"];
    for (const name of names) symlinkSync(join(elsewhere, name), join(folder.path, name));
    await folder.write(names.map((name) => ({ name, content: "new" })));
    expect(names.map((name) => lstatSync(join(folder.path, name)).isFile())).toEqual([true, true]);
    expect(names.map((name) => readFileSync(join(folder.path, name), "utf8"))).toEqual(["new", "new"]);
    expect(readdirSync(elsewhere)).toEqual(["kept"]);
    expect(readFileSync(join(elsewhere, "kept"), "utf8")).toBe("kept");
  });

  it.runIf(process.platform !== "win32")("keeps the mode of a file that it replaces", async () => {
    const folder = await openReportFolder(temporaryFolder({ own: "old" }));
    chmodSync(join(folder.path, "own"), 0o640);
    await folder.write([{ name: "own", content: "new" }]);
    expect(statSync(join(folder.path, "own")).mode & 0o777).toBe(0o640);
  });

  it("never shows a part of a file to whoever reads while it is written", async () => {
    const folder = await openReportFolder(temporaryFolder());
    const contents = ["a", "b"].map((letter) => letter.repeat(2_000_000));
    const path = join(folder.path, "large");
    await folder.write([{ name: "large", content: contents[0] ?? "" }]);
    let isWriting = true;
    const writing = folder.write([{ name: "large", content: contents[1] ?? "" }]).finally(() => (isWriting = false));
    while (isWriting) {
      expect(contents.includes(readFileSync(path, "utf8")), "a whole content").toBe(true);
      await new Promise(setImmediate);
    }
    await writing;
    expect(readFileSync(path, "utf8")).toBe(contents[1]);
  });

  it.each(["", "..", "../evil", "a/b", "/etc/evil", "..\\evil"])(
    "refuses the name %j, and writes none of the files it came with",
    async (name) => {
      const base = temporaryFolder();
      const folder = await openReportFolder(join(base, "in"));
      const writing = folder.write([
        { name: "good", content: "" },
        { name, content: "" },
      ]);
      await expect(writing).rejects.toThrow(`Expected the plain name of a file from a reporter, got "${name}"`);
      expect(existsSync(join(base, "in"))).toBe(false);
    },
  );

  it("refuses a folder that cannot be, and says why", async () => {
    const base = temporaryFolder();
    writeFileSync(join(base, "file"), "");
    const below = openReportFolder(join(base, "file/below"));
    await expect(below).rejects.toBeInstanceOf(OutputError);
    await expect(below).rejects.toThrow(
      `Expected a folder that can be written to, but ${join(base, "file/below")} cannot: not a directory (ENOTDIR). Choose another one with --out DIR.`,
    );
    await expect(openReportFolder(join(base, "file"))).rejects.toThrow("file already exists (EEXIST)");
  });

  it.runIf(process.platform === "linux")(
    "refuses a folder below one that takes none, where Node waits for ever",
    async () => {
      await expect(openReportFolder("/proc/no/such/folder")).rejects.toThrow(
        "Expected a folder that can be written to, but /proc/no/such/folder cannot: no folder can be made in /proc (ENOENT). Choose another one with --out DIR.",
      );
    },
  );

  it("says which file cannot be written", async () => {
    const folder = await openReportFolder(temporaryFolder());
    mkdirSync(join(folder.path, "taken"));
    await expect(folder.write([{ name: "taken", content: "" }])).rejects.toThrow(join(folder.path, "taken"));
    expect(readdirSync(folder.path)).toEqual(["taken"]);
  });
});
