import { describe, expect, test } from "vitest";
import type { Result } from "../../model/result.js";
import { aRampResult, THREE_SERVERS } from "../test-support/ramp-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";
import { chartConfig } from "./chart-config.js";
import { rightTicks, valueTicks } from "./value-ticks.js";

const result = aRampResult();

function chart(of: Result, id: string): ChartDefinition {
  const found = chartDefinitions(of).find((definition) => definition.id === id);
  if (found === undefined) throw new Error(`expected a chart ${id}`);
  return found;
}

describe("the charts of a ramp", () => {
  test("are by second, and none is against load, where it is a single point", () => {
    expect(chartDefinitions(result).map(({ id, x }) => [id, x.label])).toEqual([
      ["latency", "second"],
      ["throughput", "second"],
    ]);
  });

  test("are none where there is no measurement, and no latency where nothing was answered", () => {
    expect(chartDefinitions({ ...result, steps: [] })).toEqual([]);
    const failing = aRampResult({ targets: { a: () => ({ ok: 0, failed: 9 }) } });
    expect(chartDefinitions(failing).map(({ id }) => id)).toEqual(["throughput"]);
  });

  test("have a panel for each target, and users behind each", () => {
    for (const { panels, series } of chartDefinitions(result)) {
      expect(panels).toEqual(["http", "http + gRPC", "gRPC"]);
      expect(series.filter(({ shape }) => shape === "area").map(({ panel }) => panel)).toEqual([0, 1, 2]);
    }
  });

  test("draw a line for each percentile, the median of the trials of a second, and nothing where there is none", () => {
    const { series } = chart(result, "latency");
    expect(series.filter(({ panel }) => panel === 2).map(({ name }) => name)).toEqual([
      "p50",
      "p90",
      "p99",
      "max",
      "users",
    ]);
    const p50 = series.find(({ name, panel }) => name === "p50" && panel === 2)?.points ?? [];
    expect(p50).toHaveLength(100);
    expect(p50.slice(63, 67).map(({ y }) => y === null)).toEqual([false, true, true, true]);
    expect(chart(aRampResult({ trials: 3 }), "latency").subtitle).toContain("median of 3 trials in each second");
  });

  test("draw failures by class only around the seconds in which there are any", () => {
    const { series } = chart(result, "throughput");
    const failures = series.find(({ name, panel }) => name === "connect errors" && panel === 2)?.points ?? [];
    expect(failures.slice(60, 63).map(({ y }) => y)).toEqual([null, 0, 3400]);
    expect(series.filter(({ panel }) => panel === 0).map(({ name }) => name)).toEqual([
      "ok",
      "connect errors",
      "users",
    ]);
  });

  test("say that requests failed where a file does not tell how", () => {
    const old = { ...result, steps: result.steps.map(withoutClasses) };
    expect(chart(old, "throughput").series.map(({ name }) => name)).toContain("failed, not told how");
  });

  test("mark what was found, in the panel of its target", () => {
    const marks = chart(result, "latency").marks ?? [];
    expect(marks.map(({ panel }) => panel)).toEqual([0, 1, 2, 2]);
    expect(marks.at(-1)).toEqual({ panel: 2, x: 62, label: "cliff at 64 users" });
    expect(chart({ ...result, verdict: { status: "pass", findings: [] } }, "latency")).not.toHaveProperty("marks");
  });

  test("have an axis on the right for users, and keep them off the one on the left", () => {
    const throughput = chart(aRampResult({ targets: { a: (users) => ({ ok: users / 10 + 1 }) } }), "throughput");
    expect(rightTicks(throughput)).toMatchObject({ min: 0, max: 100 });
    expect(valueTicks(throughput).max).toBeLessThan(20);
    const { scales } = chartConfig(chart(result, "latency")).options ?? {};
    expect(Object.keys(scales ?? {})).toEqual(expect.arrayContaining(["y0", "y2", "right0", "right2"]));
  });

  test.each([
    [5000, 4000, [0, 1, 2, 3, 4]],
    [100_000, 99_000, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]],
    [300_000, 240_000, [0, 50, 100, 150, 200, 250, 300]],
    [112_000, 99_000, [0, 20, 40, 60, 80, 100, 120]],
    [62_000, 60_000, [0, 10, 20, 30, 40, 50, 60, 61]],
  ])("of %i ms have ticks at whole seconds", (durationMs, riseMs, ticks) => {
    const one = aRampResult({
      targets: { http: THREE_SERVERS["http"] as never },
      ramp: { from: 1, riseMs, steps: null },
      durationMs,
    });
    expect(chart(one, "latency").x.ticks).toEqual(ticks);
  });

  test("say in words what is seen", () => {
    expect(chart(result, "latency").alt).toMatch(
      /gRPC: median 23\.8 with 2 users, 340 with 65, then no ok response\.$/,
    );
    expect(chart(result, "throughput").alt).toMatch(/requests failed from second 62 on, with 64 users\.$/);
  });

  test("are plain data", () => {
    const definitions = chartDefinitions(result);
    expect(JSON.parse(JSON.stringify(definitions))).toEqual(definitions);
  });
});

function withoutClasses(step: Result["steps"][number]): Result["steps"][number] {
  const { measurement } = step;
  if (measurement === undefined) return step;
  const timeline = measurement.timeline.map((second) => {
    const { failures: _, ...rest } = second;
    return rest;
  });
  return { ...step, measurement: { ...measurement, timeline } };
}
