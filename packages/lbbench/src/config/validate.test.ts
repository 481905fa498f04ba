import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ConfigError } from "./config-error.js";
import { validate } from "./validate.js";

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  count: z.int().min(1).max(9).default(5),
  path: z.string().startsWith("/").optional(),
  site: z.url().optional(),
  token: z.url().optional(),
  on: z.boolean().optional(),
  mode: z.enum(["fast", "slow"]).optional(),
  nested: z.strictObject({ list: z.array(z.strictObject({ deep: z.number() })).min(1) }).optional(),
  map: z.record(z.string().regex(/^[a-z]+$/, "expected a key of small letters"), z.string()).optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
  shape: z.union([z.string(), z.strictObject({ width: z.number(), height: z.number().optional() })]).optional(),
});

function messageFor(value: unknown): string {
  try {
    return `accepted ${JSON.stringify(validate(schema, value, "file"))}`;
  } catch (error) {
    return error instanceof ConfigError ? error.message : `not a ConfigError: ${String(error)}`;
  }
}

describe("validate", () => {
  it.each([
    [{ token: "abcd" }, 'file: token: expected a URL such as http://127.0.0.1:8080/, got "(hidden)"'],
    [{ nested: ["x-api-key: abcd"] }, "file: nested: expected an object, got [ 'x-api-key: (hidden)' ]"],
    [{ name: "" }, 'file: name: expected at least 1 character, got ""'],
    [{ count: 1.5 }, "file: count: expected a whole number, got 1.5"],
    [{ count: 10 }, "file: count: expected a number of at most 9, got 10"],
    [{ path: "x" }, 'file: path: expected a text that starts with "/", got "x"'],
    [{ on: "yes" }, 'file: on: expected true or false, got "yes"'],
    [{ nested: {} }, "file: nested.list: expected a list, got nothing"],
    [{ nested: { list: [] } }, "file: nested.list: expected at least 1 entry, got []"],
    [{ nested: { list: [{ deep: 1 }, { deep: "x" }] } }, 'file: nested.list[1].deep: expected a number, got "x"'],
    [{ map: { A: "x" } }, 'file: map.A: expected a key of small letters, got "A"'],
    [{ either: 5 }, "file: either: expected a text, or a list, got 5"],
    [{ either: ["a", 5] }, "file: either[1]: expected a text, got 5"],
    [{ shape: { width: "x" } }, 'file: shape.width: expected a number, got "x"'],
    [undefined, "file: expected an object, got nothing"],
    // A long value is shortened.
    [{ on: "x".repeat(500) }, `file: on: expected true or false, got "${"x".repeat(79)}...`],
    [
      { nested: { list: [{ deep: 1, deeep: 2 }] } },
      'file: nested.list[0]: there is no setting "deeep". Did you mean "deep"?',
    ],
    [{ shape: { width: 1, hieght: 2 } }, 'file: shape: there is no setting "hieght". Did you mean "height"?'],
    [{ nothingLikeIt: 1 }, 'file: there is no setting "nothingLikeIt".'],
    // What every object has.
    [{ constructor: 1 }, 'file: there is no setting "constructor".'],
    [JSON.parse('{"__proto__": 2}'), 'file: there is no setting "__proto__".'],
  ])("names the place, what was expected and what came, or a setting that is alike, for %o", (value, message) => {
    expect(messageFor(value)).toBe(message);
  });

  it("has a line for each thing that is wrong, at most ten, and says how many there would be more", () => {
    const list = Array.from({ length: 100 }, () => ({ deep: "x" }));
    const lines = messageFor({ nested: { list } }).split("\n");
    expect(lines).toHaveLength(11);
    expect(lines[1]).toBe('file: nested.list[1].deep: expected a number, got "x"');
    expect(lines.at(-1)).toBe("90 more like these");
  });
});
