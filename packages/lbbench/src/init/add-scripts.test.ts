import { expect, it } from "vitest";
import { addScripts } from "./plan-init.js";

const KEEP = { force: false };

it.each([
  ["two spaces", "  ", "\n", "\n"],
  ["four spaces, no line break at the end", "    ", "\n", ""],
  ["tabs, line breaks of Windows", "\t", "\r\n", "\r\n"],
])("keeps order, indentation, line breaks and end: %s", (_, indent, newline, end) => {
  const write = (...scripts: readonly string[]): string => {
    const inner = scripts.map((script) => `${indent}${indent}${script}`).join(`,${newline}`);
    const lines = [`${indent}"z": 1,`, `${indent}"scripts": {`, inner, `${indent}},`, `${indent}"a": []`];
    return ["{", ...lines, "}"].join(newline) + end;
  };
  expect(addScripts(write('"test": "x"'), KEEP)).toEqual({
    text: write('"test": "x"', '"bench": "lbbench sweep"', '"bench:max": "lbbench max"'),
    kept: [],
  });
});

it("replaces a script of the same name only when told, and changes nothing where all is there", () => {
  const text = `{\n  "scripts": {\n    "bench": "mine",\n    "test": "x"\n  }\n}\n`;
  const left = addScripts(text, KEEP);
  expect(left.kept).toEqual(["bench"]);
  expect(JSON.parse(left.text)).toEqual({ scripts: { bench: "mine", test: "x", "bench:max": "lbbench max" } });
  const replaced = addScripts(text, { force: true });
  expect(replaced.kept).toEqual([]);
  expect(Object.keys(JSON.parse(replaced.text).scripts)).toEqual(["bench", "test", "bench:max"]);
  expect(replaced.text).toContain('"bench": "lbbench sweep"');
  const whole = `{"scripts":{"bench":"lbbench sweep","bench:max":"lbbench max"}}`;
  expect(addScripts(whole, KEEP)).toEqual({ text: whole, kept: [] });
});

it("keeps a byte order mark, and what an object literal would lose", () => {
  const { text } = addScripts(`\uFEFF{\n  "__proto__": 1\n}`, KEEP);
  expect(text.startsWith(`\uFEFF{\n  "__proto__": 1,\n  "scripts": {`)).toBe(true);
});
