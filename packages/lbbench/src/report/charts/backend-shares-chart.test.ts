import { describe, expect, test } from "vitest";
import type { Result, StepResult } from "../../model/result.js";
import { aSweep } from "../test-support/sample-results.js";
import { backendSharesChart } from "./backend-shares-chart.js";
import type { ChartDefinition } from "./chart-definition.js";

function drawn(result: Result): ChartDefinition {
  const [chart] = backendSharesChart(result);
  if (chart === undefined) throw new Error("expected a chart");
  return chart;
}

/** Gives the backends of every target after the first these requests. */
function withShares(
  requests: (step: StepResult) => Readonly<Record<string, number>>,
): (step: StepResult) => StepResult {
  return (step) => {
    if (step.measurement?.backends === undefined) return step;
    const backends = Object.fromEntries(
      Object.entries(requests(step)).map(([name, count]) => [name, { requests: count }]),
    );
    return { ...step, measurement: { ...step.measurement, backends } };
  };
}

function weigh(result: Result, weights: Readonly<Record<string, number>>): Result {
  const backends = Object.entries(weights).map(([name, weight]) => ({
    name,
    server: "single",
    options: {},
    count: 1,
    weight,
  }));
  const targets = result.scenario.targets.map((one) =>
    one.server === "balanced" ? { ...one, options: { backends } } : one,
  );
  return { ...result, scenario: { ...result.scenario, targets } };
}

const UNEVEN = { "backend-1": 260, "backend-2": 250, "backend-3": 250, "backend-4": 240 };

describe("shares that are alike at all levels", () => {
  const chart = drawn(aSweep({ change: withShares(() => UNEVEN) }));

  test("are drawn once for each backend, beside the even share", () => {
    expect(chart.x.ticks).toEqual(["backend-1", "backend-2", "backend-3", "backend-4"]);
    expect(chart.series).toHaveLength(1);
    expect(chart.series[0]?.points.map(({ y }) => y)).toEqual([26, 25, 25, 24]);
    expect(chart.rules).toEqual([{ panel: 0, y: 25, label: "even share" }]);
    expect(chart.subtitle).toBe("sample · balanced · all levels and trials together");
  });

  test("are said in words", () => {
    expect(chart.alt).toBe(
      "Share of requests per backend in percent. balanced: backend-1 26.0, backend-2 25.0, backend-3 25.0, backend-4 24.0; an even share is 25.0.",
    );
  });

  test("have bars of what the weights ask for, where these differ", () => {
    const { series, rules, alt } = drawn(
      weigh(aSweep({ change: withShares(() => ({ big: 620, small: 380 })) }), { big: 3, small: 1 }),
    );
    expect(series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
      ["measured", [62, 38]],
      ["by weight", [75, 25]],
    ]);
    expect(rules).toBeUndefined();
    expect(alt).toContain("balanced: big 62.0 (by weight 75.0), small 38.0 (by weight 25.0).");
  });
});

describe("shares that differ between levels", () => {
  const change = withShares(({ level: { connections = 0 } }) => ({
    a: connections === 1 ? 900 : 500,
    b: connections === 1 ? 100 : 500,
  }));
  const result = aSweep({ connections: [1, 50], targets: ["single", "balanced", "other"], change });

  test("are drawn level by level, a colour for each backend", () => {
    const { panels, x, series, rules } = drawn(result);
    expect(panels).toEqual(["balanced", "other"]);
    expect(x.ticks).toEqual(["1", "50"]);
    expect(
      series.map(({ name, colorIndex, panel, points }) => [name, colorIndex, panel, points.map(({ y }) => y)]),
    ).toEqual([
      ["a", 0, 0, [90, 50]],
      ["b", 1, 0, [10, 50]],
      ["a", 0, 1, [90, 50]],
      ["b", 1, 1, [10, 50]],
    ]);
    expect(rules?.map(({ panel, y, label }) => [panel, y, label])).toEqual([
      [0, 50, "even share"],
      [1, 50, "even share"],
    ]);
  });

  test("have a line for each share that the weights ask for", () => {
    const weighted = weigh(
      aSweep({
        connections: [1, 50],
        change: withShares(({ level }) => ({ big: 500 + (level.connections ?? 0), b: 250, c: 250 })),
      }),
      { big: 2, b: 1, c: 1 },
    );
    expect(drawn(weighted).rules).toEqual([
      { panel: 0, y: 50, label: "by weight: big" },
      { panel: 0, y: 25, label: "by weight: b, c" },
    ]);
  });
});

test.each([
  ["no balancer", aSweep({ targets: ["single"] })],
  ["an only backend", aSweep({ change: withShares(() => ({ only: 1000 })) })],
  ["shares that are all even", aSweep()],
  ["backends that got nothing", aSweep({ change: withShares(() => ({ a: 0, b: 0 })) })],
])("there is no chart for %s", (_, result) => {
  expect(backendSharesChart(result)).toEqual([]);
});

test("many backends are said by their ends alone", () => {
  const many = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`b${index}`, 100 - index + (index === 9 ? -36 : 0)]),
  );
  // 100 to 92, and 55: 919 in all.
  expect(drawn(aSweep({ change: withShares(() => many) })).alt).toContain(
    "10 backends, from b9 6.0 to b0 10.9; an even share is 10.0.",
  );
});
