import { describe, expect, it } from "vitest";
import type { ChartDefinition, ChartPoint, ChartSeries } from "../../src/report/charts/chart-definition.js";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { aSweep, withFailures } from "../../src/report/test-support/sample-results.js";
import { describeZoom, keepRange, type Range, stretchRange, switchableAxes } from "./chart-view.js";
import { describeReading, moveReading, readingsAt, speakReading, type Reading } from "./readings.js";

const drawn = chartDefinitions(aSweep({ change: (step) => withFailures(step, 0.1) }));
const THROUGHPUT = drawn.find(({ id }) => id === "throughput") as ChartDefinition;
const ERRORS = drawn.find(({ id }) => id === "errors") as ChartDefinition;

function aSeries(points: readonly ChartPoint[], change: Partial<ChartSeries> = {}): ChartSeries {
  return { name: "single", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points, ...change };
}

const CHART: ChartDefinition = {
  id: "latency",
  title: "Latency",
  subtitle: "",
  alt: "",
  x: { label: "connections", scale: "log" },
  y: { label: "latency (ms)", scale: "log" },
  right: { label: "users", scale: "linear" },
  panels: ["p99"],
  series: [],
};

/** The chart of throughput with other places along x. */
const placed = (...places: readonly (number | string)[]): ChartDefinition => ({
  ...THROUGHPUT,
  x: { ...THROUGHPUT.x, ticks: places },
  series: THROUGHPUT.series.map((one) => ({ ...one, points: places.map((x) => ({ x, y: 1 })) })),
});

describe("a view of a chart", () => {
  it.each<[string, ChartDefinition, readonly string[]]>([
    ["numbers", THROUGHPUT, ["x", "y"]],
    ["words", placed("a", "b"), ["y"]],
    ["places without a logarithm", placed(0, 1, 2), ["y"]],
    ["values that stand on one another", ERRORS, []],
  ])("can switch axes of %s", (_, chart, axes) => {
    expect(switchableAxes(chart)).toEqual(axes);
  });

  it("says which part of each axis is shown, by the words of the axis", () => {
    expect(describeZoom(CHART, { x: { min: 46.1234, max: 1260 }, y: { min: 0, max: 0.25 } })).toBe(
      "shown: connections 46.1 to 1,260; latency (ms) 0 to 0.25",
    );
    const words = { ...CHART, x: { label: "level", scale: "category" as const, ticks: ["a", "b", "c"] } };
    expect(describeZoom(words, { x: { min: 1, max: 2 } })).toBe("shown: level b to c");
    expect(describeZoom(words, { x: { min: 1, max: 1 } })).toBe("shown: level b");
  });
});

describe("a point says", () => {
  const reading = (point: Partial<ChartPoint>, change?: Partial<ChartSeries>) => ({
    series: aSeries([], change),
    point: { x: 50, y: 8533.129384, ...point },
  });

  it.each([
    [8533.129384, "8,533.129"],
    [13.029762283323, "13.03"],
    [0.123456789, "0.123457"],
  ])("of %d the digits that may be measured: %s", (y, value) => {
    expect(describeReading(reading({ y }), CHART)).toEqual({ name: "single", value, unit: "ms", details: [] });
  });

  it("its interval, its outliers, its unit and where it is, in a sentence too", () => {
    expect(describeReading(reading({ low: 8000.5, high: 9000, outliers: [1, 2.25] }), CHART).details).toEqual([
      "8,000.5 to 9,000",
      "outliers 1, 2.25",
    ]);
    expect(describeReading(reading({}, { shape: "area" }), CHART).unit).toBe("users");
    expect(speakReading(reading({ y: 1.5, low: 1, high: 2 }), CHART)).toBe(
      "p99; single; connections: 50; 1.5 ms, 1 to 2",
    );
  });
});

describe("readings", () => {
  const readings = (seriesIndex: number, change: Partial<ChartSeries>, ...places: readonly number[]) => {
    const series = aSeries(
      places.map((x) => ({ x, y: x })),
      change,
    );
    return series.points.map((point): Reading => {
      return { seriesIndex, series, point, left: Number(point.x), top: 100 * seriesIndex, color: "" };
    });
  };
  const all = [...readings(0, {}, 1, 50, 100), ...readings(1, {}, 1, 60, 100), ...readings(2, { panel: 1 }, 50)];

  it.each([
    [undefined, "next", 0],
    [1, "previous", 0],
    [2, "next", 2],
    [1, "last", 2],
    [1, "first", 0],
    [1, "series below", 4],
    [4, "series below", 6],
  ] as const)(
    "from point %s the key for %s leads to point %i, also when the chart was drawn anew",
    (from, step, to) => {
      const current = from === undefined ? undefined : all[from];
      expect(moveReading(all, current, step)).toBe(all[to]);
      const anew = all.map((one) => ({ ...one, left: one.left * 2 }));
      expect(moveReading(anew, current, step)?.point).toBe(all[to]?.point);
    },
  );

  it("nearest to a place are those of all series of its panel, or one where they have no place in common", () => {
    expect(readingsAt(all, 0, 95, 0)).toEqual([all[2], all[5]]);
    expect(readingsAt(all, 1, 95, 0)).toEqual([all[6]]);
    const apart = [...readings(0, {}, 10, 20), ...readings(1, {}, 11, 21)];
    expect(readingsAt(apart, 0, 10, 100)).toEqual([apart[2]]);
  });
});

describe("zooming", () => {
  const FULL = { min: 0, max: 100 };
  const LOG = { min: 1, max: 10_000 };
  const WORDS = { min: 0, max: 5 };
  const pan = (view: Range, from: number, to: number) => stretchRange(FULL, view, { from, to, factor: 1 }, "linear");
  /** The second half, in the middle and twice as large. */
  const PIECE = { from: 0.75, to: 0.5, factor: 2 };
  const nearer = (at: number, factor = 2) => ({ from: at, to: at, factor });

  it.each([
    ["keeps what is under the pointer", stretchRange(FULL, FULL, nearer(0.25), "linear"), 12.5, 62.5],
    ["moves what is under the fingers", pan({ min: 40, max: 60 }, 0.5, 0.25), 45, 65],
    ["keeps ratios on a logarithmic axis", stretchRange(LOG, LOG, nearer(0.5), "log"), 10, 1000],
    ["never leaves the axis", pan({ min: 0, max: 50 }, 0, 0.5), 0, 50],
    ["ends at a ten-thousandth of the axis", stretchRange(FULL, FULL, nearer(0.5, 1e9), "linear"), 50, 50.01],
    ["shows whole categories", stretchRange(WORDS, WORDS, nearer(0.5, 1.5), "category"), 1, 4],
    ["shows a piece of what is seen", stretchRange(FULL, { min: 20, max: 60 }, PIECE, "linear"), 40, 60],
    ["keeps what is part of the axis", keepRange(FULL, { min: 10, max: 20 }), 10, 20],
  ])("%s", (_, range, min, max) => {
    expect([range?.min, range?.max]).toEqual([expect.closeTo(min, 6), expect.closeTo(max, 6)]);
  });

  it.each([
    ["beyond the end", keepRange(FULL, { min: 10, max: 120 })],
    ["out to all of it", stretchRange(FULL, { min: 25, max: 75 }, nearer(0.5, 0.01), "linear")],
  ])("is none %s", (_, range) => {
    expect(range).toBeUndefined();
  });
});
