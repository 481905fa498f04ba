import { describe, expect, test } from "vitest";
import { aResult, aScenario } from "../../test-support/fixtures.js";
import { aSweep, failed, withFailures } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";
import { throughputChart } from "./throughput-chart.js";
import { valueTicks } from "./value-ticks.js";
import type { Result } from "../../model/result.js";

function chart(result: Result, id: string): ChartDefinition {
  const found = chartDefinitions(result).find((definition) => definition.id === id);
  if (found === undefined) {
    throw new Error(`expected a chart ${id}`);
  }
  return found;
}

describe("which charts there are", () => {
  test.each([
    [
      "a sweep without failures",
      aSweep(),
      ["throughput", "latency", "latency-distribution", "throughput-latency", "cpu", "event-loop", "memory"],
    ],
    [
      "some failures",
      aSweep({ change: (step) => withFailures(step, 0.1) }),
      [
        "throughput",
        "latency",
        "latency-distribution",
        "throughput-latency",
        "goodput",
        "errors",
        "cpu",
        "event-loop",
        "memory",
      ],
    ],
    [
      "nothing but failures",
      aSweep({ change: (step) => withFailures(step, 1) }),
      ["errors", "cpu", "event-loop", "memory"],
    ],
    ["no measurement", aSweep({ change: failed }), []],
    ["no step", aResult({ steps: [] }), []],
  ])("%s", (_, result, ids) => {
    expect(chartDefinitions(result).map(({ id }) => id)).toEqual(ids);
  });
});

describe("throughput", () => {
  test("has a line for each target, with a point and a tick at every level", () => {
    const { series, x } = chart(aSweep(), "throughput");
    expect(series.map(({ name, shape }) => [name, shape])).toEqual([
      ["single", "line"],
      ["balanced", "line"],
    ]);
    expect(x).toEqual({ label: "connections (log scale)", scale: "log", ticks: [1, 50, 100, 250, 500, 1000] });
    expect(series[0]?.points.map((point) => point.x)).toEqual(x.ticks);
  });

  test("has a linear axis where levels lie close together", () => {
    expect(chart(aSweep({ connections: [10, 100, 200] }), "throughput").x.scale).toBe("linear");
  });

  test("has a gap where a step failed, and not a zero", () => {
    const result = aSweep({
      connections: [1, 50, 100],
      change: (step) => (step.level.connections === 50 ? failed(step) : step),
    });
    const { series, note } = chart(result, "throughput");
    expect(series[0]?.points.map(({ y }) => y === null)).toEqual([false, true, false]);
    expect(note).toBe("no figure: single, balanced with 50 connections (failed)");
  });

  test("has whiskers with several trials, and says what they are", () => {
    const { series, subtitle } = chart(aSweep({ trials: 3 }), "throughput");
    const { low = NaN, y, high = NaN } = series[0]?.points[0] ?? {};
    expect(low).toBeLessThan(Number(y));
    expect(high).toBeGreaterThan(Number(y));
    expect(subtitle).toBe("sample · higher is better · median of 3 trials, whiskers: lowest to highest");
  });

  test("has the outliers among several trials, inside the axis, and says what they are", () => {
    const slow = aSweep({
      trials: 8,
      connections: [1, 50, 100],
      change: (step) =>
        step.trial === 3 && step.level.connections === 50 && step.measurement !== undefined
          ? { ...step, measurement: { ...step.measurement, throughput: 99_000 } }
          : step,
    });
    const { series, note, ...rest } = chart(slow, "throughput");
    expect(series[0]?.points.map(({ outliers }) => outliers)).toEqual([undefined, [99_000], undefined]);
    expect(note).toMatch(/^circles: outliers/);
    expect(valueTicks({ ...rest, series }).max).toBeGreaterThanOrEqual(99_000);
    expect(chart(slow, "cpu")).not.toHaveProperty("note");
  });

  test("has no whiskers with one trial", () => {
    expect(chart(aSweep(), "throughput").series[0]?.points[0]).not.toHaveProperty("low");
  });

  test("has bars where there is a single level", () => {
    const { series, x } = chart(aSweep({ connections: [50] }), "throughput");
    expect(series.map(({ shape, points }) => [shape, points[0]?.x])).toEqual([
      ["bar", "50"],
      ["bar", "50"],
    ]);
    expect(x.ticks).toEqual(["50"]);
  });

  test("tells lines of different numbers of requests apart", () => {
    const levels = [100, 1000].flatMap((requests) => [1, 10].map((connections) => ({ connections, requests })));
    const [{ series } = { series: [] }] = throughputChart(aResult({ scenario: aScenario({ levels }) }));
    expect(series.map(({ name, colorIndex }) => [name, colorIndex])).toEqual([
      ["single, 100 requests", 0],
      ["single, 1,000 requests", 1],
    ]);
  });

  test("says in words where each target peaks", () => {
    expect(chart(aSweep({ targets: ["single"] }), "throughput").alt).toBe(
      "Throughput in ok responses per second. single: at most 8,055, with 250 connections.",
    );
  });
});

