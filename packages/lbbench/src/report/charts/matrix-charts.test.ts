import { describe, expect, test } from "vitest";
import type { Level } from "../../model/level.js";
import type { Result, StepResult } from "../../model/result.js";
import {
  aLatency,
  aMeasurement,
  aProcessUsage,
  aResult,
  aScenario,
  aStep,
  aUsage,
} from "../../test-support/fixtures.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";
import { matrixCharts } from "./matrix-charts.js";

const LEVELS: readonly Level[] = [100, 10_000].flatMap((requests) =>
  [1, 50].map((connections) => ({ connections, requests })),
);

/** `node` answers 1000 a second per connection, `go` twice as many; 200 bytes each, a core per 100 ms of median latency. */
function aMatrix(levels = LEVELS, change = (step: StepResult): StepResult => step): Result {
  const targets = ["node", "go"].map((name) => ({ name, server: "url", options: {} }));
  const steps = levels.flatMap((level) =>
    targets.map(({ name }, index) => {
      const { requests = 0, connections = 0 } = level;
      const throughput = 1000 * connections * (index + 1);
      return change(
        aStep({
          target: name,
          level,
          measurement: aMeasurement({
            elapsedMs: (1000 * requests) / throughput,
            throughput,
            requests: { ok: requests },
            bytes: { received: requests * 200 },
            latency: aLatency({ p50: connections / 10, p99: connections * 2 }),
          }),
          usage: aUsage({
            balancer: [aProcessUsage({ cpu: 0.25 })],
            backends: [aProcessUsage({ cpu: 0.5 }), aProcessUsage({ cpu: index })],
          }),
        }),
      );
    }),
  );
  return aResult({ scenario: aScenario({ levels, targets }), steps });
}

function chart(result: Result, id: string): ChartDefinition {
  const found = chartDefinitions(result).find((one) => one.id === id);
  if (found === undefined) throw new Error(`expected a chart ${id}`);
  return found;
}

const valuesOf = ({ series }: ChartDefinition): unknown =>
  series.map(({ name, panel, points }) => [name, panel, points.map(({ x, y }) => [x, y])]);

describe("a matrix of requests and connections", () => {
  const result = aMatrix();

  test("has a panel for each target, and a line for each number of connections over the requests", () => {
    const { panels, x, y, series } = chart(result, "matrix-throughput");
    expect(panels).toEqual(["node", "go"]);
    expect(x).toEqual({ label: "requests (log scale)", scale: "log", ticks: [100, 10_000] });
    expect(y.label).toBe("ok responses per second");
    expect(valuesOf(chart(result, "matrix-throughput"))).toEqual([
      [
        "1 connection",
        0,
        [
          [100, 1000],
          [10_000, 1000],
        ],
      ],
      [
        "50 connections",
        0,
        [
          [100, 50_000],
          [10_000, 50_000],
        ],
      ],
      [
        "1 connection",
        1,
        [
          [100, 2000],
          [10_000, 2000],
        ],
      ],
      [
        "50 connections",
        1,
        [
          [100, 100_000],
          [10_000, 100_000],
        ],
      ],
    ]);
    expect(series.map(({ colorIndex }) => colorIndex)).toEqual([0, 1, 0, 1]);
  });

  test("has charts of the median and the slowest percent of latency", () => {
    expect(chart(result, "matrix-latency").y).toEqual({ label: "p50 (ms, log scale)", scale: "log" });
    expect(chart(result, "matrix-latency").series[1]?.points.map(({ y }) => y)).toEqual([5, 5]);
    expect(chart(result, "matrix-latency-p99").series[1]?.points.map(({ y }) => y)).toEqual([100, 100]);
  });

  test("has the transfer rate in a unit that reads well", () => {
    const grown = aMatrix(LEVELS, (step) =>
      step.target === "go" && step.measurement !== undefined
        ? { ...step, measurement: { ...step.measurement, bytes: { ...step.measurement.bytes, received: 1000 } } }
        : step,
    );
    // 200 bytes a thousand times a second.
    expect(chart(grown, "matrix-transfer").y.label).toBe("received (MB/s)");
    expect(chart(grown, "matrix-transfer").series[0]?.points.map(({ y }) => y)).toEqual([0.2, 0.2]);
  });

  test("has no transfer rate where all responses are of one size, as it is throughput in another unit", () => {
    expect(matrixCharts(result).map(({ id }) => id)).toEqual([
      "matrix-throughput",
      "matrix-latency",
      "matrix-latency-p99",
      "matrix-cpu",
    ]);
  });

  test("adds up the processor time of balancer and backends", () => {
    expect(chart(result, "matrix-cpu").series.map(({ points }) => points.map(({ y }) => y))).toEqual([
      [75, 75],
      [75, 75],
      [175, 175],
      [175, 175],
    ]);
  });

  test("says in words what was least and most, and where", () => {
    expect(chart(result, "matrix-latency").alt).toBe(
      "Median latency against the number of requests, p50 (ms). " +
        "node: from 0.100 (100 requests and 1 connection) to 5.00 (10,000 requests and 50 connections). " +
        "go: from 0.100 (100 requests and 1 connection) to 5.00 (10,000 requests and 50 connections).",
    );
  });

  test("has these in place of the charts of throughput, latency and CPU against connections", () => {
    const ids = chartDefinitions(result).map(({ id }) => id);
    expect(ids).not.toContain("throughput");
    expect(ids).not.toContain("latency");
    expect(ids).not.toContain("cpu");
  });
});

test("a level that failed leaves a gap", () => {
  const gap = aMatrix(LEVELS, ({ measurement, ...step }) =>
    step.target === "go" && step.level.requests === 100
      ? { ...step, state: "failed" }
      : { ...step, ...(measurement === undefined ? {} : { measurement }) },
  );
  expect(chart(gap, "matrix-throughput").series[2]?.points.map(({ y }) => y)).toEqual([null, 2000]);
});

test("a figure that nothing tells has no chart", () => {
  const blind = aMatrix(LEVELS, (step) => {
    const { usage, ...rest } = step;
    return usage === undefined ? step : rest;
  });
  expect(matrixCharts(blind).map(({ id }) => id)).not.toContain("matrix-cpu");
});

test.each([
  ["a single number of requests", [1, 50].map((connections) => ({ connections, requests: 100 }))],
  ["several durations", [1000, 3000].map((durationMs) => ({ connections: 50, durationMs }))],
])("%s is no matrix", (_, levels) => {
  expect(matrixCharts(aMatrix(levels))).toEqual([]);
});

test("several numbers of requests at one number of connections are a matrix of one line", () => {
  const levels = [100, 1000].map((requests) => ({ connections: 50, requests }));
  expect(chart(aMatrix(levels), "matrix-throughput").series.map(({ name }) => name)).toEqual([
    "50 connections",
    "50 connections",
  ]);
});
