import { join } from "node:path";
import type { Option } from "commander";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { parseSweepInput } from "../index.js";
import { nameFlag } from "./flag-names.js";
import { createProgram } from "./program.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

const read = async (flags: Partial<SweepFlags>, cwd = "/") => flagsToInput({ keepalive: true, ...flags }, cwd, cwd);

describe("the flags of a run", () => {
  it.each<[string, Partial<SweepFlags>, object]>([
    ["no key for one that was not given", {}, {}],
    [
      "words for the check to read, and whole numbers as numbers",
      { keepalive: false, connections: "1,2", trials: "3", generators: "two", format: "md, png" },
      { keepAlive: false, connections: "1,2", trials: 3, generators: "two", formats: ["md", "png"] },
    ],
    [
      "those of a ramp together",
      { from: "2", to: "many", over: "1m", steps: "3", hold: "5s" },
      { ramp: { from: 2, to: "many", over: "1m", steps: 3, hold: "5s" } },
    ],
    [
      "HTTP/2, and options of engines",
      { http2: true, streams: "10", channels: "2" },
      { httpVersion: "2", engines: { grpc: { channels: 2 }, undici: { streams: 10 } } },
    ],
    [
      "headers by name, whose values may hold colons, or nothing",
      { header: ["Accept: a", "X-Time:10:30", "Empty:", "Accept: b", "__proto__: c"] },
      {
        request: {
          headers: Object.fromEntries([
            ["Accept", ["a", "b"]],
            ["X-Time", ["10:30"]],
            ["Empty", [""]],
            ["__proto__", ["c"]],
          ]),
        },
      },
    ],
  ])("are handed over with %s", async (_, flags, expected) => {
    expect(await read(flags)).toEqual(expected);
  });

  it.each(["Accept", ": value", "A b: value", ""])("are refused with the header %j", async (line) => {
    await expect(read({ header: [line] })).rejects.toThrow(
      `-H, --header: expected a header such as "Accept: application/json", got "${line}"`,
    );
  });

  it.each([
    ["grüß", { body: "grüß", bodyEncoding: "utf8" }],
    [Buffer.from([0xff, 0x00]), { body: "/wA=", bodyEncoding: "base64" }],
  ])("read a body from a file, as base64 where it is no text: %j", async (content, request) => {
    expect(await read({ bodyFile: "body" }, temporaryFolder({ body: content }))).toEqual({ request });
  });

  it("read a mix from a file, at whose folder the paths in it begin", async () => {
    const cwd = temporaryFolder({
      "mix.json": '[{"path": "/", "weight": 2}, {"bodiesFile": "b.txt"}, {"bodyFile": "/c"}]',
    });
    expect(await read({ mix: "mix.json" }, cwd)).toEqual({
      mix: [{ path: "/", weight: 2 }, { bodiesFile: join(cwd, "b.txt") }, { bodyFile: "/c" }],
    });
  });
});

describe("a setting that is wrong", () => {
  /** Flags that are read by themselves, and are no part of the input. */
  const notInInput = new Set(["--target", "--config", "--resume", "--quiet", "--json", "--live", "--live-port"]);
  const options = createProgram(() => {})
    .commands.filter((command) => ["sweep", "max", "ramp"].includes(command.name()))
    .flatMap((command) =>
      command.options.map((option) => ({ flag: option.long ?? "", command: command.name(), option })),
    )
    .filter(({ flag }) => !notInInput.has(flag));

  it.each(options)("is named by the flag that gave it: $flag of lbbench $command", async ({ flag, option }) => {
    const cwd = temporaryFolder({ "file.json": "[{}]" });
    const paths = pathsOf(await read({ [option.attributeName()]: valueFor(option) }, cwd));
    expect(paths).not.toEqual([]);
    for (const path of paths) expect(nameFlag(path), path.join(".")).toMatch(new RegExp(`${flag}( |$)`));
  });

  it("is told of one by one, and named after the command line where no flag can give it", () => {
    const input = {
      connections: "x",
      thresholds: ["fast"],
      request: { headers: { "a b": "c" } },
      ramp: { over: "soon" },
    };
    expect(() => parseSweepInput(input, nameFlag)).toThrow(
      /^-c, --connections: [^]*^-H, --header: [^]*^--threshold: [^]*^--over: /m,
    );
    expect([nameFlag(["targets", 0]), nameFlag([])]).toEqual(["command line", "command line"]);
  });

  /** A value that can be read. */
  function valueFor(option: Option): unknown {
    if (option.negate) return false;
    if (option.isBoolean()) return true;
    const values = new Map<string | undefined, unknown>([
      ["--header", ["A: b"]],
      ["--threshold", ["x"]],
      ["--stop-on", ["x"]],
      ["--mix", "file.json"],
      ["--body-file", "file.json"],
    ]);
    return values.get(option.long) ?? "1";
  }

  /** Where in an input there is something. */
  function pathsOf(value: unknown): readonly (readonly string[])[] {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [[]];
    return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path]));
  }
});
