import { truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { MOST_BODIES, MOST_MIX_BYTES } from "./requests.js";
import { readRequestFiles } from "./request-files.js";

/** The bodies of a mix of one entry that has them from a file. */
async function readBodies(content: string | Buffer, bytes = Buffer.byteLength(content)): Promise<unknown> {
  const folder = temporaryFolder({ bodies: content });
  truncateSync(join(folder, "bodies"), bytes);
  return (await readRequestFiles({ mix: [{ bodiesFile: "bodies" }] }, folder)).mix?.[0];
}

describe("files of requests", () => {
  it("are put where their names were, as base64 where they are no text, and the rest is left as it is", async () => {
    const folder = temporaryFolder({ one: "grüß\n", lines: "a\nb\n", bytes: Buffer.from([0xff, 0x00]) });
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
    await expect(readRequestFiles({ trials: 3 } as object, ".")).resolves.toEqual({ trials: 3 });
  });

  it.each([
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["a\rb\r", ["a\rb\r"]],
    ["\na\n\n", ["", "a", ""]],
  ])("have a body in each line: %j", async (content, bodies) => {
    await expect(readBodies(content)).resolves.toEqual({ bodies, bodyEncoding: "utf8" });
  });

  it("are read as base64 line by line where one is not UTF-8", async () => {
    const content = Buffer.from([0xff, 0x00, 0x0a, 0x61, 0x0a]);
    await expect(readBodies(content)).resolves.toEqual({ bodies: ["/wA=", "YQ=="], bodyEncoding: "base64" });
  });

  it("hold as many lines and bytes as they may, and no more", async () => {
    await expect(readBodies("x\n".repeat(MOST_BODIES))).resolves.toHaveProperty("bodies.length", MOST_BODIES);
    await expect(readBodies("x\n".repeat(MOST_BODIES + 1))).rejects.toThrow(
      /^mix\[0\]\.bodiesFile \(--mix\): expected a file of 1 to 10000 bodies, one in each line, got 10001 in/,
    );
    await expect(readBodies("")).rejects.toThrow("expected a file of 1 to 10000 bodies");
    await expect(readBodies("", MOST_MIX_BYTES)).resolves.toHaveProperty("bodies.length", 1);
    await expect(readBodies("", MOST_MIX_BYTES + 1)).rejects.toThrow(
      /: expected bodies of at most 10000000 bytes in all entries of the mix together, got more with the file ".*" \(10000000 bytes are/,
    );
  });

  it("are added up over a mix, and none is read beyond ten million bytes", async () => {
    const half = "x".repeat(5_000_000);
    const folder = temporaryFolder({ a: half, b: half, one: "x" });
    const files = [{ bodyFile: "a" }, { bodiesFile: "b" }];
    await expect(readRequestFiles({ mix: files }, folder)).resolves.toHaveProperty("mix.length", 2);
    const tooMany = { mix: [...files, { bodyFile: "one" }, { bodyFile: "none" }] };
    await expect(readRequestFiles(tooMany, folder)).rejects.toThrow(
      'together, got more with the file "one" (0 bytes are left for it). Leave some bodies out',
    );
  });
});
