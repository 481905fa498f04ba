import type { Chart } from "chart.js";
import { expect, it } from "vitest";
import { seededRandom } from "../../stats/seeded-random.js";
import { aFaultyResult } from "../test-support/fault-results.js";
import { canvasPlugins, pointTagsPlugin } from "./canvas-plugins.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";
import { PICTURE } from "./picture-style.js";

const LETTER_WIDTH = 12;
const PANEL = 200;
const PER_SECOND = 60;

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const AREA: Box = { left: 0, right: 800, top: 0, bottom: 400 };

const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** A canvas that only remembers its vertical lines, and its words, which are written at this part of their height. */
function openCanvas(part: number) {
  const lines: Box[] = [];
  const words: (Box & { readonly text: string })[] = [];
  let start = { x: 0, y: 0 };
  const told = {
    measureText: (text: string) => ({ width: text.length * LETTER_WIDTH }),
    moveTo: (x: number, y: number) => (start = { x, y }),
    lineTo: (x: number, y: number) => x === start.x && lines.push({ left: x, right: x, top: start.y, bottom: y }),
    fillText: (text: string, left: number, y: number) => {
      const top = y - part * PICTURE.tickSize;
      words.push({ text, left, right: left + text.length * LETTER_WIDTH, top, bottom: top + PICTURE.tickSize });
    },
  };
  const ctx = new Proxy(told, { get: (all, name) => Reflect.get(all, name) ?? (() => undefined), set: () => true });
  return { ctx, lines, words };
}

/** Draws the guides of a chart and returns its vertical lines, and the words with their places. */
function drawGuides(definition: ChartDefinition) {
  const { ctx, ...drawn } = openCanvas(0);
  const panels = definition.panels.map(
    (_, at) => [`y${at}`, { top: at * PANEL, bottom: at * PANEL + PANEL - 20, getPixelForValue: () => 0 }] as const,
  );
  const x = { getPixelForValue: (second: number) => second * PER_SECOND };
  const chart = { ctx, chartArea: { left: 0, right: 900 }, scales: { x, ...Object.fromEntries(panels) } };
  const guides = canvasPlugins(definition, { ...PICTURE, palette: [] }).find(({ id }) => id === "guides");
  guides?.afterDatasetsDraw?.(chart as unknown as Chart, {}, {}, false);
  return drawn;
}

/** Writes the tags of lines, whose points lie where their x and y say, and returns them with their places. */
function writeTags(lines: readonly (readonly ChartPoint[])[]) {
  const { ctx, words } = openCanvas(0.5);
  const chart = {
    ctx,
    chartArea: AREA,
    data: { datasets: lines.map((data) => ({ data, borderColor: "#000000" })) },
    getDatasetMeta: (index: number) => ({
      data: (lines[index] ?? []).map(({ x, y }) => ({ x: Number(x), y: y ?? Number.NaN })),
      yScale: AREA,
    }),
  } as unknown as Chart;
  const line: Omit<ChartSeries, "points"> = { name: "", shape: "line", colorIndex: 0, dash: "solid", panel: 0 };
  const plugin = pointTagsPlugin({ series: lines.map((points) => ({ ...line, points })) }, PICTURE);
  plugin.afterDatasetsDraw?.(chart, {} as never, {}, false);
  return words;
}

it("no mark runs through words, and no words touch others", () => {
  const faults = [3000, 4000, 6000, 7000].map((at, index) => [index % 2 === 0 ? "pause" : "resume", at] as const);
  const [chart] = chartDefinitions(aFaultyResult({ faults }));
  if (chart === undefined) throw new Error("there is no chart");
  const { lines, words } = drawGuides(chart);
  expect(words).toHaveLength(12);
  expect(new Set(lines.map(({ left }) => left)).size).toBe(4);
  expect(words.filter((word) => lines.some((line) => overlaps(word, line)))).toEqual([]);
  const touches = (one: Box, other: Box): boolean => overlaps({ ...one, right: one.right + LETTER_WIDTH }, other);
  const touched = words.filter((one) => words.some((other) => other !== one && touches(one, other)));
  expect(touched).toEqual([]);
});

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
