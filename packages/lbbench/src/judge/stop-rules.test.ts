import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parse-threshold.js";
import type { StepResult } from "../model/result.js";
import { aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import { judgeResult } from "./judge-result.js";
import { findStops } from "./stop-rules.js";

function stepAt(connections: number, failed: number, overrides: Partial<StepResult> = {}): StepResult {
  return aStep({
    level: { connections, durationMs: 3000 },
    measurement: aMeasurement({ requests: { ok: 100 - failed, non2xx: failed } }),
    ...overrides,
  });
}

const scenario = aScenario({ stopOn: [parseThreshold("errors>10%"), parseThreshold("throughput<1")], trials: 2 });

describe("findStops", () => {
  it("finds the lowest level at which a target met a rule", () => {
    const steps = [stepAt(100, 50), stepAt(50, 11), stepAt(50, 30, { trial: 2 }), stepAt(1, 10)];
    expect([...findStops(scenario.stopOn, steps).values()]).toMatchObject([
      { step: { level: { connections: 50 }, trial: 1 }, rule: { source: "errors>10%" }, actual: 0.11 },
    ]);
  });

  it("tells targets apart", () => {
    const stops = findStops(scenario.stopOn, [stepAt(50, 20, { target: "a" }), stepAt(50, 0, { target: "b" })]);
    expect([...stops.keys()]).toEqual(["a"]);
  });
});

describe("STOPPED_EARLY", () => {
  const stopped = (steps: readonly StepResult[]) =>
    judgeResult({ scenario, steps }).findings.filter(({ code }) => code === "STOPPED_EARLY");

  it("says which rule was met, where, and how many levels were left out", () => {
    expect(stopped([stepAt(1, 20)])).toEqual([
      {
        code: "STOPPED_EARLY",
        severity: "info",
        args: {
          target: "single",
          rule: "errors>10%",
          metric: "errors",
          actual: 0.2,
          connections: 1,
          trial: 1,
          skipped: 2,
        },
      },
    ]);
  });

  it("counts a level that was measured in some trials only", () => {
    const steps = [stepAt(1, 0), stepAt(50, 0), stepAt(100, 0), stepAt(1, 20, { trial: 2 })];
    expect(stopped(steps)[0]?.args["skipped"]).toBe(2);
  });

  it("is not said when nothing was left out", () => {
    expect(stopped([stepAt(1, 0), stepAt(50, 0), stepAt(100, 90)])).toEqual([]);
  });
});