describe("latency", () => {
  test("of two targets has a colour for each target and a dash for each percentile, in one panel", () => {
    const { series, panels, y } = chart(aSweep(), "latency");
    expect(panels).toEqual([""]);
    expect(series.map(({ name, colorIndex, dash }) => [name, colorIndex, dash])).toEqual([
      ["single, p50", 0, "solid"],
      ["single, p90", 0, "dashed"],
      ["single, p99", 0, "dotted"],
      ["balanced, p50", 1, "solid"],
      ["balanced, p90", 1, "dashed"],
      ["balanced, p99", 1, "dotted"],
    ]);
    expect(y).toEqual({ label: "latency (ms, log scale)", scale: "log" });
  });

  test("of more targets has a panel for each percentile", () => {
    const { series, panels } = chart(aSweep({ targets: ["a", "b", "c"] }), "latency");
    expect(panels).toEqual(["p50", "p90", "p99"]);
    expect(series.filter(({ panel }) => panel === 2).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  test("of a single level has a place for each percentile, and a linear axis, as bars begin at zero", () => {
    const { title, x, y } = chart(aSweep({ connections: [50] }), "latency");
    expect([title, x.ticks, y.scale]).toEqual([
      "Latency percentiles at 50 connections",
      ["p50", "p90", "p99"],
      "linear",
    ]);
  });
});

describe("errors", () => {
  const result = aSweep({
    connections: [1, 50],
    change: (step) => (step.target === "balanced" && step.level.connections === 50 ? withFailures(step, 0.1) : step),
  });

  test("have a panel for each target, and say which of them had none", () => {
    expect(chart(result, "errors").panels).toEqual(["single: nothing failed", "balanced"]);
  });

  test("say which target has no measurement at all, rather than that it had no failures", () => {
    const dead = aSweep({
      connections: [1],
      change: (step) => (step.target === "balanced" ? failed(step) : withFailures(step, 0.1)),
    });
    expect(chart(dead, "errors").panels).toEqual(["single", "balanced: no measurement"]);
  });

  test("are shares of what was sent, stacked, of the classes that occur", () => {
    const series = chart(result, "errors").series.filter(({ panel }) => panel === 1);
    expect(series.map(({ name, stack, points }) => [name, stack, points.map(({ y }) => y)])).toEqual([
      ["unexpected status", "failed", [0, 10]],
      ["resets", "failed", [0, 5]],
    ]);
  });
});

test("CPU adds up the processes of a role, in percent of one core", () => {
  const { series, panels } = chart(aSweep({ connections: [50] }), "cpu");
  const backends = series.find(({ name, panel }) => name === "backends" && panel === 1);
  expect(panels).toEqual(["single", "balanced"]);
  expect(backends?.points[0]?.y).toBeCloseTo((4 / 3) * (8047 / 12_000) * 100, 0);
});

test("definitions are plain data", () => {
  const definitions = chartDefinitions(aSweep({ trials: 3 }));
  expect(JSON.parse(JSON.stringify(definitions))).toEqual(definitions);
});

test("a chart with a panel per target has no panels for a single target, whose name goes into the subtitle", () => {
  const { panels, subtitle } = chart(aSweep({ targets: ["alone"] }), "cpu");
  expect([panels, subtitle]).toEqual([[""], "sample · alone · 100 % is one core kept busy"]);
});
