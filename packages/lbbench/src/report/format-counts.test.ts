import { expect, test } from "vitest";
import { formatCounts } from "./format-counts.js";

test.each([
  ["500, 1000", "500, 1,000"],
  ["1", "1"],
  ["12000", "12,000"],
  ["?", "?"],
  ["", ""],
])("writes the numbers of %j as %j", (list, formatted) => {
  expect(formatCounts(list)).toBe(formatted);
});

test("puts between them what is asked for", () => {
  expect(formatCounts("100, 10000", " / ")).toBe("100 / 10,000");
});
