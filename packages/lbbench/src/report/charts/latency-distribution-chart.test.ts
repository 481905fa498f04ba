import { describe, expect, test } from "vitest";
import type { Result, StepResult } from "../../model/result.js";
import { createLatencyHistogram, encodeHistogram } from "../../stats/histogram.js";
import { aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import { aRampResult } from "../test-support/ramp-results.js";
import { chartDefinitions } from "./chart-definitions.js";
import type { ChartDefinition, ChartSeries } from "./chart-definition.js";
import { latencyDistributionChart } from "./latency-distribution-chart.js";

/** Latencies in microseconds of the answers of a step, and its throughput. */
type Answers = (
  target: string,
  connections: number,
  trial: number,
) => { us?: readonly number[]; throughput?: number; change?: (step: StepResult) => StepResult };

const HUNDRED = Array.from({ length: 100 }, (_, index) => 10 * (index + 1));

function sweepOf(targets: readonly string[], loads: readonly number[], answers: Answers, trials = 1): Result {
  const levels = loads.map((connections) => ({ connections, durationMs: 3000 }));
  const scenario = aScenario({
    targets: targets.map((name) => ({ name, server: "single", options: {} })),
    levels,
    trials,
  });
  const steps = targets.flatMap((target) =>
    levels.flatMap((level) =>
      Array.from({ length: trials }, (_, index) => {
        const { us = HUNDRED, throughput = 100, change } = answers(target, level.connections, index + 1);
        const histogram = createLatencyHistogram();
        for (const value of us) histogram.recordValue(value);
        const measurement = aMeasurement({ throughput, histogram: encodeHistogram(histogram) });
        const step = aStep({ target, level, trial: index + 1, measurement });
        return change === undefined ? step : change(step);
      }),
    ),
  );
  return aResult({ scenario, steps });
}

function draw(result: Result): ChartDefinition {
  const [chart] = latencyDistributionChart(result);
  if (chart === undefined) throw new Error("expected a chart of the latency distribution");
  return chart;
}

function at(series: ChartSeries | undefined, oneIn: number): number | null | undefined {
  return series?.points.find(({ x }) => x === oneIn)?.y;
}

function withoutHistogram(step: StepResult): StepResult {
  const { histogram: _, ...measurement } = step.measurement ?? aMeasurement();
  return { ...step, measurement };
}

describe("the values of the latency distribution", () => {
  test("are those that so many percent of the answers do not exceed, up to 1 - 1/n", () => {
    const [line] = draw(sweepOf(["single"], [10], () => ({}))).series;
    // Of 10, 20, ... 1000 us.
    expect([1, 2, 4, 10, 20, 100].map((oneIn) => at(line, oneIn))).toEqual([0.01, 0.5, 0.75, 0.9, 0.95, 0.99]);
    expect(line?.points.at(-1)).toEqual({ x: 100, y: 0.99, label: "99 %" });
  });

  test("are of the answers of all trials together, and no mean of their percentiles", () => {
    const fast = Array.from({ length: 900 }, () => 100);
    const slow = Array.from({ length: 100 }, () => 2000);
    const chart = draw(sweepOf(["single"], [10], (_, __, trial) => ({ us: trial === 1 ? fast : slow }), 2));
    const [line] = chart.series;
    expect([at(line, 2), at(line, 10), at(line, 20)]).toEqual([0.1, 0.1, 2]);
    expect(line?.points.at(-1)?.x).toBe(1000);
    expect(chart.subtitle).toContain("over 2 trials together");
    expect(chart.alt).toContain("by percentile, over 2 trials together. ");
  });

  test("stand on an axis with a tick for every nine that the most answers support", () => {
    const { x } = draw(
      sweepOf(["a", "b"], [10], (target) => ({ us: Array.from({ length: target === "a" ? 20 : 3000 }, () => 500) })),
    );
    expect(x).toEqual({
      label: "percentile of ok responses (log scale)",
      scale: "log",
      ticks: [1, 2, 10, 100, 1000],
      labels: ["0 %", "50 %", "90 %", "99 %", "99.9 %"],
      end: 3000,
    });
  });

  test("have a logarithmic axis only where they span much", () => {
    expect(draw(sweepOf(["single"], [10], () => ({}))).y.scale).toBe("log");
    const alike = Array.from({ length: 100 }, (_, index) => 500 + index);
    expect(draw(sweepOf(["single"], [10], () => ({ us: alike }))).y).toEqual({
      label: "latency (ms)",
      scale: "linear",
    });
  });
});

describe("the levels of the latency distribution", () => {
  const LOADS = [1, 5, 10, 20, 40, 80];
  const peakedAt =
    (peak: number): Answers =>
    (_, connections) => ({ throughput: connections === peak ? 900 : 100 });

  test("are, for several targets, a panel each: the lowest, the one with the most throughput and the highest", () => {
    const chart = draw(sweepOf(["a", "b"], LOADS, peakedAt(20)));
    expect(chart.panels).toEqual([
      "1 connection (lowest)",
      "20 connections (most throughput)",
      "80 connections (highest)",
    ]);
    expect(chart.series.map(({ name, panel, colorIndex }) => [name, panel, colorIndex])).toEqual([
      ["a", 0, 0],
      ["b", 0, 1],
      ["a", 1, 0],
      ["b", 1, 1],
      ["a", 2, 0],
      ["b", 2, 1],
    ]);
    expect(chart.subtitle).toContain("3 of 6 levels");
  });

  test("are two where the most throughput is at an end", () => {
    expect(draw(sweepOf(["a", "b"], LOADS, peakedAt(80))).panels).toEqual([
      "1 connection (lowest)",
      "80 connections (highest, most throughput)",
    ]);
  });

  test("are all of up to three, without a reason", () => {
    const { panels, subtitle } = draw(sweepOf(["a", "b"], [1, 5, 10], peakedAt(5)));
    expect(panels).toEqual(["1 connection", "5 connections", "10 connections"]);
    expect(subtitle).not.toContain("levels");
  });

  test("are lines of one panel for a single target, all of up to five", () => {
    const chart = draw(sweepOf(["alone"], LOADS.slice(0, 5), peakedAt(5)));
    expect(chart.panels).toEqual([""]);
    expect(chart.series.map(({ name, colorIndex }) => [name, colorIndex])).toEqual([
      ["1 connection", 0],
      ["5 connections", 1],
      ["10 connections", 2],
      ["20 connections", 3],
      ["40 connections", 4],
    ]);
    expect(chart.subtitle).toContain("alone");
    expect(draw(sweepOf(["alone"], LOADS, peakedAt(5))).series).toHaveLength(3);
  });

  test("are one, said in the title, where there is one", () => {
    expect(draw(sweepOf(["a", "b"], [5], peakedAt(5)))).toMatchObject({
      title: "Latency distribution at 5 connections",
      panels: [""],
      series: [{ name: "a" }, { name: "b" }],
    });
  });

  test("are the one with the most throughput for more targets than a panel can hold, in several panels", () => {
    const targets = Array.from({ length: 12 }, (_, index) => `target ${index + 1}`);
    const chart = draw(sweepOf(targets, LOADS, peakedAt(10)));
    expect(chart.title).toBe("Latency distribution at 10 connections (most throughput)");
    expect(chart.series.map(({ name }) => name)).toEqual(targets);
    expect(new Set(chart.series.map(({ panel }) => panel)).size).toBe(chart.panels.length);
    expect(chart.panels.length).toBeGreaterThan(1);
  });

  test("are such at which the most targets can be compared", () => {
    const dead: Answers = (target, connections) =>
      target === "b" && connections > 10 ? { change: withoutHistogram } : { throughput: connections };
    expect(draw(sweepOf(["a", "b"], LOADS, dead)).panels).toEqual(["1 connection", "5 connections", "10 connections"]);
  });

  test("are of the longest time, or the most requests, of a matrix", () => {
    const levels = [1000, 10].flatMap((requests) => [1, 5].map((connections) => ({ connections, requests })));
    const chart = draw(aResult({ scenario: aScenario({ levels }) }));
    expect(chart.title).toBe("Latency distribution with 1,000 requests");
    expect(chart.alt).toMatch(/^Latency of ok responses in milliseconds by percentile, with 1,000 requests\. /);
    expect(chart.series.map(({ name }) => name)).toEqual(["1 connection", "5 connections"]);
  });
});

describe("without a latency distribution", () => {
  test("there is no chart: no histogram, fewer than ten answers, no answer, a step that was cut short, or a ramp", () => {
    const none: readonly Answers[] = [
      () => ({ change: withoutHistogram }),
      () => ({ us: HUNDRED.slice(0, 9) }),
      () => ({ change: (step) => ({ ...step, measurement: aMeasurement({ requests: { ok: 0, non2xx: 9 } }) }) }),
      () => ({ change: (step) => ({ ...step, state: "aborted" }) }),
    ];
    for (const answers of none) expect(latencyDistributionChart(sweepOf(["a"], [1, 5], answers))).toEqual([]);
    expect(draw(sweepOf(["a"], [1, 5], () => ({ us: HUNDRED.slice(0, 10) }))).series).toHaveLength(2);
    expect(chartDefinitions(aRampResult()).map(({ id }) => id)).not.toContain("latency-distribution");
  });

  test("a target is left out, and that is said", () => {
    const chart = draw(sweepOf(["a", "ab"], [5], (target) => (target === "ab" ? { change: withoutHistogram } : {})));
    expect(chart.series.map(({ name }) => name)).toEqual(["a"]);
    expect(chart.note).toBe("left out, for want of a histogram: ab");
    expect(draw(sweepOf(["a"], [5], () => ({})))).not.toHaveProperty("note");
  });
});

test("the latency distribution says in words how long half took, and as many as there are nines for", () => {
  expect(draw(sweepOf(["a", "b"], [5], () => ({}))).alt).toBe(
    "Latency of ok responses in milliseconds by percentile. " +
      "With 5 connections: a half within 0.500, 99 % within 0.990; b half within 0.500, 99 % within 0.990.",
  );
});
