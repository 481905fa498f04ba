import { describe, expect, test } from "vitest";
import { aMeasurement } from "../../test-support/fixtures.js";
import { aSweep, withFailures } from "../test-support/sample-results.js";
import { chartConfig } from "./chart-config.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";

function chart(id: string, share: number): ChartDefinition {
  const result = aSweep({
    connections: [50],
    change: (step) => (step.target === "single" ? withFailures(step, share) : withFailures(step, 0.5)),
  });
  const found = chartDefinitions(result).find((one) => one.id === id);
  if (found === undefined) throw new Error(`expected a chart ${id}`);
  return found;
}

function leastLengths(definition: ChartDefinition): readonly unknown[] {
  const datasets = chartConfig(definition).data.datasets as readonly { readonly minBarLength?: number }[];
  return datasets.map(({ minBarLength }) => minBarLength);
}

describe("bars that stand on one another", () => {
  test("are as long as what they stand for, however little that is", () => {
    expect(leastLengths(chart("goodput", 0.1)).filter((length) => length !== undefined)).toEqual([]);
  });

  test("are named where they are too low to be seen", () => {
    expect(chart("goodput", 0.002).note).toContain("\ntoo low to be seen: single: refused, failed at 50");
    expect(chart("goodput", 0.3).note).not.toContain("too low");
  });
});

test("a bar that stands alone does not vanish", () => {
  expect(new Set(leastLengths(chart("cpu", 0.1)))).toEqual(new Set([4]));
});

test("failures are said in percent, with how many they are", () => {
  const result = aSweep({
    connections: [50],
    change: (step) =>
      step.target === "single" && step.measurement !== undefined
        ? { ...step, measurement: aMeasurement({ requests: { ok: 1988, resets: 12 } }) }
        : step,
  });
  const errors = chartDefinitions(result).find(({ id }) => id === "errors");
  expect(errors?.alt).toBe(
    "Failed requests in percent of those that came to an end. single: 0.6 % (12) with 50 connections. balanced: none.",
  );
});

test("a target without an ok response is told as such, and has no entry among the lines", () => {
  const result = aSweep({ change: (step) => (step.target === "single" ? withFailures(step, 1) : step) });
  const [throughput, latency] = ["throughput", "latency"].map((id) =>
    chartDefinitions(result).find((one) => one.id === id),
  );
  expect(throughput?.alt).toContain("single: no ok response.");
  expect(latency?.series.map(({ name }) => name.split(",")[0])).not.toContain("single");
  expect(latency?.note).toBe("no figure: single (no ok response)");
});
