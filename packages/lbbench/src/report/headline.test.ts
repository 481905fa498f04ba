import { expect, test } from "vitest";
import { describeComparisons, describePeaks, describeVerdict } from "./headline.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

test("with trials that differ, it says which target is faster where, and by how much", () => {
  const [sentence] = describeComparisons(aSweep({ trials: 5, connections: [1, 250, 500] }));
  expect(sentence).toMatch(
    /^balanced compared with single: higher throughput at 250 \/ 500 connections \(\+\d+\.\d % to \+\d+\.\d %\); lower throughput at 1 connection \(-\d+\.\d %\)\.$/,
  );
});

test("with one trial nothing is claimed", () => {
  const [sentence] = describeComparisons(aSweep());
  expect(sentence).toContain("no difference can be claimed (~) at any level (one trial");
});

test("a single target is compared with nothing", () => {
  expect(describeComparisons(aSweep({ targets: ["single"] }))).toEqual([]);
});

test("the peak of a target names its level and the latency there", () => {
  expect(describePeaks(aSweep({ targets: ["single"] }))).toEqual([
    "single: at most 8,055 requests per second, with 250 connections (p50 28.9 ms, p99 93.1 ms)",
  ]);
});

test.each([
  ["was not measured", aSweep({ targets: ["single"], change: failed })],
  ["answered nothing", aSweep({ targets: ["single"], change: (step) => withFailures(step, 1) })],
])("a target that %s has no peak", (_, result) => {
  expect(describePeaks(result)).toEqual(["single: no request was answered as expected"]);
});

test("an unfinished run says so", () => {
  expect(describeVerdict({ ...aSweep(), complete: false })).toMatch(/but the run was not finished/);
});
