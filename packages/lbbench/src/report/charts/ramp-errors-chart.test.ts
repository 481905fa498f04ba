import { expect, test } from "vitest";
import { aRampResult } from "../test-support/ramp-results.js";
import { rampErrorsChart } from "./ramp-errors-chart.js";

const SLOW = { users: 10, ramp: { from: 1, riseMs: 9000, steps: null }, durationMs: 10_000 };

test("failures that are few beside the ok responses have an axis of their own", () => {
  const [chart] = rampErrorsChart(
    aRampResult({
      ...SLOW,
      targets: {
        sound: () => ({ ok: 1000 }),
        leaky: (_, second) => ({ ok: 1000, failed: second >= 6 ? 20 : 0, failure: "resets" }),
      },
    }),
  );
  expect(chart?.id).toBe("errors");
  expect(chart?.panels).toEqual([""]);
  expect(chart?.subtitle).toContain("leaky");
  expect(chart?.series.map(({ name, shape }) => [name, shape])).toEqual([
    ["resets", "line"],
    ["users", "area"],
  ]);
  const rates = chart?.series[0]?.points.map(({ y }) => y) ?? [];
  expect(rates.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(rates.slice(6).every((rate) => (rate ?? 0) > 0)).toBe(true);
  expect(chart?.alt).toMatch(/^Failed requests per second, second by second\. leaky: in 4 of 10 seconds, at most /);
});

test("failures that the chart of throughput shows well have none", () => {
  const targets = { cliff: (_: number, second: number) => ({ ok: 500, failed: second >= 6 ? 400 : 0 }) };
  expect(rampErrorsChart(aRampResult({ ...SLOW, targets }))).toEqual([]);
});

test("nothing failed, nothing is drawn", () => {
  expect(rampErrorsChart(aRampResult({ ...SLOW, targets: { sound: () => ({ ok: 1000 }) } }))).toEqual([]);
});
