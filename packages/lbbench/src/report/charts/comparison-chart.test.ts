import { describe, expect, test } from "vitest";
import type { Result } from "../../model/result.js";
import { compareOf } from "../reference-comparison.js";
import { aSweep } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { comparisonChart } from "./comparison-chart.js";
import { valueTicks } from "./value-ticks.js";

/** Throughput of the reference is 1000, of others `factor` times as much, and latency 10 ms divided by it; trials differ by 1 %. */
function compared(
  factors: Readonly<Record<string, number>>,
  { trials = 5, margin = null as number | null } = {},
): Result {
  const result = aSweep({
    targets: ["reference", ...Object.keys(factors)],
    connections: [10, 100],
    trials,
    change: (step) => {
      const factor = factors[step.target] ?? 1;
      const wobble = 1 + (step.trial - (trials + 1) / 2) / 100;
      const { measurement } = step;
      if (measurement?.latency === undefined) return step;
      const ms = (10 * wobble) / factor;
      const latency = { ...measurement.latency, p50: ms, p99: 3 * ms };
      return { ...step, measurement: { ...measurement, throughput: 1000 * factor * wobble, latency } };
    },
  });
  return { ...result, scenario: { ...result.scenario, margin } };
}

function drawn(result: Result): ChartDefinition {
  const [chart] = comparisonChart(result);
  if (chart === undefined) throw new Error("expected a chart");
  return chart;
}

describe("a target beside the reference", () => {
  const result = compared({ fast: 1.25 });
  const chart = drawn(result);

  test("has bars of the change in percent for each metric and level, from 0", () => {
    expect(chart.panels).toEqual(["throughput (higher is better)", "p50 (lower is better)", "p99 (lower is better)"]);
    expect(chart.y).toEqual({ label: "change (%)", scale: "linear", base: 0 });
    expect(chart.x).toEqual({ label: "connections", scale: "category", ticks: ["10", "100"] });
    const changes = chart.series.map(({ name, panel, points }) => [name, panel, points.map(({ y }) => y)]);
    expect(changes).toEqual([
      ["fast", 0, [expect.closeTo(25), expect.closeTo(25)]],
      ["fast", 1, [expect.closeTo(-20), expect.closeTo(-20)]],
      ["fast", 2, [expect.closeTo(-20), expect.closeTo(-20)]],
    ]);
  });

  test("has the interval of each change as whisker", () => {
    const interval = compareOf(result).targets[0]?.levels[0]?.throughput.interval;
    expect(chart.series[0]?.points[0]).toMatchObject({
      low: 100 * (interval?.low ?? NaN),
      high: 100 * (interval?.high ?? NaN),
    });
    expect(chart.subtitle).toContain("whiskers: 95 % interval of the change");
  });

  test("has the colour that it has in other charts", () => {
    expect(new Set(chart.series.map(({ colorIndex }) => colorIndex))).toEqual(new Set([1]));
  });

  test("has a line where nothing changes, and an axis that goes below", () => {
    expect(chart.rules).toEqual([0, 1, 2].map((panel) => ({ panel, y: 0, label: "" })));
    expect(valueTicks(chart)).toEqual({ min: -40, max: 40, ticks: [-40, -20, 0, 20, 40] });
  });

  test("is said in words with what is clear", () => {
    expect(chart.alt).toBe(
      "Change of the medians against reference. fast: throughput +25.0 % (faster at 2 of 2 levels); " +
        "p50 -20.0 % (faster at 2 of 2 levels); p99 -20.0 % (faster at 2 of 2 levels).",
    );
    expect(drawn(compared({ same: 1 })).alt).toContain("same: throughput +0.0 % (no clear difference)");
  });
});

