import { describe, expect, test } from "vitest";
import { nextOrder, sortRows } from "./sort-rows.js";
import type { SortCell } from "./sort-rows.js";

const words = (...texts: readonly string[]): readonly SortCell[] => texts.map((text) => ({ text }));
const values = (...all: readonly string[]): readonly SortCell[] =>
  all.map((value) => ({ text: `about ${value}`, value }));

describe("rows are sorted", () => {
  test("by value and not by what is shown", () => {
    expect(sortRows(values("1000", "9", "-3", "0.5"), "ascending")).toEqual([2, 3, 1, 0]);
    expect(sortRows(values("1000", "9", "-3", "0.5"), "descending")).toEqual([0, 1, 3, 2]);
  });

  test("by words as people sort them", () => {
    expect(sortRows(words("node-10", "Node-2", "ä", "z", "a"), "ascending")).toEqual([4, 2, 1, 0, 3]);
  });

  test("with what is missing last in either direction", () => {
    for (const order of ["ascending", "descending"] as const) {
      expect(sortRows(values("", "2", "1"), order).at(-1)).toBe(0);
      expect(sortRows(words("–", "b", "a"), order).at(-1)).toBe(0);
    }
  });

  test("with words among values as missing ones", () => {
    expect(sortRows([{ text: "failed" }, ...values("10", "9")], "ascending")).toEqual([2, 1, 0]);
  });

  test("with equal ones as they came, in either direction", () => {
    expect(sortRows(values("2", "1", "2", "1"), "ascending")).toEqual([1, 3, 0, 2]);
    expect(sortRows(values("2", "1", "2", "1"), "descending")).toEqual([0, 2, 1, 3]);
  });

  test("as words when one of them is no number", () => {
    expect(sortRows(values("10", "9", "many"), "ascending")).toEqual([1, 0, 2]);
  });

  test("not at all when they are to stand as they came", () => {
    expect(sortRows(values("3", "1", "2"), "none")).toEqual([0, 1, 2]);
  });
});

test("a head that is pressed again goes up, down and back", () => {
  expect(["none", "ascending", "descending", null, "constructor"].map(nextOrder)).toEqual([
    "ascending",
    "descending",
    "none",
    "ascending",
    "ascending",
  ]);
});
