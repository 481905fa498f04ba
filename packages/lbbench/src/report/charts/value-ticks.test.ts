import { expect, test } from "vitest";
import { aSweep, withFailures } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";
import { valueTicks } from "./value-ticks.js";

const CHARTS = chartDefinitions(
  aSweep({ trials: 5, change: (step) => ((step.level.connections ?? 0) > 100 ? withFailures(step, 0.4) : step) }),
);

test.each(CHARTS.map((chart) => [chart.id, chart] as const))("the axis of %s holds every whisker", (_, chart) => {
  const { min, max } = valueTicks(chart);
  for (const { y, low, high } of chart.series.flatMap(({ points }) => points)) {
    for (const value of [y, low, high].filter((one) => typeof one === "number")) {
      expect(value).toBeGreaterThanOrEqual(min);
      expect(value).toBeLessThanOrEqual(max);
    }
  }
});

test("bars of a stack count together, those of other panels do not", () => {
  const errors = CHARTS.find(({ id }) => id === "errors") as ChartDefinition;
  expect(valueTicks(errors).max).toBe(60);
});
