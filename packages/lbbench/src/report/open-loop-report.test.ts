import { describe, expect, test } from "vitest";
import type { StepResult } from "../model/result.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { describePeaks } from "./headline.js";
import { renderMarkdown } from "./markdown.js";
import { renderSummary } from "./summary-table.js";
import { aSweep } from "./test-support/sample-results.js";

const summary = { min: 0, mean: 1.5, stddev: 0.5, median: 1.25, max: 7.5 };
const phases = { connect: { ...summary, mean: 0.25 }, waiting: summary, processing: summary, total: summary };

/** A sweep of rates in place of connections. */
const result = aSweep({
  connections: [100, 1000],
  change: (step) => toRate(step),
});
const open = {
  ...result,
  scenario: {
    ...result.scenario,
    levels: result.scenario.levels.map(({ connections = 0, ...rest }) => ({ ...rest, rate: connections })),
  },
};

function toRate({ level: { connections: rate = 0, ...level }, measurement, ...step }: StepResult): StepResult {
  if (measurement === undefined) return { ...step, level: { ...level, rate } };
  const schedule = { rate, planned: 3000, unsent: 40, lateness: { mean: 0.125, p99: 2.5, max: 9 } };
  return { ...step, level: { ...level, rate }, measurement: { ...measurement, schedule, phases } };
}

describe("the report of an open loop", () => {
  const markdown = renderMarkdown(open, { charts: "png" });

  test("speaks of rates, never of connections as a level", () => {
    expect(markdown).toContain("at 100, 1,000 requests per second;");
    expect(markdown).toContain("Rate (req/s)");
    expect(markdown).not.toMatch(/\| +Connections/);
    expect(describePeaks(open).join(" ")).toMatch(/at most 9,410 requests per second, of 100 asked for/);
    expect(renderSummary(open)).toMatch(/^target +req\/s/);
    expect(chartDefinitions(open).map(({ title }) => title)).toContain("Throughput against requests per second");
  });

  test("says how the schedule was kept, and where the time went", () => {
    expect(markdown).toMatch(/\| +100 \| +[\d,.]+ \| +3,000 \| +40 \| +0\.125 \| +2\.50 \|/);
    expect(markdown).toMatch(/Connect: mean \(ms\)/);
    expect(markdown).toMatch(/\| +0\.250 \| +7\.50 \| +1\.50 \| +7\.50 \|/);
  });

  test("has none of this for a closed loop", () => {
    expect(renderMarkdown(aSweep(), { charts: "png" })).not.toMatch(/schedule|Connect: mean/);
  });
});
