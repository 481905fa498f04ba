import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Option } from "commander";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { parseSweepInput } from "../index.js";
import { nameFlag } from "./flag-names.js";
import { createProgram } from "./program.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

/** Flags that are read by themselves, and are no part of the input. */
const NOT_IN_INPUT = ["--target", "--config", "--resume", "--quiet", "--json", "--live", "--live-port"];

const OPTIONS = createProgram(() => {})
  .commands.filter((command) => ["sweep", "max", "ramp"].includes(command.name()))
  .flatMap((command) =>
    command.options.map((option) => ({ flag: option.long ?? "", command: command.name(), option })),
  );

describe("nameFlag", () => {
  it("names a setting that is wrong by the flag that it was given with", () => {
    const input = {
      connections: "x",
      thresholds: ["p99<1ms", "fast"],
      request: { method: "G T", headers: { "a b": "c" } },
      ramp: { over: "soon" },
    };
    expect(() => parseSweepInput(input, nameFlag)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /^-c, --connections: [^]*^-m, --method: [^]*^-H, --header: [^]*^--threshold: [^]*^--over: /m,
        ),
      }),
    );
  });

  it("calls a setting that no flag can give what it came from", () => {
    expect(nameFlag(["targets", 0])).toBe("command line");
    expect(nameFlag([])).toBe("command line");
  });

  it.each(OPTIONS.filter(({ flag }) => !NOT_IN_INPUT.includes(flag)))(
    "names every setting that $flag of lbbench $command gives",
    async ({ flag, option }) => {
      const paths = pathsOf(await flagsToInput({ keepalive: true, ...flagsWith(option) }, "/", "/"));
      expect(paths).not.toEqual([]);
      for (const path of paths) expect(nameFlag(path), path.join(".")).toMatch(new RegExp(`${flag}( |$)`));
    },
  );
});

/** The flags with that one alone, of a value that can be read. */
function flagsWith(option: Option): Partial<SweepFlags> {
  if (option.negate) return { [option.attributeName()]: false };
  if (option.isBoolean()) return { [option.attributeName()]: true };
  const file = join(temporaryFolder(), "file.json");
  writeFileSync(file, "[{}]");
  const values = new Map<string | undefined, unknown>([
    ["--header", ["A: b"]],
    ["--threshold", ["x"]],
    ["--stop-on", ["x"]],
    ["--mix", file],
    ["--body-file", file],
  ]);
  return { [option.attributeName()]: values.get(option.long) ?? "1" };
}

/** Where in an input there is something. */
function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[]];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner).map((path) => [key, ...path]));
}
