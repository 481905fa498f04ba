import { expect, it } from "vitest";
import {
  formatChange,
  formatCount,
  formatCounts,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  pickByteUnit,
} from "./format-number.js";

it.each([
  [formatTime, "0 is 0; 0.0004 is 0.000; 0.184 is 0.184; 9.8 is 9.80; 12.34 is 12.3; 999.6 is 1,000; 1234.4 is 1,234"],
  [formatRate, "0 is 0; 4.567 is 4.57; 832.4 is 832; 12345.6 is 12,346"],
  [formatPercent, "0 is 0.0; 0.00004 is 0.004; 0.123 is 12.3; 1.04 is 104.0"],
  [formatChange, "0.1234 is +12.3 %; -0.04 is -4.0 %; 0 is +0.0 %"],
  [formatCount, "1234567 is 1,234,567"],
  [formatDuration, "850 is 850 ms; 1000 is 1 s; 3500 is 3.5 s; 59960 is 60 s; 60000 is 1 min; 125000 is 2 min 5 s"],
])("figures are shown with the digits that mean something, by %o: %s", (format, cases) => {
  const shown = cases.split("; ").map((one) => one.split(" is ")[0] ?? "");
  expect(shown.map((value) => `${value} is ${format(Number(value))}`).join("; ")).toBe(cases);
});

it("the numbers of a list have their thousands apart, and words stay", () => {
  expect(["500, 1000", "12000", "?", ""].map((list) => formatCounts(list))).toEqual(["500, 1,000", "12,000", "?", ""]);
});

it("the unit of a column of bytes fits its largest value", () => {
  const columns = [[], [9999], [10, 10_000], [12_000_000], [3e10]];
  expect(columns.map((values) => pickByteUnit(values).name)).toEqual(["B", "B", "kB", "MB", "GB"]);
});
