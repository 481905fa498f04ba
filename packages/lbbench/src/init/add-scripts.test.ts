import { expect, it } from "vitest";
import { ConfigError } from "../config/config-error.js";
import { addScripts } from "./add-scripts.js";

const KEEP = { force: false };

it.each([
  ["two spaces", "  ", "\n", "\n"],
  ["four spaces, no line break at the end", "    ", "\n", ""],
  ["tabs, line breaks of Windows", "\t", "\r\n", "\r\n"],
])("keeps order, indentation, line breaks and end: %s", (_, indent, newline, end) => {
  const lines = [
    "{",
    `${indent}"z": 1,`,
    `${indent}"scripts": {`,
    `${indent}${indent}"test": "vitest"`,
    `${indent}},`,
    `${indent}"a": []`,
    "}",
  ];
  const expected = lines.flatMap((line) =>
    line.includes('"test"')
      ? [`${line},`, `${indent}${indent}"bench": "lbbench sweep",`, `${indent}${indent}"bench:max": "lbbench max"`]
      : [line],
  );
  const { text, kept } = addScripts(lines.join(newline) + end, KEEP);
  expect(text).toBe(expected.join(newline) + end);
  expect(kept).toEqual([]);
});

it("replaces a script of the same name only when told", () => {
  const text = `{\n  "scripts": {\n    "bench": "mine",\n    "test": "x"\n  }\n}\n`;
  const left = addScripts(text, KEEP);
  expect(left.kept).toEqual(["bench"]);
  expect(JSON.parse(left.text)).toEqual({ scripts: { bench: "mine", test: "x", "bench:max": "lbbench max" } });
  const replaced = addScripts(text, { force: true });
  expect(replaced.kept).toEqual([]);
  expect(Object.entries(JSON.parse(replaced.text).scripts)).toEqual([
    ["bench", "lbbench sweep"],
    ["test", "x"],
    ["bench:max", "lbbench max"],
  ]);
});

it("changes nothing where all is there, however it is written", () => {
  const text = `{"scripts":{"bench":"lbbench sweep","bench:max":"lbbench max"}}`;
  expect(addScripts(text, KEEP)).toEqual({ text, kept: [] });
});

it("keeps a byte order mark, and what an object literal would lose", () => {
  const { text } = addScripts(`\uFEFF{\n  "__proto__": 1\n}`, KEEP);
  expect(text.startsWith(`\uFEFF{\n  "__proto__": 1,\n  "scripts": {`)).toBe(true);
});

it.each(["[]", '"x"', "1"])("refuses scripts that are %s", (scripts) => {
  expect(() => addScripts(`{"scripts":${scripts}}`, KEEP)).toThrow(ConfigError);
});
