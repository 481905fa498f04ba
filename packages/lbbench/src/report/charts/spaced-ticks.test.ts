import { expect, test } from "vitest";
import { spacedTicks } from "./spaced-ticks.js";

test("levels that lie apart all keep their tick", () => {
  expect(spacedTicks([1, 50, 100, 250, 500, 1000], "log")).toEqual([1, 50, 100, 250, 500, 1000]);
});

test("ticks that would run into one another are left out, the first and the last never", () => {
  expect(spacedTicks([1, 2, 50, 51, 99, 100], "linear")).toEqual([1, 50, 100]);
});

test.each([[[]], [[7]], [[7, 7]]])("%j stays as it is", (ticks) => {
  expect(spacedTicks(ticks, "log")).toEqual(ticks);
});
