import { expect, test } from "vitest";
import type { Result, StepResult } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { describeMarginOutcome } from "./margin-outcome.js";
import { aSweep } from "./test-support/sample-results.js";

/** `a` and `b` are compared with one another, and `c` with what is given; throughputs vary by less than a percent. */
function compared(references: readonly string[], rates: Readonly<Record<string, number>>): Result {
  const targets: readonly Target[] = [
    { name: "a", server: "single", options: {}, references: ["b"] },
    { name: "b", server: "single", options: {} },
    { name: "c", server: "single", options: {}, references },
  ];
  const change = (step: StepResult): StepResult => {
    if (step.measurement?.latency === undefined) return step;
    const factor = (rates[step.target] ?? 1) * (1 + step.trial / 500);
    const { latency } = step.measurement;
    const measurement = { ...step.measurement, throughput: 1000 * factor };
    return { ...step, measurement: { ...measurement, latency: { ...latency, p50: 10 / factor, p99: 20 / factor } } };
  };
  const { scenario, ...rest } = aSweep({ targets: ["a", "b", "c"], connections: [50], trials: 6, change });
  return { ...rest, scenario: { ...scenario, targets, reference: "b", margin: 0.05 } };
}

test("names what a worse target is compared with, although others are compared with something else", () => {
  expect(describeMarginOutcome(compared(["a"], { c: 0.5 }))).toBe("c is worse than a beyond the margin of 5 %.");
});

test("does not name it where the worse target is compared with several", () => {
  expect(describeMarginOutcome(compared(["a", "b"], { c: 0.5 }))).toBe(
    "c is worse than what it is compared with beyond the margin of 5 %.",
  );
});

test("speaks of all references where no target is worse", () => {
  expect(describeMarginOutcome(compared(["a"], {}))).toMatch(
    /^No target is worse than what it is compared with beyond the margin of 5 %/,
  );
});
