import { describe, expect, test } from "vitest";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTime,
  pickByteUnit,
} from "./format-number.js";

describe("formatTime", () => {
  test.each([
    [0, "0"],
    [0.0004, "0.000"],
    [0.021, "0.021"],
    [0.184, "0.184"],
    [9.8, "9.80"],
    [12.34, "12.3"],
    [999.6, "1,000"],
    [1234.4, "1,234"],
  ])("shows %d as %s", (value, text) => {
    expect(formatTime(value)).toBe(text);
  });
});

describe("formatRate", () => {
  test.each([
    [0, "0"],
    [4.567, "4.57"],
    [832.4, "832"],
    [12_345.6, "12,346"],
  ])("shows %d as %s", (value, text) => {
    expect(formatRate(value)).toBe(text);
  });
});

describe("formatPercent", () => {
  test.each([
    [0, "0.0"],
    [0.00004, "0.004"],
    [0.123, "12.3"],
    [1.04, "104.0"],
    [4, "400.0"],
  ])("shows the ratio %d as %s", (ratio, text) => {
    expect(formatPercent(ratio)).toBe(text);
  });
});

test("a change carries its sign", () => {
  expect([0.1234, -0.04, 0].map(formatChange)).toEqual(["+12.3 %", "-4.0 %", "+0.0 %"]);
});

test("counts have their thousands apart", () => {
  expect(formatCount(1_234_567)).toBe("1,234,567");
});

describe("formatDuration", () => {
  test.each([
    [850, "850 ms"],
    [1000, "1 s"],
    [3500, "3.5 s"],
    [59_960, "60 s"],
    [60_000, "1 min"],
    [125_000, "2 min 5 s"],
    [4_320_000, "1 h 12 min"],
  ])("shows %d ms as %s", (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });
});

test("the unit of a column of bytes fits its largest value", () => {
  expect([[], [9999], [10, 10_000], [12_000_000], [3e10]].map((values) => pickByteUnit(values).name)).toEqual([
    "B",
    "B",
    "kB",
    "MB",
    "GB",
  ]);
});
