import { describe, expect, test } from "vitest";
import type { Result } from "../../model/result.js";
import type { ProcessUsage } from "../../model/usage.js";
import { aProcessUsage, aResult, aScenario, aStep, aUsage } from "../../test-support/fixtures.js";
import { aSweep } from "../test-support/sample-results.js";
import { eventLoopChart } from "./event-loop-chart.js";
import { memoryChart } from "./memory-chart.js";

const LEVEL = { connections: 50, durationMs: 3000 };

/** A result of one step, with these backends and a generator that is a little busy. */
function resultOf(...backends: readonly Partial<ProcessUsage>[]): Result {
  const usage = aUsage({
    generator: [aProcessUsage({ cpu: 0.2, eventLoopUtilization: 0.25 })],
    backends: backends.map((one) => aProcessUsage(one)),
  });
  return aResult({ scenario: aScenario({ levels: [LEVEL] }), steps: [aStep({ level: LEVEL, usage })] });
}

describe("memory", () => {
  test("adds up the processes of a role, in a unit that suits it", () => {
    const [chart] = memoryChart(resultOf({ rssBytes: 90_000_000 }, { rssBytes: 60_000_000 }));
    expect(chart?.series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
      ["generator", [80]],
      ["backends", [150]],
    ]);
    expect(chart?.y.label).toBe("resident memory (MB)");
    expect(chart?.alt).toBe("Resident memory in MB. single: generator up to 80, backends up to 150.");
    expect(memoryChart(resultOf({ rssBytes: 12_000_000_000 }))[0]?.y.label).toBe("resident memory (GB)");
  });

  test("has whiskers with several trials, and a panel for each target", () => {
    const [chart] = memoryChart(aSweep({ trials: 3, connections: [1, 50] }));
    expect(chart?.panels).toEqual(["single", "balanced"]);
    expect(chart?.series[0]?.points[0]).toMatchObject({ x: "1", low: 80, high: 80 });
  });

  test("is not there without usage", () => {
    const { usage: _, ...step } = aStep();
    expect(memoryChart(aResult({ steps: [step] }))).toEqual([]);
  });
});

describe("event loops", () => {
  test("are there where the busiest of a role tells something that processor time does not", () => {
    // Two of them, of which one never waited.
    const [chart] = eventLoopChart(
      resultOf({ cpu: 0.9, eventLoopUtilization: 1 }, { cpu: 0.5, eventLoopUtilization: 0.5 }),
    );
    expect(chart?.series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
      ["generator", [25]],
      ["backends", [100]],
    ]);
    expect(eventLoopChart(resultOf({ cpu: 0.6, eventLoopUtilization: 0.99 }))).toHaveLength(1);
  });

  test("are not there where they are what processor time is, or nobody tells of them", () => {
    expect(eventLoopChart(resultOf({ cpu: 0.9, eventLoopUtilization: 1 }))).toEqual([]);
    expect(eventLoopChart(resultOf({ cpu: 0.9 }))).toEqual([]);
    expect(eventLoopChart(aResult({ steps: [] }))).toEqual([]);
  });
});
