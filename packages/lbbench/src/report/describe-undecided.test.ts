import { expect, test } from "vitest";
import { judgeStep } from "../judge/judge-step.js";
import type { StepResult } from "../model/result.js";
import { anEnvironment, aScenario } from "../test-support/fixtures.js";
import { describeComparisons } from "./headline.js";
import { aSweep, failed } from "./test-support/sample-results.js";

const TARGETS = ["a", "b", "c", "d", "e"];

test("many targets of which nothing can be claimed share a sentence that says why", () => {
  const told = describeComparisons(aSweep({ targets: TARGETS, connections: [20, 40] }));
  expect(told).toEqual([
    expect.stringMatching(
      /^Between a and any of the 4 other targets no difference in speed can be claimed \(~\): one trial cannot be told from noise, --trials \d+ can\.$/,
    ),
  ]);
});

test("few of them have one each, with the figures", () => {
  const told = describeComparisons(aSweep({ targets: TARGETS.slice(0, 4), connections: [20, 40] }));
  expect(told.map((sentence) => sentence.slice(0, 15))).toEqual([
    "b compared with",
    "c compared with",
    "d compared with",
  ]);
});

test("one of which something can be claimed is told apart from them", () => {
  const told = describeComparisons(
    aSweep({
      targets: [...TARGETS, "f"],
      connections: [40],
      trials: 6,
      change: (step) => {
        if (step.measurement === undefined) return step;
        const throughput = (step.target === "f" ? 2000 : 1000) + step.trial;
        return { ...step, measurement: { ...step.measurement, throughput } };
      },
    }),
  );
  expect(told).toHaveLength(2);
  expect(told[0]).toMatch(/^f compared with a: higher throughput at 40 connections \(\+99\.7 %/);
  expect(told[1]).toMatch(/^Between a and b, c, d, e no difference in speed can be claimed/);
});

test("pairs that are not compared with one and the same target are not told as if they were", () => {
  const result = aSweep({ targets: TARGETS, connections: [20] });
  const { scenario } = result;
  const targets = scenario.targets.map((target) => (target.name === "d" ? { ...target, references: ["c"] } : target));
  expect(describeComparisons({ ...result, scenario: { ...scenario, targets } })).toEqual([
    expect.stringMatching(/^In none of the 4 comparisons can a difference in speed be claimed \(~\): one trial/),
  ]);
});

/** A step whose target died, with the finding that says so. */
function dead(step: StepResult): StepResult {
  const died = failed(step);
  return { ...died, findings: judgeStep(died, aScenario(), anEnvironment()) };
}

test("one that died is named, whatever can be said of the others", () => {
  const told = describeComparisons(
    aSweep({
      targets: [...TARGETS, "f"],
      connections: [20, 40],
      change: (step) => (step.target === "f" && step.level.connections === 40 ? dead(step) : step),
    }),
  );
  expect(told).toEqual([
    expect.stringMatching(/^f compared with a: .*at 40 connections \(the target died \[TARGET_DIED\]\)/),
    expect.not.stringContaining("TARGET_DIED"),
  ]);
  expect(told[1]).toMatch(/^Between a and b, c, d, e no difference/);
});

test("where the reference died the others share the sentence", () => {
  const told = describeComparisons(
    aSweep({ targets: TARGETS, connections: [40], change: (step) => (step.target === "a" ? dead(step) : step) }),
  );
  expect(told).toEqual([expect.stringContaining("the target died [TARGET_DIED]")]);
});
