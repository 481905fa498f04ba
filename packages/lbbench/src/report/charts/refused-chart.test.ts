import { expect, test } from "vitest";
import type { StepResult } from "../../model/result.js";
import { aMeasurement } from "../../test-support/fixtures.js";
import { aSweep } from "../test-support/sample-results.js";
import { refusedChart } from "./refused-chart.js";

const FROM = new Map([
  ["long queue", 30],
  ["short queue", 18],
]);

/** Beyond so many connections, all more of 100 requests are refused. */
function refusing(step: StepResult, from: number): StepResult {
  const refused = Math.max(0, (step.level.connections ?? 0) - from);
  const requests = { ok: 100 - refused, non2xx: refused };
  return { ...step, measurement: aMeasurement({ requests, statusCodes: { "200": 100 - refused, "503": refused } }) };
}

test("refusals are drawn as shares, a line for each target, and told in words", () => {
  const result = aSweep({
    targets: ["long queue", "short queue", "none"],
    connections: [10, 20, 40],
    change: (step) => refusing(step, FROM.get(step.target) ?? Infinity),
  });
  const [chart] = refusedChart(result);
  expect(chart?.series.map(({ name, points }) => [name, points.map(({ y }) => y)])).toEqual([
    ["long queue", [0, 0, 10]],
    ["short queue", [0, 2, 22]],
    ["none", [0, 0, 0]],
  ]);
  expect(chart?.note).toContain("refused: answered with 503");
  expect(chart?.alt).toBe(
    "Refused requests in percent of those that came to an end. " +
      "long queue: first with 40 connections, at most 10.0 % with 40 connections. " +
      "short queue: first with 20 connections, at most 22.0 % with 40 connections. none: none.",
  );
});

test("a status that was expected is no refusal", () => {
  const result = aSweep({ targets: ["a", "b", "c"], connections: [40], change: (step) => refusing(step, 18) });
  const { request } = result.scenario;
  if (request === null) throw new Error("expected a request");
  const expecting = { ...result, scenario: { ...result.scenario, request: { ...request, expectStatus: "503" } } };
  expect(refusedChart(result)).toHaveLength(1);
  expect(refusedChart(expecting)).toEqual([]);
});

test("there is none of two targets, nor where nobody refused", () => {
  expect(
    refusedChart(aSweep({ targets: ["a", "b"], connections: [40], change: (step) => refusing(step, 18) })),
  ).toEqual([]);
  expect(refusedChart(aSweep({ targets: ["a", "b", "c"] }))).toEqual([]);
});
