import { beforeAll, describe, expect, test } from "vitest";
import type { DrawChart } from "./charts/load-canvas.js";
import { chartConfig } from "./charts/chart-config.js";
import type { ChartDefinition, ChartSeries } from "./charts/chart-definition.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { loadCanvas } from "./charts/load-canvas.js";
import { PICTURE, pictureHeight } from "./charts/picture-style.js";
import { pngReporter } from "./png.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

function sizeOf(png: Uint8Array): readonly [width: number, height: number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

describe("the files of a sweep", () => {
  const result = aSweep({
    trials: 3,
    change: (step) => ((step.level.connections ?? 0) > 100 ? withFailures(step, 0.1) : step),
  });

  test("are a PNG for each chart, in the size of its panels", async () => {
    const files = await pngReporter.render(result, { charts: "png" });
    expect(files.map(({ name }) => name)).toEqual(chartDefinitions(result).map(({ id }) => `${id}.png`));
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["throughput.png", "latency-distribution.png", "goodput.png", "memory.png"]),
    );
    for (const [index, { content }] of files.entries()) {
      const png = content as Uint8Array;
      expect([...png.subarray(0, 8)]).toEqual(PNG_SIGNATURE);
      expect(sizeOf(png)).toEqual([PICTURE.width, pictureHeight(chartDefinitions(result)[index]?.panels.length ?? 0)]);
    }
  });

  test("have the same bytes each time", async () => {
    const [first, second] = [
      await pngReporter.render(result, { charts: "png" }),
      await pngReporter.render(result, { charts: "png" }),
    ];
    for (const [index, { content }] of first.entries()) {
      expect(Buffer.compare(content as Uint8Array, second[index]?.content as Uint8Array)).toBe(0);
    }
  });
});

/** Marks a trial that lies between the first two points of a series. */
function withOutlier(series: ChartSeries): ChartSeries {
  const [first, second] = series.points.map(({ y }) => y ?? 0);
  const outliers = [((first ?? 0) + (second ?? 0)) / 2];
  return { ...series, points: series.points.map((point, at) => (at === 0 ? { ...point, outliers } : point)) };
}

/** Without a name of its own, that the legend stays as it is. */
function recolour(series: ChartSeries, colorIndex: number): ChartSeries {
  return { ...series, colorIndex, name: "a" };
}

describe("every word and mark of a chart is drawn", () => {
  let draw: DrawChart;
  const [chart] = chartDefinitions(aSweep({ targets: ["a", "b", "c"] }));
  const usual = chart as ChartDefinition;
  // The second series lies below the first, in another colour.
  const alike = { ...usual, series: [...usual.series.slice(0, 1), ...usual.series.slice(0, 1)].map(recolour) };
  const panelled = { ...usual, panels: ["p"] };
  const [latency] = chartDefinitions(aRampResult({ targets: { gRPC: (users) => ({ ok: Math.min(users, 40) * 50 }) } }));
  const ramp = latency as ChartDefinition;

  beforeAll(async () => {
    draw = await loadCanvas();
  });

  test.each([
    ["title", usual, { ...usual, title: "Another" }],
    ["note", usual, { ...usual, note: "another" }],
    ["outlier", usual, { ...usual, series: usual.series.map(withOutlier) }],
    ["subtitle", usual, { ...usual, subtitle: "another" }],
    ["label of the x axis", usual, { ...usual, x: { ...usual.x, label: "another" } }],
    ["label of the y axis", usual, { ...usual, y: { ...usual.y, label: "another" } }],
    ["legend", usual, { ...usual, series: usual.series.map((one) => ({ ...one, name: `${one.name}!` })) }],
    ["title of a panel", panelled, { ...panelled, panels: ["q"] }],
    ["label of the axis on the right", ramp, { ...ramp, right: { label: "another", scale: "linear" as const } }],
    ["rule", usual, { ...usual, rules: [{ panel: 0, y: 5000, label: "" }] }],
    [
      "word of a rule",
      { ...usual, rules: [{ panel: 0, y: 5000, label: "ab" }] },
      { ...usual, rules: [{ panel: 0, y: 5000, label: "ba" }] },
    ],
    ["line on another", alike, { ...alike, series: alike.series.slice(0, 1) }],
    ["mark", ramp, { ...ramp, marks: [{ panel: 0, x: 62, label: "another" }] }],
    [
      "mark in the way of another",
      ramp,
      { ...ramp, marks: [...(ramp.marks ?? []), { panel: 0, x: 64, label: "near" }] },
    ],
  ])("%s", async (_, one, other) => {
    const [first, second] = await Promise.all(
      [one, other].map((definition) => draw(chartConfig(definition), PICTURE.height)),
    );
    expect(Buffer.compare(first as Uint8Array, second as Uint8Array)).not.toBe(0);
  });
});
