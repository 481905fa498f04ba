import { beforeAll, expect, test } from "vitest";
import { chartConfig } from "./chart-config.js";
import type { ChartDefinition, ChartPoint } from "./chart-definition.js";
import { loadCanvas } from "./load-canvas.js";
import type { DrawChart } from "./load-canvas.js";
import { PICTURE } from "./picture-style.js";

let draw: DrawChart;
beforeAll(async () => {
  draw = await loadCanvas();
});

function picture(points: readonly ChartPoint[], x: ChartDefinition["x"] = AXIS): Promise<Uint8Array> {
  const definition: ChartDefinition = {
    id: "tags",
    title: "Tags",
    subtitle: "",
    alt: "",
    x,
    y: { label: "", scale: "linear" },
    panels: [""],
    series: [{ name: "line", shape: "line", colorIndex: 0, dash: "solid", panel: 0, points }],
  };
  return draw(chartConfig(definition), PICTURE.height);
}

async function differ(one: Promise<Uint8Array>, other: Promise<Uint8Array>): Promise<boolean> {
  return Buffer.compare(await one, await other) !== 0;
}

const AXIS: ChartDefinition["x"] = { label: "", scale: "linear", ticks: [0, 50, 100] };
const APART = [0, 50, 100].map((x): ChartPoint => ({ x, y: 50 + x }));

test("tags are drawn beside their points, the same each time, and words that are for hovering alone are not", async () => {
  const tagged = APART.map((point) => ({ ...point, tag: String(point.x) }));
  expect(await differ(picture(tagged), picture(APART))).toBe(true);
  expect(await differ(picture(tagged), picture(tagged))).toBe(false);
  expect(await differ(picture(APART.map((point) => ({ ...point, label: "fifty" }))), picture(APART))).toBe(false);
});

test("a point without a value has no tag", async () => {
  const gap = APART.map((point, index): ChartPoint => (index === 1 ? { ...point, y: null } : point));
  expect(
    await differ(picture(gap.map((point, index) => (index === 1 ? { ...point, tag: "50" } : point))), picture(gap)),
  ).toBe(false);
});

test("labels of ticks are drawn in place of numbers", async () => {
  expect(await differ(picture(APART, { ...AXIS, labels: ["none", "half", "all"] }), picture(APART))).toBe(true);
});
