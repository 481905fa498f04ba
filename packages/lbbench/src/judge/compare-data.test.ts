import { expect, it } from "vitest";
import { differingKeys, isSameData } from "./compare-data.js";

it.each<[string, unknown, unknown, boolean]>([
  ["the order of keys does not count", { a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, true],
  ["the order of items counts", [1, 2], [2, 1], false],
  ["a shorter list is another", [1, 2], [1], false],
  ["a list is no object", ["a"], { 0: "a" }, false],
  ["a key that is missing is not one that is undefined", {}, { a: undefined }, false],
  ["null is no object", null, {}, false],
  ["numbers are not their text", 1, "1", false],
])("isSameData: %s", (_, a, b, same) => {
  expect(isSameData(a, b)).toBe(same);
  expect(isSameData(b, a)).toBe(same);
});

it("differingKeys names what was changed, added and left out, and is not misled by names of methods", () => {
  expect(differingKeys({ a: 1, b: 2, c: 3 }, { a: 1, b: 4, constructor: 5 })).toEqual(["b", "c", "constructor"]);
});
