import { describe, expect, test } from "vitest";
import type { Level } from "../../model/level.js";
import type { Result } from "../../model/result.js";
import { aLatency, aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import { aSweep, failed } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { throughputLatencyChart } from "./throughput-latency-chart.js";

interface Measured {
  readonly throughput: number;
  readonly p50?: number;
  readonly p99?: number;
}

/** A result of one trial, whose targets answer so at their levels. */
function resultOf(targets: Readonly<Record<string, readonly Measured[]>>, levels: readonly Level[]): Result {
  const scenario = aScenario({
    targets: Object.keys(targets).map((name) => ({ name, server: "single", options: {} })),
    levels,
  });
  const steps = Object.entries(targets).flatMap(([target, measured]) =>
    measured.flatMap(({ throughput, ...latency }, index) => {
      const level = levels[index];
      if (level === undefined) return [];
      return [aStep({ target, level, measurement: aMeasurement({ throughput, latency: aLatency(latency) }) })];
    }),
  );
  return aResult({ scenario, steps });
}

const CONNECTIONS = [1, 10, 50].map((connections) => ({ connections, durationMs: 3000 }));
const HOCKEY_STICK = [
  { throughput: 100, p50: 1, p99: 2 },
  { throughput: 900, p50: 3, p99: 8 },
  { throughput: 800, p50: 60, p99: 200 },
];

function draw(result: Result): ChartDefinition {
  const [chart] = throughputLatencyChart(result);
  if (chart === undefined) throw new Error("expected a chart of latency against throughput");
  return chart;
}

describe("latency against throughput", () => {
  test("has a point for every level, in order of load, also where throughput falls", () => {
    const { series, panels, x, y } = draw(resultOf({ single: HOCKEY_STICK }, CONNECTIONS));
    expect(series.map(({ name, dash, points }) => [name, dash, points.map((point) => [point.x, point.y])])).toEqual([
      [
        "single",
        "solid",
        [
          [100, 1],
          [900, 3],
          [800, 60],
        ],
      ],
      [
        "single",
        "solid",
        [
          [100, 2],
          [900, 8],
          [800, 200],
        ],
      ],
    ]);
    expect([panels, series.map(({ panel }) => panel)]).toEqual([
      ["p50", "p99"],
      [0, 1],
    ]);
    expect(x).toMatchObject({
      label: "ok responses per second",
      scale: "linear",
      ticks: [0, 200, 400, 600, 800, 1000],
    });
    expect(y).toEqual({ label: "latency (ms, log scale)", scale: "log" });
  });

  test("names the level of every point, in words and beside it", () => {
    const [p50] = draw(resultOf({ single: HOCKEY_STICK }, CONNECTIONS)).series;
    expect(p50?.points.map(({ label, tag }) => [label, tag])).toEqual([
      ["1 connection", "1"],
      ["10 connections", "10"],
      ["50 connections", "50"],
    ]);
  });

  test("names no level but the first, the one with the most throughput, and the last beside its point", () => {
    const levels = [1, 5, 10, 20, 50].map((connections) => ({ connections, durationMs: 3000 }));
    const measured = [100, 500, 900, 850, 800].map((throughput) => ({ throughput }));
    const [p50] = draw(resultOf({ single: measured }, levels)).series;
    expect(p50?.points.map(({ tag }) => tag)).toEqual(["1", undefined, "10", undefined, "50"]);
    expect(p50?.points.map(({ label }) => label)).toContain("20 connections");
  });

  test("is not there for a search, whose levels are a knot", () => {
    const swept = resultOf({ single: HOCKEY_STICK }, CONNECTIONS);
    expect(throughputLatencyChart(swept)).toHaveLength(1);
    const search = {
      by: "connections",
      start: 1,
      growth: 2,
      most: 50,
      resolution: 0.05,
      needed: 1,
      beyond: null,
    } as const;
    expect(throughputLatencyChart({ ...swept, scenario: { ...swept.scenario, search } })).toEqual([]);
  });

  test("of an open loop has its rates", () => {
    const rates = [100, 1000, 2000].map((rate) => ({ rate, durationMs: 3000 }));
    const chart = draw(resultOf({ single: HOCKEY_STICK }, rates));
    expect(chart.series[0]?.points.map(({ tag }) => tag)).toEqual(["100", "1,000", "2,000"]);
    expect(chart.note).toBe(
      "numbers at points: requests per second at the beginning, with the most throughput, and in the end",
    );
  });

  test("has the medians of several trials, and says so", () => {
    const result = aSweep({ targets: ["single"], connections: [1, 50, 100], trials: 3 });
    const { series, subtitle } = draw(result);
    const ofLevel = result.steps.filter(({ level }) => level.connections === 50);
    const middle = (values: readonly number[]): number | undefined => values.toSorted((a, b) => a - b)[1];
    expect(series[1]?.points[1]).toMatchObject({
      x: middle(ofLevel.map(({ measurement }) => measurement?.throughput ?? 0)),
      y: middle(ofLevel.map(({ measurement }) => measurement?.latency?.p99 ?? 0)),
    });
    expect(subtitle).toContain("medians of 3 trials");
  });

  test("has a panel for each percentile from three targets on, and p99 alone for very many", () => {
    const three = draw(resultOf({ a: HOCKEY_STICK, b: HOCKEY_STICK, c: HOCKEY_STICK }, CONNECTIONS));
    expect(three.panels).toEqual(["p50", "p99"]);
    expect(three.series.filter(({ panel }) => panel === 1).map(({ name, dash }) => [name, dash])).toEqual([
      ["a", "solid"],
      ["b", "solid"],
      ["c", "solid"],
    ]);
    const twelve = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`target ${index}`, HOCKEY_STICK]));
    const many = draw(resultOf(twelve, CONNECTIONS));
    expect(many.series).toHaveLength(12);
    expect(many.panels.every((title) => title.endsWith(", p99"))).toBe(true);
    expect(many.series[11]?.points[2]?.y).toBe(200);
  });

  test("has a logarithmic axis of throughput where one target would squeeze the other", () => {
    const fast = HOCKEY_STICK.map((one) => ({ ...one, throughput: one.throughput * 100 }));
    expect(draw(resultOf({ fast, slow: HOCKEY_STICK }, CONNECTIONS)).x).toMatchObject({
      end: 90_000,
      label: "ok responses per second (log scale)",
      scale: "log",
    });
  });

  test("has a gap where a level failed, and leaves out a target with fewer than three answered levels", () => {
    const levels = [1, 10, 50, 100];
    const result = aSweep({
      connections: levels,
      change: (step) =>
        (step.target === "single" && step.level.connections === 10) ||
        (step.target === "balanced" && (step.level.connections ?? 0) > 10)
          ? failed(step)
          : step,
    });
    const { series } = draw(result);
    expect(series.map(({ name, points }) => [name, points.map(({ y }) => y === null)])).toEqual([
      ["single", [false, true, false, false]],
      ["single", [false, true, false, false]],
    ]);
  });

  test("is not there where no target was answered at three levels", () => {
    expect(throughputLatencyChart(aSweep({ connections: [1, 50] }))).toEqual([]);
    expect(throughputLatencyChart(aSweep({ change: failed }))).toEqual([]);
    expect(throughputLatencyChart(aResult({ steps: [] }))).toEqual([]);
  });

  test("says in words where throughput is at its most, and what comes in the end", () => {
    expect(draw(resultOf({ single: HOCKEY_STICK }, CONNECTIONS)).alt).toMatch(
      /single: at most 900 at p99 8\.00 with 10 connections, in the end 800 at p99 200 with 50 connections\.$/,
    );
  });
});
