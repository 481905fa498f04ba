import { beforeAll, describe, expect, test } from "vitest";
import { type DrawChart, loadCanvas } from "./charts/load-canvas.js";
import { chartConfig } from "./charts/chart-config.js";
import type { ChartDefinition, ChartPoint, ChartSeries } from "./charts/chart-definition.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { PICTURE, pictureHeight } from "./charts/picture-style.js";
import { renderPng } from "./png.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function sizeOf(png: Uint8Array): readonly [width: number, height: number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

test("the files of a sweep are a PNG for each chart, in the size of its panels", async () => {
  const result = aSweep({
    trials: 3,
    change: (step) => ((step.level.connections ?? 0) > 100 ? withFailures(step, 0.1) : step),
  });
  const files = await renderPng(result);
  const charts = chartDefinitions(result);
  expect(files.map(({ name }) => name)).toEqual(charts.map(({ id }) => `${id}.png`));
  for (const [index, { content }] of files.entries()) {
    const png = content as Uint8Array;
    expect([...png.subarray(0, 8)]).toEqual(PNG_SIGNATURE);
    expect(sizeOf(png)).toEqual([PICTURE.width, pictureHeight(charts[index]?.panels.length ?? 0)]);
    expect(png.length / PICTURE.width).toBeLessThan(120);
  }
});

describe("every word and mark of a chart is drawn", () => {
  let draw: DrawChart;
  const [usual] = chartDefinitions(aSweep({ targets: ["a", "b", "c"] })) as readonly [ChartDefinition];
  const [ramp] = chartDefinitions(
    aRampResult({ targets: { gRPC: (users) => ({ ok: Math.min(users, 40) * 50 }) } }),
  ) as readonly [ChartDefinition];
  const points = (one: ChartDefinition, of: (point: ChartPoint, at: number) => object): ChartDefinition => ({
    ...one,
    series: one.series.map((each) => {
      return { ...each, points: each.points.map((point, at) => ({ ...point, ...of(point, at) })) };
    }),
  });
  /** The second series lies below the first, in another colour, without a name of its own in the legend. */
  const [line] = usual.series as readonly [ChartSeries];
  const covered = { ...usual, series: [0, 1].map((colorIndex) => ({ ...line, colorIndex, name: "a" })) };

  beforeAll(async () => {
    draw = await loadCanvas();
  });

  test.each<[string, ChartDefinition, ChartDefinition]>([
    ["title", usual, { ...usual, title: "Another" }],
    ["note", usual, { ...usual, note: "another" }],
    ["label of the y axis", usual, { ...usual, y: { ...usual.y, label: "another" } }],
    ["label of a tick", usual, { ...usual, x: { ...usual.x, labels: ["a", "b", "c", "d", "e", "f"] } }],
    ["end of an axis beyond its ticks", usual, { ...usual, x: { ...usual.x, end: 2000 } }],
    ["label of the axis on the right", ramp, { ...ramp, right: { label: "another", scale: "linear" } }],
    ["outlier", usual, points(usual, ({ y }, at) => (at === 1 ? { outliers: [(y ?? 0) / 2] } : {}))],
    ["tag beside a point", usual, points(usual, (_, at) => ({ tag: String(at) }))],
    ["rule", usual, { ...usual, rules: [{ panel: 0, y: 5000, label: "" }] }],
    ["line on another", covered, { ...covered, series: covered.series.slice(0, 1) }],
    ["mark", ramp, { ...ramp, marks: [{ panel: 0, x: 62, label: "another" }] }],
  ])("%s", (_, one, other) => {
    const [first, second] = [one, other].map((each) => draw(chartConfig(each), PICTURE.height));
    expect(Buffer.compare(first as Uint8Array, second as Uint8Array)).not.toBe(0);
  });

  test("words that are for hovering alone are not, nor a tag where there is no value", () => {
    const gap = points(usual, ({ y }, at) => ({ y: at === 1 ? null : y }));
    const unseen = points(gap, (_, at) => ({ label: "words", ...(at === 1 ? { tag: "50" } : {}) }));
    const [first, second] = [gap, unseen].map((each) => draw(chartConfig(each), PICTURE.height));
    expect(Buffer.compare(first as Uint8Array, second as Uint8Array)).toBe(0);
  });
});
