import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { MOST_MIX_BYTES } from "./check-mix.js";
import { MOST_BODIES, readBodies } from "./read-bodies.js";

function aFile(content: string | Buffer): string {
  const path = join(temporaryFolder(), "bodies");
  writeFileSync(path, content);
  return path;
}

const read = (content: string | Buffer) => readBodies(aFile(content), "here");

describe("readBodies", () => {
  it.each([
    ["lines", "a\nb\n", ["a", "b"]],
    ["lines of which the last does not end", "a\nb", ["a", "b"]],
    ["lines of Windows", "a\r\nb\r\n", ["a", "b"]],
    ["carriage returns that end no line", "a\rb\r", ["a\rb\r"]],
    ["empty lines, of which only what follows the last line feed is none", "\na\n\n", ["", "a", ""]],
    ["letters of all languages", "zwölf\n十二\n", ["zwölf", "十二"]],
  ])("reads %s", async (_, content, bodies) => {
    await expect(read(content)).resolves.toEqual({ bodies, bodyEncoding: "utf8" });
  });

  it("reads all bodies as base64 where the file is not UTF-8", async () => {
    const { bodies, bodyEncoding } = await read(Buffer.from([0xff, 0x00, 0x0a, 0x61, 0x0a]));
    expect(bodyEncoding).toBe("base64");
    expect(bodies.map((body) => [...Buffer.from(body, "base64")])).toEqual([[0xff, 0x00], [0x61]]);
  });

  it("takes as many lines as it may, and no more", async () => {
    await expect(read("x\n".repeat(MOST_BODIES))).resolves.toHaveProperty("bodies.length", MOST_BODIES);
    await expect(read("x\n".repeat(MOST_BODIES + 1))).rejects.toThrow(
      /^here: expected a file of 1 to 10000 bodies, one in each line, got 10001 in ".*"\. Leave some out/,
    );
    await expect(read("")).rejects.toThrow(/^here: expected a file of 1 to 10000 bodies, .* got 0 in/);
  });

  it("takes as many bytes as it may, and no more", async () => {
    const path = aFile("");
    truncateSync(path, MOST_MIX_BYTES);
    await expect(readBodies(path, "here")).resolves.toHaveProperty("bodies.length", 1);
    truncateSync(path, MOST_MIX_BYTES + 1);
    await expect(readBodies(path, "here")).rejects.toThrow(
      `here: expected a file of at most 10000000 bytes, got 10000001 in "${path}"`,
    );
  });

  it("says which file cannot be read, and why", async () => {
    await expect(readBodies("/no/such/file", "mix[0].bodiesFile")).rejects.toThrow(
      'mix[0].bodiesFile: expected a file that can be read, got "/no/such/file": no such file or directory (ENOENT)',
    );
  });
});
