import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

const read = async (flags: Partial<SweepFlags> = {}) =>
  flagsToInput({ keepalive: true, ...flags }, "/project", "/project");

describe("flagsToInput", () => {
  it("has no key for a flag that was not given", async () => {
    await expect(read()).resolves.toEqual({});
  });

  it("hands over words for the check to read, and whole numbers as numbers", async () => {
    const flags = { keepalive: false, connections: "1,2", trials: "3", generators: "two", format: "md, png" };
    await expect(read(flags)).resolves.toEqual({
      keepAlive: false,
      connections: "1,2",
      trials: 3,
      generators: "two",
      formats: ["md", "png"],
    });
  });

  it("puts the flags of a ramp together", async () => {
    const flags = { keepalive: true, from: "2", to: "many", over: "1m", steps: "3", hold: "5s" };
    await expect(read(flags)).resolves.toEqual({
      ramp: { from: 2, to: "many", over: "1m", steps: 3, hold: "5s" },
    });
  });

  it("asks for HTTP/2, and has the engine for it share connections", async () => {
    const flags = { keepalive: true, http2: true, streams: "10", channels: "2" };
    await expect(read(flags)).resolves.toEqual({
      httpVersion: "2",
      engines: { grpc: { channels: 2 }, undici: { streams: 10 } },
    });
  });

  it("collects headers by name; a value may hold colons, or nothing", async () => {
    const header = ["Accept: a", "X-Time:10:30", "Empty:", "Accept: b", "__proto__: c"];
    const { request } = await read({ header });
    expect(request).toEqual({
      headers: Object.fromEntries([
        ["Accept", ["a", "b"]],
        ["X-Time", ["10:30"]],
        ["Empty", [""]],
        ["__proto__", ["c"]],
      ]),
    });
  });

  it.each(["Accept", ": value", "A b: value", ""])("refuses the header %j", async (line) => {
    await expect(read({ header: [line] })).rejects.toThrow(
      `-H, --header: expected a header such as "Accept: application/json", got "${line}"`,
    );
  });

  it("reads a body from a file, as base64 where it is no text", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "text"), "grüß");
    writeFileSync(join(folder, "bytes"), Buffer.from([0xff, 0x00]));
    const readFile = async (name: string) => read({ bodyFile: join(folder, name) });
    await expect(readFile("text")).resolves.toEqual({ request: { body: "grüß", bodyEncoding: "utf8" } });
    await expect(readFile("bytes")).resolves.toEqual({ request: { body: "/wA=", bodyEncoding: "base64" } });
  });

  it("reads the requests of a mix from a file", async () => {
    const path = join(temporaryFolder(), "mix.json");
    writeFileSync(path, '[{"path": "/a"}, {"weight": 2}]');
    await expect(read({ mix: path })).resolves.toEqual({
      mix: [{ path: "/a" }, { weight: 2 }],
    });
  });

  it("says which file of a body cannot be read, and why", async () => {
    const bodyFile = temporaryFolder();
    await expect(read({ bodyFile })).rejects.toThrow(
      `--body-file: expected a file that can be read, got "${bodyFile}": illegal operation on a directory (EISDIR)`,
    );
  });
});
