import { expect, test } from "vitest";
import { aSweep, failed, withFailures } from "../test-support/sample-results.js";
import { chartConfig } from "./chart-config.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartDefinitions } from "./chart-definitions.js";

const targets = Array.from({ length: 12 }, (_, index) => `t${index + 1}`);

function charts(shape: Parameters<typeof aSweep>[0] = {}): ReadonlyMap<string, ChartDefinition> {
  return new Map(
    chartDefinitions(aSweep({ targets, connections: [1, 50], ...shape })).map((chart) => [chart.id, chart]),
  );
}

test("lines of twelve targets are drawn in two panels, all with looks of their own", () => {
  for (const id of ["throughput", "latency", "latency-p99"]) {
    const { panels = [], series = [] } = charts().get(id) ?? {};
    expect(panels, id).toEqual(["1 to 6 of 12", "7 to 12 of 12"]);
    expect(
      series.map(({ name, panel }) => [name, panel]),
      id,
    ).toEqual(targets.map((name, index) => [name, Math.floor(index / 6)]));
    expect(new Set(series.map(({ colorIndex }) => colorIndex)).size, id).toBe(12);
  }
});

test("with many targets, p50 and p99 have a chart each, with the figures of the targets", () => {
  const all = charts();
  const values = (id: string): unknown => all.get(id)?.series[0]?.points.map(({ y }) => y);
  const steps = aSweep({ targets, connections: [1, 50] }).steps.filter(({ target }) => target === "t1");
  expect(values("latency")).toEqual(steps.map(({ measurement }) => measurement?.latency?.p50));
  expect(values("latency-p99")).toEqual(steps.map(({ measurement }) => measurement?.latency?.p99));
  expect(all.get("latency")?.y.label).toMatch(/^p50 \(ms/);
});

test("of many targets, those of which nothing failed have no panel among the failures", () => {
  const { panels, note } =
    charts({
      change: (step) => {
        if (step.target === "t5") return failed(step);
        return step.target === "t3" ? withFailures(step, 0.1) : step;
      },
    }).get("errors") ?? {};
  expect(panels).toEqual(["t3", "t5: no measurement"]);
  expect(note).toBe("nothing failed of the 10 others");
});

test("a line that another hides is drawn thicker, and its points larger", () => {
  const change: NonNullable<Parameters<typeof aSweep>[0]>["change"] = (step) =>
    step.measurement === undefined ? step : { ...step, measurement: { ...step.measurement, throughput: 500 } };
  const throughput = charts({ targets: ["a", "b", "c"], change }).get("throughput") as ChartDefinition;
  const drawn = chartConfig(throughput).data.datasets as readonly {
    readonly borderWidth?: unknown;
    readonly pointRadius?: unknown;
  }[];
  expect(drawn.map(({ borderWidth, pointRadius }) => [borderWidth, pointRadius])).toEqual([
    [5, 8],
    [10, 11],
    [15, 14],
  ]);
});
