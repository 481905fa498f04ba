import type { Chart } from "chart.js";
import { expect, test } from "vitest";
import { seededRandom } from "../../stats/seeded-random.js";
import type { ChartPoint } from "./chart-definition.js";
import { PICTURE } from "./picture-style.js";
import { pointTagsPlugin } from "./point-tags-plugin.js";
import { overlaps } from "./tag-places.js";
import type { Box, Place } from "./tag-places.js";

const LETTER_WIDTH = 14;
const AREA: Box = { left: 0, right: 800, top: 0, bottom: 400 };

interface Written {
  readonly text: string;
  readonly box: Box;
}

/** Writes the tags of lines, whose points lie where their x and y say, on a canvas that only remembers what was written. */
function writeTags(lines: readonly (readonly ChartPoint[])[], hidden: readonly number[] = []): readonly Written[] {
  const written: Written[] = [];
  const ctx = {
    save: () => {},
    restore: () => {},
    strokeText: () => {},
    measureText: (text: string) => ({ width: text.length * LETTER_WIDTH }),
    fillText: (text: string, left: number, middle: number) => {
      const half = PICTURE.tickSize / 2;
      const right = left + text.length * LETTER_WIDTH;
      written.push({ text, box: { left, right, top: middle - half, bottom: middle + half } });
    },
  };
  const chart = {
    ctx,
    chartArea: AREA,
    data: { datasets: lines.map((data) => ({ data, borderColor: "#000000" })) },
    isDatasetVisible: (index: number) => !hidden.includes(index),
    getDatasetMeta: (index: number) => ({
      data: (lines[index] ?? []).map(({ x, y }): Place => ({ x: Number(x), y: y ?? Number.NaN })),
      yScale: AREA,
    }),
  } as unknown as Chart;
  const series = lines.map((points) => ({
    name: "",
    shape: "line" as const,
    colorIndex: 0,
    dash: "solid" as const,
    panel: 0,
    points,
  }));
  pointTagsPlugin({ series }, PICTURE).afterDatasetsDraw?.(chart, {} as never, {}, false);
  return written;
}

function tagged(places: readonly (readonly [number, number])[]): readonly ChartPoint[] {
  return places.map(([x, y], index) => ({ x, y, tag: String(index + 1) }));
}

function pointBox({ x, y }: ChartPoint): Box {
  const [cx, cy] = [Number(x), y ?? 0];
  return { left: cx - 8, right: cx + 8, top: cy - 8, bottom: cy + 8 };
}

test("every point that has room has its tag", () => {
  const written = writeTags([
    tagged([
      [100, 100],
      [300, 200],
      [500, 100],
    ]),
  ]);
  expect(written.map(({ text }) => text).toSorted()).toEqual(["1", "2", "3"]);
});

test("a tag stands where no line is, if it can", () => {
  // The line leaves its first point to the right, where a tag would stand else.
  const [first, last] = writeTags([
    tagged([
      [400, 200],
      [700, 200],
    ]),
  ]);
  expect(first?.box.right).toBeLessThan(400);
  expect(last?.box.left).toBeGreaterThan(700);
});

test("no tag lies on another, on a point, or beyond the panel, however many there are", () => {
  const random = seededRandom(3);
  for (let round = 0; round < 30; round += 1) {
    const lines = Array.from({ length: 3 }, () =>
      Array.from({ length: 20 }, (_, index): ChartPoint => ({
        x: 800 * random(),
        y: 400 * random() ** 3,
        tag: String(10 * (index + 1)),
      })),
    );
    const written = writeTags(lines);
    expect(written.length).toBeGreaterThan(3);
    written.forEach(({ box }, index) => {
      for (const other of written.slice(index + 1)) expect(overlaps(box, other.box)).toBe(false);
      for (const point of lines.flat()) expect(overlaps(box, pointBox(point))).toBe(false);
      expect(box.left).toBeGreaterThanOrEqual(AREA.left);
      expect(box.right).toBeLessThanOrEqual(AREA.right);
    });
  }
});

test("in a heap the ends of a line come first", () => {
  const heap = Array.from({ length: 30 }, (_, index): readonly [number, number] => [400 + index, 200]);
  expect(
    writeTags([tagged(heap)])
      .slice(0, 2)
      .map(({ text }) => text),
  ).toEqual(["1", "30"]);
});

test("points without a tag, without a value, outside the panel, or of a hidden line have none", () => {
  const outside = tagged([
    [100, 100],
    [900, 100],
  ]);
  expect(writeTags([outside]).map(({ text }) => text)).toEqual(["1"]);
  expect(writeTags([tagged([[100, 100]]), tagged([[300, 100]])], [1])).toHaveLength(1);
  expect(
    writeTags([
      [
        { x: 100, y: null, tag: "1" },
        { x: 200, y: 100 },
      ],
    ]),
  ).toEqual([]);
});
