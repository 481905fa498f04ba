import { describe, expect, test } from "vitest";
import type { ChartSeries } from "../../src/report/charts/chart-definition.js";
import { moveReading } from "./move-reading.js";
import { readingsAt } from "./readings.js";
import type { Reading } from "./readings.js";

function readings(seriesIndex: number, change: Partial<ChartSeries>, ...places: readonly number[]): readonly Reading[] {
  const points = places.map((x) => ({ x, y: x }));
  const series: ChartSeries = {
    name: `s${seriesIndex}`,
    shape: "line",
    colorIndex: 0,
    dash: "solid",
    panel: 0,
    points,
    ...change,
  };
  return points.map((point) => ({ seriesIndex, series, point, left: point.x, top: 100 * seriesIndex, color: "" }));
}

const all = [...readings(0, {}, 1, 50, 100), ...readings(1, {}, 1, 60, 100), ...readings(2, { panel: 1 }, 50)];
const at = (index: number): Reading | undefined => all[index];

describe("an arrow", () => {
  test("leads to the first point when there was none", () => {
    expect(moveReading(all, undefined, "next")).toBe(at(0));
    expect(moveReading([], undefined, "next")).toBeUndefined();
  });

  test("leads along a series and not beyond its ends", () => {
    expect(moveReading(all, at(0), "next")).toBe(at(1));
    expect(moveReading(all, at(1), "previous")).toBe(at(0));
    expect(moveReading(all, at(2), "next")).toBe(at(2));
    expect(moveReading(all, at(0), "previous")).toBe(at(0));
    expect(moveReading(all, at(1), "last")).toBe(at(2));
    expect(moveReading(all, at(1), "first")).toBe(at(0));
  });

  test("leads to the nearest point of another series, also in another panel", () => {
    expect(moveReading(all, at(1), "series below")).toBe(at(4));
    expect(moveReading(all, at(4), "series below")).toBe(at(6));
    expect(moveReading(all, at(4), "series above")).toBe(at(1));
    expect(moveReading(all, at(6), "series below")).toBe(at(6));
  });

  test("knows a point again after the chart was drawn anew", () => {
    const drawn = all.map((one) => ({ ...one, left: one.left * 2 }));
    expect(moveReading(drawn, at(0), "next")?.point).toBe(at(1)?.point);
  });
});

describe("what is nearest to a place", () => {
  test("are the points of all series of the panel at the nearest x", () => {
    expect(readingsAt(all, 0, 95, 0)).toEqual([at(2), at(5)]);
    expect(readingsAt(all, 1, 95, 0)).toEqual([at(6)]);
  });

  test("is one point where series have no x in common", () => {
    const apart = [...readings(0, {}, 10, 20), ...readings(1, {}, 11, 21)];
    expect(readingsAt(apart, 0, 10, 100)).toEqual([apart[2]]);
  });

  test("is no point of a computed curve, but its marks", () => {
    const law = readings(1, { dense: true }, 2, 3, 4);
    const marked = law.map((one, index) => (index === 2 ? { ...one, point: { ...one.point, isMarked: true } } : one));
    const both = [...readings(0, {}, 1, 50), ...marked];
    expect(readingsAt(both, 0, 2.4, 0).map(({ point }) => point.x)).toEqual([1]);
    expect(readingsAt(both, 0, 4, 0).map(({ point }) => point.x)).toEqual([4]);
  });

  test("is a point of a dense line where all are", () => {
    expect(readingsAt(readings(0, { dense: true }, 1, 2, 3), 0, 2.2, 0).map(({ point }) => point.x)).toEqual([2]);
  });

  test("is with the area behind it, which is never aimed at", () => {
    const area = readings(1, { shape: "area" }, 1, 2, 3);
    const both = [...readings(0, {}, 1, 3), ...area];
    expect(readingsAt(both, 0, 2, 0).map(({ seriesIndex, point }) => [seriesIndex, point.x])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
});
