import { expect, expectTypeOf, it } from "vitest";
import { defined } from "./defined.js";

it("leaves out what is undefined, and nothing else", () => {
  const fields = defined({ a: 0, b: undefined as string | undefined, c: null, d: "", e: [undefined] });
  expect(Object.entries(fields)).toEqual([
    ["a", 0],
    ["c", null],
    ["d", ""],
    ["e", [undefined]],
  ]);
  expectTypeOf(fields).toExtend<{ readonly a: number; readonly b?: string }>();
});
