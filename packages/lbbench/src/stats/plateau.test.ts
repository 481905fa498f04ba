import { expect, it } from "vitest";
import { plateau } from "./plateau.js";

it.each([
  [[10, 50, 98, 100, 96, 40], 98],
  [[10, 20, 40], 40],
  [[7], 7],
  [[0, 0], 0],
])("plateau of %j is %d, the median of those within a tenth of the largest", (values, expected) => {
  expect(plateau(values)).toBe(expected);
});

it("plateau refuses an empty list", () => {
  expect(() => plateau([])).toThrow(RangeError);
});
