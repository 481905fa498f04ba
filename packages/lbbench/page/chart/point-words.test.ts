import { describe, expect, it } from "vitest";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { describePlace, describeReading } from "./point-words.js";

const CHART: ChartDefinition = {
  id: "latency",
  title: "Latency",
  subtitle: "",
  alt: "",
  x: { label: "connections", scale: "log" },
  y: { label: "latency", unit: "ms", scale: "log" },
  right: { label: "users", scale: "linear" },
  panels: [""],
  series: [],
};
const SERIES: ChartSeries = { name: "single", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points: [] };
const say = (point: Partial<ChartPoint>, series = SERIES, chart = CHART): readonly string[] =>
  describeReading(series, { x: 50, y: 1, ...point }, chart);

describe("a point says", () => {
  it.each([
    [8533.129384, "8,533.129"],
    [13.029762283323, "13.03"],
    [0.123456789, "0.123457"],
  ])("of %d the digits that may be measured: %s", (y, value) => {
    expect(say({ y })).toEqual([`single ${value} ms`]);
  });

  it("its interval, its outliers, why it is doubtful, and of which panel and axis it is", () => {
    expect(say({ low: 8000.5, high: 9000, outliers: [1, 2.25], isBounded: true })).toEqual([
      "single 1 ms",
      "8,000.5 to 9,000",
      "outliers 1, 2.25",
      "a finding bounds it",
    ]);
    expect(say({}, { ...SERIES, shape: "area" })).toEqual(["single 1 users"]);
    expect(say({ y: null }, SERIES, { ...CHART, panels: ["p99"] })).toEqual(["p99 · single no measurement"]);
  });

  it("where it is, by words of its own where it has some", () => {
    expect(describePlace({ x: 1000 }, CHART.x)).toBe("connections: 1,000");
    expect(describePlace({ x: 1, label: "99.9 %" }, CHART.x)).toBe("99.9 %");
    expect(describePlace({ x: "nginx" }, { label: "", scale: "category" })).toBe("nginx");
  });
});
