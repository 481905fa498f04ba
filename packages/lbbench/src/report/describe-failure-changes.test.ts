import { expect, test } from "vitest";
import { compareOf } from "./reference-comparison.js";
import { describeFailureChanges } from "./describe-failure-changes.js";
import { describeComparisons } from "./headline.js";
import { aSweep, withFailures } from "./test-support/sample-results.js";

const LEVELS = [20, 40];

const sweep = (share: number, trials: number) =>
  aSweep({
    targets: ["in turn", "by weight"],
    connections: LEVELS,
    trials,
    change: (step) =>
      step.target === "in turn" && step.level.connections === 40
        ? withFailures(step, share + step.trial / 1000)
        : withFailures(step, 0),
  });

test("fewer failed requests are told with where and by how much, also in the headline", () => {
  const result = sweep(0.5, 6);
  const [target] = compareOf(result).targets;
  if (target === undefined) throw new Error("expected a comparison");
  const told = describeFailureChanges(target);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^fewer failed requests at 40 connections \(-\d\d\.\d points\)$/);
  expect(describeComparisons(result)[0]).toContain(`; ${told[0]}`);
});

test("nothing is told of one trial", () => {
  expect(compareOf(sweep(0.5, 1)).targets.flatMap(describeFailureChanges)).toEqual([]);
});
