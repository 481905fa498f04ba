import { expect, test } from "vitest";
import { chartScales } from "./chart-scales.js";
import type { ChartDefinition } from "./chart-definition.js";
import { nines, percentileAxis, percentileName } from "./percentile-axis.js";
import { PICTURE } from "./picture-style.js";

test.each([
  [1, "0 %"],
  [2, "50 %"],
  [20, "95 %"],
  [100, "99 %"],
  [1000, "99.9 %"],
  [15_000, "99.99333 %"],
  [100_000, "99.999 %"],
])("of all but one in %i the percentile is %s", (oneIn, name) => {
  expect(percentileName(oneIn)).toBe(name);
});

test.each([
  [10, 1],
  [99, 1],
  [1000, 3],
  [999_999, 5],
])("one in %i has %i nines", (oneIn, count) => {
  expect(nines(oneIn)).toBe(count);
});

test("an axis has no tick beyond its end", () => {
  expect(percentileAxis(9999)).toMatchObject({ ticks: [1, 2, 10, 100, 1000], end: 9999 });
  expect(percentileAxis(10_000).labels?.at(-1)).toBe("99.99 %");
});

test("what stands at the ticks of an axis is its labels, and a number where it has none", () => {
  const chart: ChartDefinition = {
    id: "percentiles",
    title: "",
    subtitle: "",
    alt: "",
    x: percentileAxis(1000),
    y: { label: "", scale: "linear" },
    panels: [""],
    series: [],
  };
  const write = (x: ChartDefinition["x"]): ((value: number) => string) => {
    const scale = chartScales({ ...chart, x }, PICTURE)["x"];
    const ticks = scale?.ticks as { callback?: (value: number) => string } | undefined;
    return (value) => ticks?.callback?.(value) ?? "";
  };
  expect([1, 10, 1000].map(write(chart.x))).toEqual(["0 %", "90 %", "99.9 %"]);
  const { labels: _, ...plain } = chart.x;
  expect([1, 10, 1000].map(write(plain))).toEqual(["1", "10", "1,000"]);
});
