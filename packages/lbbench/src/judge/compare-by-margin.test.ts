import { describe, expect, it } from "vitest";
import type { Finding } from "../model/finding.js";
import { compareByMargin } from "./compare-by-margin.js";
import type { MarginComparison } from "./compare-by-margin.js";
import type { JudgedMetric, Sides } from "./compare-metric.js";
import { aRun, MARGINS, steady } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";

function sidesOf(reference: RunShape, other: RunShape): Sides {
  return { reference: aRun(reference).steps, other: aRun(other).steps };
}

function judge(
  metric: JudgedMetric,
  reference: RunShape,
  other: RunShape,
  margin = 0.05,
): MarginComparison | undefined {
  return compareByMargin(metric, [sidesOf(reference, other)], { ...MARGINS, margin })[0];
}

describe("compareByMargin", () => {
  it.each<[JudgedMetric, number, string]>([
    ["throughput", 0.8, "slower"],
    ["p50", 0.8, "slower"],
    ["p99", 0.8, "slower"],
  ])("says yes of %s when its whole interval lies beyond the margin", (metric, factor, verdict) => {
    const compared = judge(metric, {}, { speed: steady(factor) });
    expect(compared).toMatchObject({ worse: "yes", verdict });
    expect(compared?.change).toBeCloseTo(metric === "throughput" ? -0.2 : 0.25, 9);
    expect(compared?.worsePValue).toBeCloseTo(2 / 924, 9);
    expect(compared).not.toHaveProperty("reason");
  });

  it.each<[string, JudgedMetric, number]>([
    ["nothing changed", "throughput", 1],
    ["nothing changed", "p50", 1],
    ["it got better", "throughput", 1.5],
    ["it got better", "p99", 1.5],
  ])("says no when %s (%s)", (_, metric, factor) => {
    expect(judge(metric, {}, { speed: steady(factor) })).toMatchObject({ worse: "no" });
  });

  it("says no of a difference that is certain but smaller than the margin", () => {
    const tight = (factor: number) => (trial: number) => factor * (1 + trial / 10_000);
    expect(judge("throughput", { speed: tight(1) }, { speed: tight(0.97) })).toMatchObject({
      verdict: "slower",
      worse: "no",
    });
  });

  it("does not know when the interval reaches across the margin, whatever the change", () => {
    for (const factor of [0.97, 0.94]) {
      expect(judge("throughput", {}, { speed: steady(factor) })).toMatchObject({
        worse: "unknown",
        reason: "WITHIN_NOISE",
        interval: expect.objectContaining({ low: expect.any(Number) }),
      });
    }
  });

  it("asks for more than the margin that it was given", () => {
    const answers = [0, 0.05, 0.3].map((margin) => judge("throughput", {}, { speed: steady(0.8) }, margin)?.worse);
    expect(answers).toEqual(["yes", "yes", "no"]);
  });

  it("compares shares of failed requests by their difference", () => {
    const failed = judge("errors", {}, { failed: (trial) => 0.04 + trial / 1000 });
    expect(failed).toMatchObject({ reference: 0, verdict: "more", worse: "yes" });
    expect(failed?.change).toBeCloseTo(0.0435, 9);
    expect(judge("errors", { failed: () => 0.5 }, {})).toMatchObject({ change: -0.5, verdict: "fewer", worse: "no" });
    expect(judge("errors", {}, {})).toMatchObject({ change: 0, verdict: "~", worse: "no" });
    // Allowed is 0.1 of a percentage point.
    expect(judge("errors", {}, { failed: () => 0.0005 })).toMatchObject({ verdict: "more", worse: "no" });
  });

  it.each([
    [1, "SINGLE_TRIAL"],
    [3, "TOO_FEW_TRIALS"],
  ])("has figures but no answer for %i trials: %s", (trials, reason) => {
    expect(judge("throughput", { trials }, { trials, speed: steady(0.5) })).toEqual({
      reference: expect.any(Number),
      other: expect.any(Number),
      change: expect.closeTo(-0.5, 9),
      interval: null,
      pValue: null,
      verdict: "~",
      worse: "unknown",
      worsePValue: null,
      reason,
      trialsNeeded: 4,
    });
  });

  it("does not know when a finding makes a side doubtful, except of the failed requests", () => {
    const saturated: Finding = { code: "MACHINE_SATURATED", severity: "warning", args: {} };
    const other: RunShape = { speed: steady(0.5), findings: (trial) => (trial === 2 ? [saturated] : []) };
    expect(judge("p50", {}, other)).toMatchObject({ worse: "unknown", reason: "MACHINE_SATURATED", interval: null });
    expect(judge("errors", {}, other)).toMatchObject({ worse: "no" });
  });

  it("has nothing to say where a side was not measured", () => {
    const [compared] = compareByMargin("p50", [{ reference: aRun().steps, other: [] }], MARGINS);
    expect(compared).toMatchObject({ other: null, change: null, worse: "unknown", reason: "NOT_MEASURED" });
  });

  it("has no doubt of a step that failed in its medians, and says that one failed, not that there is no figure", () => {
    const { steps } = aRun({ trials: 3 });
    const failed = steps.map((step) =>
      step.trial === 3 && step.measurement !== undefined
        ? {
            ...step,
            state: "failed" as const,
            measurement: { ...step.measurement, throughput: 9_000_000 },
            findings: [{ code: "STEP_FAILED", severity: "error", args: {} } as const],
          }
        : step,
    );
    const [compared] = compareByMargin("throughput", [{ reference: steps, other: failed }], MARGINS);
    expect(compared).toMatchObject({ other: expect.closeTo(1015, 6), worse: "unknown", reason: "STEP_FAILED" });
  });

  it("says that a run can be gone on with where as many trials were planned", () => {
    const sides = sidesOf({ trials: 2 }, { trials: 2 });
    const answers = [0, 3, 4].map((planned) => compareByMargin("p50", [sides], MARGINS, { planned })[0]?.canResume);
    expect(answers).toEqual([undefined, undefined, true]);
  });

  it("gives figures and no judgement when the two cannot be compared", () => {
    const sides = sidesOf({}, { speed: steady(0.5) });
    const [compared] = compareByMargin("throughput", [sides], MARGINS, { prevented: "OTHER_MACHINE" });
    expect(compared).toMatchObject({ worse: "unknown", reason: "OTHER_MACHINE", verdict: "~", pValue: null });
    expect(compared?.change).toBeCloseTo(-0.5, 9);
  });

  it("corrects for the number of levels: 4 trials are enough for one, not for six, and it says so", () => {
    const half = sidesOf({ trials: 4 }, { trials: 4, speed: steady(0.5) });
    const answers = (levels: number) =>
      compareByMargin("throughput", Array<Sides>(levels).fill(half), MARGINS).map(
        ({ verdict, worse, reason, trialsNeeded }) => [verdict, worse, reason, trialsNeeded],
      );
    expect(answers(1)).toEqual([["slower", "yes", undefined, undefined]]);
    expect(answers(6)).toEqual(Array(6).fill(["~", "unknown", "TOO_FEW_TRIALS", 5]));
  });

  it("needs no correction to say no, but says that a difference cannot be found", () => {
    const same = sidesOf(
      { trials: 4, speed: (trial) => 1 + trial / 1000 },
      { trials: 4, speed: (trial) => 1 + trial / 1000 },
    );
    const levels = compareByMargin("throughput", Array<Sides>(6).fill(same), MARGINS);
    expect(levels.map(({ worse, reason, trialsNeeded }) => [worse, reason, trialsNeeded])).toEqual(
      Array(6).fill(["no", undefined, 5]),
    );
  });
});
