import type { Chart } from "chart.js";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../stats/seeded-random.js";
import type { ChartPoint, ChartSeries } from "./chart-definition.js";
import { colorAt, markerAt, PALETTE } from "./picture-style.js";
import { percentileAxis, percentileName } from "./latency-charts.js";
import { PICTURE } from "./picture-style.js";
import { pointTagsPlugin } from "./canvas-plugins.js";
import { linearTicks, logTicks, thinTicks } from "./axes.js";

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const LETTER_WIDTH = 14;
const AREA: Box = { left: 0, right: 800, top: 0, bottom: 400 };

const LINE: ChartSeries = { name: "", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points: [] };

/** Writes the tags of lines, whose points lie where their x and y say, on a canvas that only remembers what was written. */
function writeTags(lines: readonly (readonly ChartPoint[])[]): readonly (Box & { readonly text: string })[] {
  const written: (Box & { text: string })[] = [];
  const ctx = {
    save: () => {},
    restore: () => {},
    strokeText: () => {},
    measureText: (text: string) => ({ width: text.length * LETTER_WIDTH }),
    fillText: (text: string, left: number, middle: number) => {
      const half = PICTURE.tickSize / 2;
      written.push({ text, left, right: left + text.length * LETTER_WIDTH, top: middle - half, bottom: middle + half });
    },
  };
  const chart = {
    ctx,
    chartArea: AREA,
    data: { datasets: lines.map((data) => ({ data, borderColor: "#000000" })) },
    getDatasetMeta: (index: number) => ({
      data: (lines[index] ?? []).map(({ x, y }) => ({ x: Number(x), y: y ?? Number.NaN })),
      yScale: AREA,
    }),
  } as unknown as Chart;
  const plugin = pointTagsPlugin({ series: lines.map((points) => ({ ...LINE, points })) }, PICTURE);
  plugin.afterDatasetsDraw?.(chart, {} as never, {}, false);
  return written;
}

const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

it("no tag lies on another, nearer than its own point to any, or beyond the panel, however many there are", () => {
  const random = seededRandom(3);
  for (let round = 0; round < 10; round += 1) {
    const lines = Array.from({ length: 3 }, () =>
      Array.from({ length: 20 }, (): ChartPoint => ({ x: 800 * random(), y: 400 * random() ** 3, tag: "100" })),
    );
    const points = lines.flat().map(({ x, y }): Box => {
      const [left, top] = [Number(x) - 13.9, (y ?? 0) - 13.9];
      return { left, right: left + 27.8, top, bottom: top + 27.8 };
    });
    const written = writeTags(lines);
    expect(written.length).toBeGreaterThan(3);
    written.forEach((box, index) => {
      expect([...points, ...written.slice(index + 1)].filter((other) => overlaps(box, other))).toEqual([]);
      expect([box.left >= AREA.left, box.right <= AREA.right]).toEqual([true, true]);
    });
  }
});

it("a tag stands beside a point at the upper edge of its panel", () => {
  const written = writeTags([[{ x: 400, y: 2, tag: "9" }]]);
  expect(written).toMatchObject([{ left: 414, top: 2 - PICTURE.tickSize / 2 }]);
});

describe("axes", () => {
  it.each([
    [0, 8, 0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [10_564, 8, 0, [0, 2000, 4000, 6000, 8000, 10_000, 12_000]],
    [0.3, 4, 0, [0, 0.1, 0.2, 0.3]],
    [34.6, 4, -25.2, [-40, -20, 0, 20, 40]],
  ])("up to %d in about %d steps, from %d, have round ticks", (largest, most, smallest, ticks) => {
    expect(linearTicks(largest, most, smallest)).toEqual({ min: ticks[0], max: ticks.at(-1), ticks });
  });

  it.each([
    [1.3, 379, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
    [0.02, 17_000, [0.02, 0.1, 1, 10, 100, 1000, 10_000]],
    [3, 3, [2, 5]],
  ])("that are logarithmic have round ticks around %d to %d", (smallest, largest, ticks) => {
    const { min, max, ticks: own } = logTicks(smallest, largest);
    expect(own.filter((tick) => ticks.includes(tick))).toEqual(ticks);
    expect(min <= smallest && largest <= max).toBe(true);
  });

  it("leave out ticks that are too near, the last but never both ends", () => {
    const at = (...pixels: readonly number[]) => pixels.map((pixel) => ({ value: pixel, pixel, width: 20 }));
    expect(thinTicks(at(0, 10, 30, 80, 95, 100), 8)).toEqual([0, 30, 100]);
    expect([thinTicks(at(0, 5), 8), thinTicks([], 8)]).toEqual([[0], []]);
  });

  it("of percentiles name as many nines as there are, and no tick beyond the end", () => {
    expect([1, 2, 20, 1000, 15_000].map(percentileName)).toEqual(["0 %", "50 %", "95 %", "99.9 %", "99.99333 %"]);
    expect(percentileAxis(9999)).toMatchObject({ ticks: [1, 2, 10, 100, 1000], end: 9999 });
  });
});

it("series have both colour and marker in common with none of 63 others", () => {
  const looks = Array.from({ length: 64 }, (_, index) => `${colorAt(index, PALETTE)} ${markerAt(index)}`);
  expect(new Set(looks).size).toBe(64);
});
