import { describe, expect, it } from "vitest";
import type { FindingCode } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aFailedStep, aLatency, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import type { MetricComparison } from "./compare-metric.js";
import { compareTargets } from "./compare-targets.js";

const ONE: Level = { connections: 1, durationMs: 3000 };
const FIFTY: Level = { connections: 50, durationMs: 3000 };

function scenarioOf(levels: readonly Level[], names: readonly string[] = ["single", "balanced"]): Scenario {
  return aScenario({
    targets: names.map((name) => ({ name, server: name, options: {} })),
    reference: "single",
    levels,
    trials: 6,
  });
}

/** Trials whose throughput and latencies vary by some percent around a center. */
function trials(target: string, level: Level, n: number, factor: number, code?: FindingCode): readonly StepResult[] {
  return Array.from({ length: n }, (_, index) => {
    const noise = 1 + index / 100;
    return aStep({
      target,
      level,
      trial: index + 1,
      measurement: aMeasurement({
        throughput: 1000 * factor * noise,
        latency: aLatency({ p50: (10 / factor) * noise, p99: 20 * noise }),
      }),
      findings: code === undefined || index > 0 ? [] : [{ code, severity: "warning", args: {} }],
    });
  });
}

describe("compareTargets", () => {
  it("says faster for more throughput and for less latency, and ~ for no difference", () => {
    const steps = [...trials("single", ONE, 6, 1), ...trials("balanced", ONE, 6, 1.5)];
    const [comparison] = compareTargets({ scenario: scenarioOf([ONE]), steps });
    expect(comparison).toMatchObject({
      level: ONE,
      reference: "single",
      target: "balanced",
      throughput: { verdict: "faster" },
      p50: { verdict: "faster" },
      p99: { change: 0, verdict: "~" },
    });
    expect(comparison?.throughput.change).toBeCloseTo(0.5, 9);
    expect(comparison?.throughput.pValue).toBeCloseTo(2 / 924, 9);
    expect(comparison?.p50.change).toBeCloseTo(-1 / 3, 9);
    expect(comparison?.p99).not.toHaveProperty("reason");
  });

  it("says slower for the opposite", () => {
    const steps = [...trials("single", ONE, 6, 1), ...trials("balanced", ONE, 6, 0.5)];
    expect(compareTargets({ scenario: scenarioOf([ONE]), steps })[0]).toMatchObject({
      throughput: { verdict: "slower" },
      p50: { verdict: "slower" },
    });
  });

  it("corrects for the number of levels", () => {
    const levels = [1, 2, 3, 4, 5, 6].map((connections) => ({ connections, durationMs: 3000 }));
    const compareWith = (n: number, factor = 1.5): readonly MetricComparison[] => {
      const steps = levels.flatMap((level) => [
        ...trials("single", level, n, 1),
        ...trials("balanced", level, n, factor),
      ]);
      return compareTargets({ scenario: scenarioOf(levels), steps }).map(({ throughput }) => throughput);
    };
    // Six times 2/70 is above 0.05, six times 2/252 is below.
    const lacking = { verdict: "~", reason: "TOO_FEW_TRIALS", trialsNeeded: 5 };
    expect(compareWith(4)).toEqual(Array(6).fill(expect.objectContaining(lacking)));
    for (const comparison of compareWith(5)) {
      expect(comparison).toMatchObject({ verdict: "faster" });
      expect(comparison).not.toHaveProperty("trialsNeeded");
    }
    for (const comparison of compareWith(5, 1)) {
      expect(comparison).toMatchObject({ verdict: "~" });
      expect(comparison).not.toHaveProperty("reason");
    }
  });

  it("goes level by level, and compares every other target with the reference", () => {
    const names = ["a", "single", "b"];
    const steps = [ONE, FIFTY].flatMap((level) => names.flatMap((name) => trials(name, level, 4, 1)));
    const comparisons = compareTargets({ scenario: scenarioOf([ONE, FIFTY], names), steps });
    expect(comparisons.map(({ level, target }) => `${level.connections} ${target}`)).toEqual([
      "1 a",
      "1 b",
      "50 a",
      "50 b",
    ]);
  });

  it("is empty without a reference", () => {
    expect(compareTargets({ scenario: { ...scenarioOf([ONE]), reference: null }, steps: [] })).toEqual([]);
  });

  it.each([
    [1, "SINGLE_TRIAL"],
    [3, "TOO_FEW_TRIALS"],
  ])("gives the change but no verdict for %i trials, and says how many it takes: %s", (n, reason) => {
    const steps = [...trials("single", ONE, n, 1), ...trials("balanced", ONE, n, 1.5)];
    const [comparison] = compareTargets({ scenario: scenarioOf([ONE]), steps });
    expect(comparison?.throughput).toEqual({
      change: expect.closeTo(0.5, 9),
      pValue: null,
      verdict: "~",
      reason,
      trialsNeeded: 4,
    });
  });

  it.each<[string, FindingCode]>([
    ["single", "TOO_SHORT"],
    ["balanced", "NON_2XX"],
  ])("says ~ when a step of %s has %s", (doubtful, code) => {
    const steps = ["single", "balanced"].flatMap((name, index) =>
      trials(name, ONE, 6, 1 + index, name === doubtful ? code : undefined),
    );
    const [comparison] = compareTargets({ scenario: scenarioOf([ONE]), steps });
    expect(comparison?.throughput).toMatchObject({ pValue: null, verdict: "~", reason: code });
    expect(comparison?.p50).toMatchObject({ verdict: "~", reason: code });
  });

  it("stands in spite of a finding that touches neither throughput nor latency", () => {
    const steps = [...trials("single", ONE, 6, 1, "KEEPALIVE_REFUSED"), ...trials("balanced", ONE, 6, 1.5)];
    expect(compareTargets({ scenario: scenarioOf([ONE]), steps })[0]?.throughput.verdict).toBe("faster");
  });

  it("is not disturbed at one level by a doubt at another", () => {
    const steps = [
      ...trials("single", ONE, 4, 1),
      ...trials("balanced", ONE, 4, 2),
      ...trials("single", FIFTY, 4, 1, "TOO_SHORT"),
      ...trials("balanced", FIFTY, 4, 2),
    ];
    const comparisons = compareTargets({ scenario: scenarioOf([ONE, FIFTY]), steps });
    expect(comparisons.map(({ throughput }) => throughput.verdict)).toEqual(["faster", "~"]);
  });

  it("says why when one side has no figures", () => {
    const failed = aFailedStep({
      target: "balanced",
      level: ONE,
      findings: [{ code: "TARGET_DIED", severity: "error", args: {} }],
    });
    const nothing = { change: null, pValue: null, verdict: "~" };
    const steps = trials("single", ONE, 6, 1);
    expect(compareTargets({ scenario: scenarioOf([ONE]), steps: [...steps, failed] })[0]?.p99).toEqual({
      ...nothing,
      reason: "TARGET_DIED",
    });
    expect(compareTargets({ scenario: scenarioOf([ONE]), steps })[0]?.p99).toEqual({
      ...nothing,
      reason: "NOT_MEASURED",
    });
  });
});
