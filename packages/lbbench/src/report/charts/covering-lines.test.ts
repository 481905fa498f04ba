import { expect, test } from "vitest";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { countCoveringLines } from "./covering-lines.js";

function aLine(values: readonly (number | null)[], overrides: Partial<ChartSeries> = {}): ChartSeries {
  const points = values.map((y, x) => ({ x, y }));
  return { name: "a", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points, ...overrides };
}

function aChart(series: readonly ChartSeries[], scale: "linear" | "log" = "linear"): ChartDefinition {
  const x = { label: "", scale: "linear" } as const;
  return { id: "a", title: "", subtitle: "", alt: "", x, y: { label: "", scale }, panels: ["", ""], series };
}

test("a line on others is covered by each that is drawn after it", () => {
  expect(countCoveringLines(aChart([aLine([1, 50, 100]), aLine([1, 50, 100]), aLine([1.5, 50, 100])]))).toEqual([
    0, 1, 2,
  ]);
});

test("lines that only cross or touch cover nothing", () => {
  expect(countCoveringLines(aChart([aLine([0, 50, 100]), aLine([100, 50, 0]), aLine([0, 50, 20])]))).toEqual([0, 0, 0]);
});

test("what is far apart on a logarithmic axis is not alike because the numbers are small", () => {
  const series = [aLine([1, 1000]), aLine([2, 1005])];
  expect(countCoveringLines(aChart(series))).toEqual([0, 1]);
  expect(countCoveringLines(aChart(series, "log"))).toEqual([0, 0]);
});

test.each([
  ["in another panel", { panel: 1 }],
  ["of many points", { dense: true }],
  ["that is an area", { shape: "area" }],
] as const)("a line %s is not covered", (_, overrides) => {
  expect(countCoveringLines(aChart([aLine([1, 50, 100]), aLine([1, 50, 100], overrides)]))).toEqual([0, 0]);
});

test("a line without a point, or with points where the other has none, is not covered", () => {
  expect(countCoveringLines(aChart([aLine([null, 50]), aLine([null, null]), aLine([20, 50])]))).toEqual([0, 0, 0]);
});
