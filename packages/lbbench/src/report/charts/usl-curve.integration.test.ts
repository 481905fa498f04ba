import { beforeAll, expect, test } from "vitest";
import { chartConfig } from "./chart-config.js";
import type { ChartDefinition } from "./chart-definition.js";
import { loadCanvas } from "./load-canvas.js";
import type { DrawChart } from "./load-canvas.js";
import { PICTURE } from "./picture-style.js";

const LAW: ChartDefinition = {
  id: "throughput",
  title: "Throughput",
  subtitle: "sample",
  alt: "",
  x: { label: "connections", scale: "linear", ticks: [1, 2, 3] },
  y: { label: "ok responses per second", scale: "linear" },
  panels: [""],
  series: [
    {
      name: "law",
      shape: "line",
      dense: true,
      colorIndex: 0,
      dash: "dashed",
      panel: 0,
      points: [1, 2, 3].map((x) => ({ x, y: 10 * x })),
    },
  ],
};

let draw: DrawChart;
beforeAll(async () => {
  draw = await loadCanvas();
});

function picture(definition: ChartDefinition): Promise<Uint8Array> {
  return draw(chartConfig(definition), PICTURE.height);
}

test("a curve has the same bytes each time", async () => {
  expect(Buffer.compare(await picture(LAW), await picture(LAW))).toBe(0);
});

test.each<[string, ChartDefinition]>([
  [
    "the mark of a point",
    {
      ...LAW,
      series: LAW.series.map((one) => ({
        ...one,
        points: one.points.map((point) => ({ ...point, isMarked: point.x === 2 })),
      })),
    },
  ],
  ["the end of the axis beyond its ticks", { ...LAW, x: { ...LAW.x, end: 4 } }],
  ["a note", { ...LAW, note: "diamond" }],
  ["a second line of it", { ...LAW, note: "diamond\ncircles" }],
])("%s is drawn", async (_, definition) => {
  expect(Buffer.compare(await picture(LAW), await picture(definition))).not.toBe(0);
});
