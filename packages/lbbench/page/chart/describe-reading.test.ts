import { describe, expect, test } from "vitest";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { describePlace, describeReading, speakReading } from "./describe-reading.js";
import type { Reading } from "./readings.js";

const CHART: ChartDefinition = {
  id: "latency",
  title: "Latency",
  subtitle: "",
  alt: "",
  x: { label: "connections (log scale)", scale: "log" },
  y: { label: "latency (ms, log scale)", scale: "log" },
  right: { label: "users", scale: "linear" },
  panels: ["p99"],
  series: [],
};

function reading(point: Partial<ChartPoint>, change: Partial<ChartSeries> = {}): Pick<Reading, "series" | "point"> {
  const series: ChartSeries = {
    name: "single",
    shape: "line",
    colorIndex: 0,
    dash: "solid",
    panel: 0,
    points: [],
    ...change,
  };
  return { series, point: { x: 50, y: 8533.129384, ...point } };
}

describe("a point says", () => {
  test("the digits of its value that may be measured, and its unit", () => {
    expect(describeReading(reading({}), CHART)).toEqual({
      name: "single",
      value: "8,533.129",
      unit: "ms",
      details: [],
    });
    expect(describeReading(reading({ y: 0.1 + 0.2 }), CHART).value).toBe("0.3");
    expect(describeReading(reading({ y: 13.029762283323 }), CHART).value).toBe("13.03");
    expect(describeReading(reading({ y: 0.123456789 }), CHART).value).toBe("0.123457");
    expect(describeReading(reading({ y: 0 }), CHART).value).toBe("0");
  });

  test("its interval and its outliers", () => {
    const { details } = describeReading(reading({ low: 8000.5, high: 9000, outliers: [1, 2.25] }), CHART);
    expect(details).toEqual(["8,000.5 to 9,000", "outliers 1, 2.25"]);
  });

  test("the unit of the axis on the right where it belongs there", () => {
    expect(describeReading(reading({}, { shape: "area" }), CHART).unit).toBe("users");
  });

  test("where it is, without a word about the scale", () => {
    expect(describePlace(reading({}), CHART)).toBe("connections: 50");
    expect(describePlace(reading({ x: "p50" }), { ...CHART, x: { label: "", scale: "category" } })).toBe("p50");
    expect(describePlace(reading({ label: "99.9 %" }), CHART)).toBe("99.9 %");
  });

  test("all of it in a sentence", () => {
    expect(speakReading(reading({ y: 1.5, low: 1, high: 2 }), CHART)).toBe(
      "p99; single; connections: 50; 1.5 ms, 1 to 2",
    );
    expect(speakReading(reading({ y: 1.5 }), { ...CHART, panels: [""] })).toBe("single; connections: 50; 1.5 ms");
  });
});

test("a label without brackets is the unit itself", () => {
  const rate = { ...CHART, y: { label: "ok responses per second (log scale)", scale: "log" as const } };
  expect(describeReading(reading({}), rate).unit).toBe("ok responses per second");
});
