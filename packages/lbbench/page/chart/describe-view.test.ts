import { describe, expect, test } from "vitest";
import type { ChartDefinition } from "../../src/report/charts/chart-definition.js";
import { describeZeros, describeZoom } from "./describe-view.js";
import { pickPiece } from "./selection.js";

const CHART: ChartDefinition = {
  id: "throughput",
  title: "",
  subtitle: "",
  alt: "",
  x: { label: "connections (log scale)", scale: "log", ticks: [1, 50] },
  y: { label: "latency (ms)", scale: "linear" },
  panels: [""],
  series: [],
};

describe("what is seen is said", () => {
  test("as nothing when it is all of it", () => {
    expect(describeZoom(CHART, {})).toBe("");
  });

  test("by axis, with its ends", () => {
    expect(describeZoom(CHART, { x: { min: 46.1234, max: 1260 } })).toBe("shown: connections 46.1 to 1,260");
    expect(describeZoom(CHART, { x: { min: 1, max: 2 }, y: { min: 0, max: 0.25 } })).toBe(
      "shown: connections 1 to 2; latency (ms) 0 to 0.25",
    );
  });

  test("by the words of a category axis, one alone once", () => {
    const words = { ...CHART, x: { label: "level", scale: "category" as const, ticks: ["a", "b", "c"] } };
    expect(describeZoom(words, { x: { min: 1, max: 2 } })).toBe("shown: level b to c");
    expect(describeZoom(words, { x: { min: 1, max: 1 } })).toBe("shown: level b");
  });

  test("by what places are called where the axis does not show their numbers", () => {
    const percentiles: ChartDefinition = {
      ...CHART,
      x: { label: "percentile", scale: "log", ticks: [1, 10], labels: ["0 %", "90 %"] },
      series: [
        {
          name: "a",
          shape: "line",
          colorIndex: 0,
          dash: "solid",
          panel: 0,
          points: [{ x: 5, y: 1, label: "80 %" }],
        },
      ],
    };
    expect(describeZoom(percentiles, { x: { min: 4.9, max: 9 } })).toBe("shown: percentile 80 % to 90 %");
  });
});

test("zeros are told of on a logarithmic axis alone", () => {
  const series = [
    { name: "a", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points: [{ x: 1, y: 0 }] },
  ] as const;
  expect(describeZeros({ ...CHART, series })).toBe("");
  expect(describeZeros({ ...CHART, series, y: { ...CHART.y, scale: "log" } })).toBe(
    "1 value is 0 and not drawn: a logarithmic axis has no place for 0.",
  );
});

describe("what is dragged over", () => {
  const panel = { left: 10, right: 110, top: 20, bottom: 120 };

  test("is all of the height unless the drag has one", () => {
    expect(pickPiece({ left: 60, top: 50 }, { left: 30, top: 55 }, panel)).toEqual({
      ...panel,
      left: 30,
      right: 60,
      hasHeight: false,
    });
    expect(pickPiece({ left: 30, top: 90 }, { left: 60, top: 40 }, panel)).toEqual({
      left: 30,
      right: 60,
      top: 40,
      bottom: 90,
      hasHeight: true,
    });
  });

  test("ends where the panel does", () => {
    expect(pickPiece({ left: 0, top: 0 }, { left: 500, top: 500 }, panel)).toEqual({ ...panel, hasHeight: true });
  });
});
