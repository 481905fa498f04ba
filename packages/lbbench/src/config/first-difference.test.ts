import { expect, it } from "vitest";
import { firstDifference } from "./first-difference.js";

it.each([
  [1, 1],
  [null, null],
  [{ a: [1, { b: "c" }] }, { a: [1, { b: "c" }] }],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: undefined }, { a: 1 }],
])("finds none between %j and %j", (before, after) => {
  expect(firstDifference(before, after)).toBeUndefined();
});

it.each([
  [1, 2, [], 1, 2],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ["a", "b", 1], 2, 3],
  [{ a: [1] }, { a: [1, 2] }, ["a", 1], undefined, 2],
  [{ a: 1 }, {}, ["a"], 1, undefined],
  [{ a: {} }, { a: [] }, ["a"], {}, []],
  [{ a: null }, { a: {} }, ["a"], null, {}],
])("finds the first between %j and %j", (before, after, path, old, young) => {
  expect(firstDifference(before, after)).toEqual({ path, before: old, after: young });
});
