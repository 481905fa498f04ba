import { expect, it } from "vitest";
import { nextOrder, sortRows, type SortCell } from "./sort-table.js";

const words = (...texts: readonly string[]): readonly SortCell[] => texts.map((text) => ({ text }));
const values = (...all: readonly string[]): readonly SortCell[] =>
  all.map((value) => ({ text: `about ${value}`, value }));

it.each<[string, readonly SortCell[], readonly number[], readonly number[]]>([
  ["by value and not by what is shown", values("1000", "9", "-3", "0.5"), [2, 3, 1, 0], [0, 1, 3, 2]],
  ["by words as people sort them", words("node-10", "Node-2", "ä", "z", "a"), [4, 2, 1, 0, 3], [3, 0, 1, 2, 4]],
  ["with what is missing last", values("", "2", "1"), [2, 1, 0], [1, 2, 0]],
  ["with a dash last", words("–", "b", "a"), [2, 1, 0], [1, 2, 0]],
  ["with words among values last", [{ text: "failed" }, ...values("10", "9")], [2, 1, 0], [1, 2, 0]],
  ["with equal ones as they came", values("2", "1", "2", "1"), [1, 3, 0, 2], [0, 2, 1, 3]],
  ["as words when one of them is no number", values("10", "9", "many"), [1, 0, 2], [2, 0, 1]],
])("rows are sorted %s", (_, cells, ascending, descending) => {
  expect(sortRows(cells, "ascending")).toEqual(ascending);
  expect(sortRows(cells, "descending")).toEqual(descending);
  expect(sortRows(cells, "none")).toEqual(cells.map((_cell, at) => at));
});

it("a head that is pressed again goes up, down and back", () => {
  const orders = ["none", "ascending", "descending", null, "constructor"].map(nextOrder);
  expect(orders).toEqual(["ascending", "descending", "none", "ascending", "ascending"]);
});
