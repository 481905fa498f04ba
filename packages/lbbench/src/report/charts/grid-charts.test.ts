import { expect, test } from "vitest";
import type { SearchOutcome } from "../../model/search.js";
import type { Result } from "../../model/result.js";
import { aSweep, failed } from "../test-support/sample-results.js";
import { gridCharts } from "./grid-charts.js";

const GRID = [8, 16].flatMap((pool) => ["block", "drop-head"].map((policy) => `pool pool=${pool} policy=${policy}`));

/** A target gives 1000 for its place in the list, plus a hundredth of its connections. */
function aGrid(targets: readonly string[], trials = 1): Result {
  return aSweep({
    targets,
    trials,
    connections: [100, 200],
    change: (step) => {
      const throughput = 1000 * (targets.indexOf(step.target) + 1) + (step.level.connections ?? 0) / 100 + step.trial;
      return step.measurement === undefined ? step : { ...step, measurement: { ...step.measurement, throughput } };
    },
  });
}

test("the highest throughput of a grid has bars for the values of one option at each choice of the others", () => {
  const [chart] = gridCharts(aGrid(["simple", ...GRID]));
  expect(chart?.id).toBe("grid-peak");
  expect(chart?.x.ticks).toEqual(["pool=8", "pool=16"]);
  expect(chart?.series.map(({ name, points }) => [name, points])).toEqual([
    [
      "policy=block",
      [
        { x: "pool=8", y: 2003 },
        { x: "pool=16", y: 4003 },
      ],
    ],
    [
      "policy=drop-head",
      [
        { x: "pool=8", y: 3003 },
        { x: "pool=16", y: 5003 },
      ],
    ],
  ]);
  expect(chart?.rules).toEqual([{ panel: 0, y: 1003, label: "simple" }]);
  expect(chart?.alt).toBe(
    "Highest throughput by option: from 1,003 (simple) to 5,003 (pool pool=16 policy=drop-head).",
  );
});

test("several trials give whiskers", () => {
  const [chart] = gridCharts(aGrid(GRID, 3));
  expect(chart?.series[0]?.points[0]).toEqual({ x: "pool=8", y: 1004, low: 1003, high: 1005 });
  expect(chart).not.toHaveProperty("rules");
});

test("a search has the largest load that held as well", () => {
  const outcome = (target: string, held: number | null): SearchOutcome => ({
    target,
    by: "connections",
    status: held === null ? "nothing-held" : "found",
    held,
    broken: 100,
    tried: [],
    beyond: null,
  });
  const search = GRID.map((target, index) => outcome(target, index === 0 ? null : 10 * index));
  const chart = gridCharts({ ...aGrid(GRID), search }).find(({ id }) => id === "grid-limit");
  expect(chart?.y.label).toBe("connections");
  expect(chart?.series.map(({ points }) => points.map(({ y }) => y))).toEqual([
    [null, 20],
    [10, 30],
  ]);
});

test("a search has the mean latency at the largest load that each held, not at others", () => {
  const result = aGrid(GRID);
  const steps = result.steps.map((step) => {
    const { target, level, measurement } = step;
    const mean = 10 * GRID.indexOf(target) + (level.connections ?? 0) / 100;
    return measurement?.latency === undefined
      ? step
      : { ...step, measurement: { ...measurement, latency: { ...measurement.latency, mean } } };
  });
  const search = GRID.map((target, index): SearchOutcome => {
    const held = [null, 100, 200, 100][index] ?? null;
    const status = held === null ? "nothing-held" : "found";
    return { target, by: "connections", status, held, broken: 300, tried: [], beyond: null };
  });
  const chart = gridCharts({ ...result, steps, search }).find(({ id }) => id === "grid-limit-latency");
  expect(chart?.y.label).toBe("mean latency (ms)");
  expect(chart?.series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
    ["policy=block", [null, 22]],
    ["policy=drop-head", [11, 31]],
  ]);
});

test.each([
  ["no grid", aGrid(["a", "b", "c", "d"])],
  ["a grid of three", aGrid(GRID.slice(0, 3))],
  ["a grid of which nothing was measured", aSweep({ targets: GRID, change: failed })],
])("there is no chart of %s", (_, result) => {
  expect(gridCharts(result)).toEqual([]);
});
