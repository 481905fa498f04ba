import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { ConfigError } from "./config-error.js";
import { readRequestFiles } from "./read-request-files.js";

describe("readRequestFiles", () => {
  it("puts what is in the files where their names were, and leaves the rest as it is", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "one"), "grüß\n");
    writeFileSync(join(folder, "lines"), "a\nb\n");
    writeFileSync(join(folder, "bytes"), Buffer.from([0xff, 0x00]));
    const input = {
      trials: 3,
      request: { method: "POST", bodyFile: "one" },
      mix: [{ path: "/a", bodiesFile: "lines" }, { bodyFile: join(folder, "bytes") }, { name: "b", body: "x" }],
    };
    await expect(readRequestFiles(input, folder)).resolves.toEqual({
      trials: 3,
      request: { method: "POST", body: "grüß\n", bodyEncoding: "utf8" },
      mix: [
        { path: "/a", bodies: ["a", "b"], bodyEncoding: "utf8" },
        { body: "/wA=", bodyEncoding: "base64" },
        { name: "b", body: "x" },
      ],
    });
  });

  it("adds the files of a mix up, and stops reading at ten million bytes", async () => {
    const folder = temporaryFolder();
    for (const name of ["a", "b"]) writeFileSync(join(folder, name), "x".repeat(5_000_000));
    writeFileSync(join(folder, "one"), "x");
    const files = [{ bodyFile: "a" }, { bodiesFile: "b" }];
    await expect(readRequestFiles({ mix: files }, folder)).resolves.toHaveProperty("mix.length", 2);
    await expect(
      readRequestFiles({ mix: [...files, { bodyFile: "one" }, { bodyFile: "none" }] }, folder),
    ).rejects.toThrow(
      "mix (--mix): expected bodies of at most 10000000 bytes in all of its entries together, got 10000001.",
    );
  });

  it("leaves an input without requests as it is", async () => {
    await expect(readRequestFiles({ trials: 3 } as object, ".")).resolves.toEqual({ trials: 3 });
  });

  it.each([
    [{ request: { bodyFile: "none" } }, "request.bodyFile"],
    [{ mix: [{}, { bodyFile: "none" }] }, "mix[1].bodyFile (--mix)"],
    [{ mix: [{ bodiesFile: "none" }] }, "mix[0].bodiesFile (--mix)"],
  ])("names the entry whose file cannot be read: %j", async (input, place) => {
    const folder = temporaryFolder();
    const reading = readRequestFiles(input, folder);
    await expect(reading).rejects.toBeInstanceOf(ConfigError);
    await expect(reading).rejects.toThrow(
      `${place}: expected a file that can be read, got "${join(folder, "none")}": no such file or directory (ENOENT)`,
    );
  });
});