test("a change without an interval has no bar", () => {
  const result = compared({ fast: 1.25 });
  const short = { code: "TOO_SHORT", severity: "warning", args: {} } as const;
  const steps = result.steps.map((step) => (step.level.connections === 10 ? { ...step, findings: [short] } : step));
  const { series, alt, note } = drawn({ ...result, steps });
  expect(note).toBe("no bar: fast at 10 (not compared)");
  expect(series[0]?.points.map(({ y }) => y)).toEqual([null, expect.closeTo(25)]);
  expect(alt).toContain("throughput +25.0 % (faster at 1 of 2 levels)");
});

test("a margin is a line for less throughput and for more latency", () => {
  expect(drawn(compared({ fast: 1.25 }, { margin: 0.05 })).rules).toEqual([
    { panel: 0, y: 0, label: "" },
    { panel: 0, y: -5, label: "margin" },
    { panel: 1, y: 0, label: "" },
    { panel: 1, y: 5, label: "margin" },
    { panel: 2, y: 0, label: "" },
    { panel: 2, y: 5, label: "margin" },
  ]);
});

test("changes that are far apart are drawn as a factor on a logarithmic axis, from 1", () => {
  const { y, series, rules } = drawn(compared({ slow: 0.1 }, { margin: 0.05 }));
  expect(y).toEqual({ label: "times the reference (log scale)", scale: "log", base: 1 });
  expect(series.map(({ points }) => points[0]?.y)).toEqual([
    expect.closeTo(0.1),
    expect.closeTo(10),
    expect.closeTo(10),
  ]);
  expect(rules?.slice(0, 2).map((rule) => rule.y)).toEqual([1, 0.95]);
});

test("a throughput that came to nothing is said, where it cannot be drawn", () => {
  const result = compared({ slow: 0.1, dead: 1 });
  const steps = result.steps.map((step) =>
    step.target === "dead" && step.measurement !== undefined
      ? { ...step, measurement: { ...step.measurement, throughput: 0 } }
      : step,
  );
  const { note, series } = drawn({ ...result, steps });
  expect(note).toBe("not drawn: throughput that came to nothing, of dead\nno bar but a whisker: no change");
  expect(series.find(({ name }) => name === "dead")?.points.map(({ y }) => y)).toEqual([null, null]);
});

test("more than four targets have a panel each, with a bar for each metric", () => {
  const chart = drawn(compared({ a: 1.1, b: 1.2, c: 1.3, d: 1.4, e: 1.5 }, { margin: 0.1 }));
  expect(chart.panels).toEqual(["a", "b", "c", "d", "e"]);
  expect(chart.series.filter(({ panel }) => panel === 4).map(({ name, points }) => [name, points[0]?.y])).toEqual([
    ["throughput", expect.closeTo(50)],
    ["p50", expect.closeTo(-33.333)],
    ["p99", expect.closeTo(-33.333)],
  ]);
  expect(chart.rules?.filter(({ panel }) => panel === 4)).toEqual([
    { panel: 4, y: 0, label: "" },
    { panel: 4, y: -10, label: "margin" },
    { panel: 4, y: 10, label: "margin" },
  ]);
});

test("cells of a matrix have places of their own", () => {
  const sweep = compared({ fast: 1.25 });
  const more = sweep.steps.map((step) => ({ ...step, level: { ...step.level, requests: 5000 } }));
  const levels = [...sweep.scenario.levels, ...sweep.scenario.levels.map((level) => ({ ...level, requests: 5000 }))];
  const matrix = { ...sweep, scenario: { ...sweep.scenario, levels }, steps: [...sweep.steps, ...more] };
  expect(drawn(matrix).x.ticks).toEqual([
    "10, 1,000 requests",
    "100, 1,000 requests",
    "10, 5,000 requests",
    "100, 5,000 requests",
  ]);
});

test.each([
  ["one trial, which has no interval", compared({ fast: 1.25 }, { trials: 1 })],
  ["three trials, which are too few for one", compared({ fast: 1.25 }, { trials: 3 })],
  ["a single target", compared({})],
])("there is no chart with %s", (_, result) => {
  expect(comparisonChart(result)).toEqual([]);
});
