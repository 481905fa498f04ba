import type { Chart } from "chart.js";
import { describe, expect, it } from "vitest";
import { judgeResult } from "../../judge/judge-result.js";
import type { Level } from "../../model/level.js";
import type { Result } from "../../model/result.js";
import { uslThroughput } from "../../stats/usl-parameters.js";
import { aLatency, aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { chartLegend } from "./chart-legend.js";
import { PICTURE } from "./picture-style.js";
import { throughputChart } from "./throughput-chart.js";
import { valueTicks } from "./value-ticks.js";

type Response = (load: number) => number;

const PEAKED: Response = (load) => uslThroughput({ lambda: 900, sigma: 0.03, kappa: 0.0004 }, load);
const LEVELLING: Response = (load) => uslThroughput({ lambda: 900, sigma: 0.08, kappa: 0 }, load);
/** Has no law that fits. */
const BENT: Response = (load) => Math.min(900 * load, 6000);

const LOADS = [1, 5, 10, 20, 40, 80, 160];

function sweepOf(targets: Readonly<Record<string, Response>>, levels: readonly Level[] = levelsOf(LOADS)): Result {
  const scenario = aScenario({
    targets: Object.keys(targets).map((name) => ({ name, server: "single", options: {} })),
    levels,
  });
  const steps = levels.flatMap((level) =>
    Object.entries(targets).map(([target, response]) => {
      const load = level.connections ?? 0;
      const throughput = response(load);
      const latency = aLatency({ mean: (load / throughput) * 1000 });
      return aStep({ target, level, measurement: aMeasurement({ throughput, latency }) });
    }),
  );
  return aResult({ scenario, steps, verdict: judgeResult({ scenario, steps }) });
}

function levelsOf(loads: readonly number[], durationMs = 3000): readonly Level[] {
  return loads.map((connections) => ({ connections, durationMs }));
}

function draw(result: Result): ChartDefinition {
  const [chart] = throughputChart(result);
  if (chart === undefined) throw new Error("expected a chart of throughput");
  return chart;
}

function lawOf({ series }: ChartDefinition): ChartSeries | undefined {
  return series.find(({ dense }) => dense);
}

describe("the Universal Scalability Law in the chart of throughput", () => {
  it("is a dashed line in the colour of its target, from the first level to the last", () => {
    const chart = draw(sweepOf({ single: PEAKED }));
    const law = lawOf(chart);
    expect(law).toMatchObject({ name: "dashed: Universal Scalability Law", dash: "dashed", colorIndex: 0, panel: 0 });
    expect([law?.points[0]?.x, law?.points.at(-1)?.x]).toEqual([1, 160]);
    for (const { x, y } of law?.points ?? []) expect(Number(y) / PEAKED(Number(x))).toBeCloseTo(1, 4);
  });

  it("has one mark, at its peak, which is said in words as well", () => {
    const chart = draw(sweepOf({ single: PEAKED }));
    const marked = lawOf(chart)?.points.filter(({ isMarked }) => isMarked) ?? [];
    const peak = Math.sqrt((1 - 0.03) / 0.0004);
    expect(marked.map(({ x }) => x)).toEqual([expect.closeTo(peak, 3)]);
    expect(chart.note).toContain("diamond");
    expect(chart.alt).toMatch(
      /single: at most [\d,]+, with 40 connections; peak of the fitted law at 49 \(13,0\d\d\)\./,
    );
    // In the order in which it is drawn.
    const places = (lawOf(chart)?.points ?? []).map(({ x }) => Number(x));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("goes on to its peak when that lies beyond the levels, and so does the axis", () => {
    const chart = draw(sweepOf({ single: PEAKED }, levelsOf([1, 5, 10, 20, 30])));
    const [last] = lawOf(chart)?.points.toReversed() ?? [];
    expect(Number(last?.x)).toBeGreaterThan(49.2);
    expect(chart.x).toMatchObject({ end: last?.x, ticks: [1, 5, 10, 20, 30, 49] });
    expect(chart.marks).toEqual([{ panel: 0, x: 30, label: "not measured beyond" }]);
    expect(chart.alt).toContain("peak of the fitted law at 49 (13,0");
    expect(chart.alt).toContain("beyond the levels, not measured");
    expect(valueTicks(chart).max).toBeGreaterThanOrEqual(PEAKED(49.2));
  });

  it("has no tick at a peak just beyond the levels, where it would take the place of the highest", () => {
    const chart = draw(sweepOf({ single: PEAKED }, levelsOf([1, 5, 10, 20, 30, 48])));
    expect(chart.alt).toContain("peak of the fitted law at 49");
    expect(chart.x.ticks).toEqual([1, 5, 10, 20, 30, 48]);
  });

  it("ends with the levels when its peak is far out", () => {
    const chart = draw(sweepOf({ single: PEAKED }, levelsOf([1, 2, 4, 6, 8, 12, 14])));
    expect(chart.x.end).toBe(14);
    expect(lawOf(chart)?.points.some(({ isMarked }) => isMarked)).toBe(false);
  });

  it("has no mark without a peak", () => {
    const chart = draw(sweepOf({ single: LEVELLING }));
    expect(lawOf(chart)?.points.some(({ isMarked }) => isMarked)).toBe(false);
    expect(chart).not.toHaveProperty("note");
    expect(chart).not.toHaveProperty("marks");
  });

  it("is drawn for the target that it fits, and for no other", () => {
    const { series } = draw(sweepOf({ pool: BENT, single: PEAKED }));
    expect(series.map(({ name, colorIndex }) => [name, colorIndex])).toEqual([
      ["pool", 0],
      ["single", 1],
      ["dashed: Universal Scalability Law", 1],
    ]);
  });

  it("has one entry of the legend for all targets, after theirs, which keep their markers", () => {
    const chart = draw(sweepOf({ single: PEAKED, other: (load) => PEAKED(load) * 0.9 }));
    const items = chartLegend(chart, PICTURE).labels.generateLabels?.({} as Chart) ?? [];
    expect(items.map(({ text, pointStyle }) => [text, pointStyle])).toEqual([
      ["single", "circle"],
      ["other", "rect"],
      ["dashed: Universal Scalability Law", "line"],
    ]);
    const [single, other, law] = items;
    expect(law?.strokeStyle).not.toBe(single?.strokeStyle);
    expect(law?.strokeStyle).not.toBe(other?.strokeStyle);
  });

  it("is drawn along the curve of a matrix that it was fitted to", () => {
    const levels = [...levelsOf(LOADS, 9000), ...levelsOf(LOADS, 3000)];
    const { series } = draw(sweepOf({ single: PEAKED }, levels));
    expect(series.map(({ name }) => name)).toEqual(["single, 9 s", "single, 3 s", "dashed: Universal Scalability Law"]);
  });

  it("is not drawn from a finding without its figures, as older files have it", () => {
    const result = sweepOf({ single: PEAKED });
    const findings = result.verdict.findings.map((finding) => {
      const { lambda: _, ...args } = finding.args;
      return { ...finding, args };
    });
    expect(lawOf(draw({ ...result, verdict: { ...result.verdict, findings } }))).toBeUndefined();
    expect(draw({ ...result, verdict: { ...result.verdict, findings: [] } }).x).not.toHaveProperty("end");
  });
});
