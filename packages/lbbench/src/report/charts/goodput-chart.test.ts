import { describe, expect, test } from "vitest";
import type { Level } from "../../model/level.js";
import type { Result, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import { aMeasurement, aRequest, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import type { MeasurementOverrides } from "../../test-support/fixtures.js";
import { aSweep, failed, withFailures } from "../test-support/sample-results.js";
import type { ChartDefinition } from "./chart-definition.js";
import { goodputChart } from "./goodput-chart.js";
import { valueTicks } from "./value-ticks.js";

/** A result of one target with a step for each measurement. */
function resultOf(
  levels: readonly Level[],
  measurements: readonly MeasurementOverrides[],
  scenario: Partial<Scenario> = {},
): Result {
  const steps = measurements.flatMap((overrides, index): readonly StepResult[] => {
    const level = levels[index];
    return level === undefined ? [] : [aStep({ level, measurement: aMeasurement(overrides) })];
  });
  return aResult({ scenario: aScenario({ levels, ...scenario }), steps });
}

function draw(result: Result): ChartDefinition {
  const [chart] = goodputChart(result);
  if (chart === undefined) throw new Error("expected a chart of goodput");
  return chart;
}

function valuesOf(chart: ChartDefinition, panel = 0): Readonly<Record<string, readonly (number | null)[]>> {
  const own = chart.series.filter((one) => one.panel === panel);
  return Object.fromEntries(own.map(({ name, points }) => [name, points.map(({ y }) => y)]));
}

const TWO = [10, 20].map((connections) => ({ connections, durationMs: 2000 }));
const REFUSING = {
  elapsedMs: 2000,
  requests: { ok: 600, non2xx: 300, resets: 40, timedOut: 10 },
  statusCodes: { "200": 600, "503": 240, "429": 40, "500": 20 },
};

describe("goodput", () => {
  test("is ok responses per second, with what was refused and what failed otherwise above, in one stack", () => {
    const chart = draw(resultOf(TWO, [{ elapsedMs: 2000, requests: { ok: 800 } }, REFUSING]));
    // 280 of the 300 refused by 503 or 429; the other 20, the resets and the timeouts failed; over 2 s.
    expect(valuesOf(chart)).toEqual({ ok: [400, 300], refused: [0, 140], failed: [0, 35] });
    expect(new Set(chart.series.map(({ stack, shape }) => `${stack} ${shape}`))).toEqual(new Set(["requests bar"]));
    expect(chart.note).toBe("refused: answered with 429 or 503");
    expect(valueTicks(chart).max).toBeGreaterThanOrEqual(475);
  });

  test("is of all trials together", () => {
    const [level] = TWO;
    const step = (trial: number, ok: number, elapsedMs: number): StepResult =>
      aStep({ trial, level: level as Level, measurement: aMeasurement({ elapsedMs, requests: { ok, resets: ok } }) });
    const steps = [step(1, 100, 1000), step(2, 500, 2000)];
    const chart = draw(aResult({ scenario: aScenario({ levels: TWO.slice(0, 1), trials: 2 }), steps }));
    expect(valuesOf(chart)).toEqual({ ok: [200], failed: [200] });
  });

  test("counts no status as refused that is expected, and no more than failed", () => {
    const expecting503 = resultOf(TWO, [REFUSING], { request: aRequest({ expectStatus: "200,503" }) });
    expect(valuesOf(draw(expecting503))).toEqual({ ok: [300], refused: [20], failed: [155] });
    const oneOfMix = resultOf(TWO, [REFUSING], {
      mix: [
        { name: "a", weight: 1, request: aRequest(), bodies: null },
        { name: "b", weight: 1, request: aRequest({ expectStatus: "429" }), bodies: null },
      ],
    });
    expect(valuesOf(draw(oneOfMix))["refused"]).toEqual([120]);
  });

  test("knows the refusals of gRPC", () => {
    const grpc = { ...REFUSING, statusCodes: { OK: 600, UNAVAILABLE: 200, RESOURCE_EXHAUSTED: 50, INTERNAL: 50 } };
    const chart = draw(resultOf(TWO, [grpc]));
    expect(valuesOf(chart)["refused"]).toEqual([125]);
    expect(chart.note).toBe("refused: answered with RESOURCE_EXHAUSTED or UNAVAILABLE");
  });

  test("of an open loop has the rate that was offered as a line, and what could not be sent", () => {
    const rates = [400, 1000].map((rate) => ({ rate, durationMs: 2000 }));
    const schedule = (rate: number, unsent: number): MeasurementOverrides["schedule"] => ({
      rate,
      planned: rate * 2,
      unsent,
      lateness: { mean: 0, p99: 0, max: 0 },
    });
    const chart = draw(
      resultOf(rates, [
        { elapsedMs: 2000, requests: { ok: 800 }, schedule: schedule(400, 0) as never },
        {
          elapsedMs: 2000,
          requests: { ok: 1200, non2xx: 300 },
          statusCodes: { "503": 300 },
          schedule: schedule(1000, 500) as never,
        },
      ]),
    );
    expect(valuesOf(chart)).toEqual({ offered: [400, 1000], ok: [400, 600], refused: [0, 150], "not sent": [0, 250] });
    expect(chart.series[0]).toMatchObject({ shape: "line", dash: "dashed" });
    // Together they are what was offered.
    expect(valueTicks(chart).max).toBe(1000);
    expect(chart.note).toMatch(/refused: answered with 503\nnot sent: due when/);
    expect(chart.alt).toBe(
      "Requests per second by what became of them. single: 600 ok, 150 refused, 250 not sent with 1,000 requests per second.",
    );
  });

  test("has a panel for each target, also for one that had no failure", () => {
    const chart = draw(
      aSweep({ connections: [1, 50], change: (step) => (step.target === "balanced" ? withFailures(step, 0.1) : step) }),
    );
    expect(chart.panels).toEqual(["single", "balanced"]);
    expect(valuesOf(chart, 0)["refused"]).toEqual([0, 0]);
    expect(Number(valuesOf(chart, 1)["refused"]?.[0])).toBeGreaterThan(0);
    expect(chart.title).toBe("Goodput, refusals and failures");
  });

  test("has a gap where nothing was measured", () => {
    const chart = draw(
      aSweep({
        targets: ["single"],
        connections: [1, 50],
        change: (step) => (step.level.connections === 50 ? failed(step) : withFailures(step, 0.1)),
      }),
    );
    expect(valuesOf(chart)["ok"]?.map((value) => value === null)).toEqual([false, true]);
  });

  test("is not there where everything is ok, or nothing is", () => {
    expect(goodputChart(aSweep())).toEqual([]);
    expect(goodputChart(aSweep({ change: (step) => withFailures(step, 1) }))).toEqual([]);
    expect(goodputChart(aResult({ steps: [] }))).toEqual([]);
  });

  test("says nothing of refusals where there were none", () => {
    const chart = draw(resultOf(TWO, [{ requests: { resets: 5 } }]));
    expect(chart.title).toBe("Goodput and failures");
    expect(chart).not.toHaveProperty("note");
  });
});
