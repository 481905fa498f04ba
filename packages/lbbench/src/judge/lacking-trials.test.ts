import { expect, it } from "vitest";
import type { TrialsTest } from "./compare-metric.js";
import { findLackingTrials } from "./lacking-trials.js";

/** A test of `n` trials on each side; what came out does not matter. */
function testOf(n: number, reason?: TrialsTest["reason"]): TrialsTest {
  const trials = Array.from({ length: n }, () => 1);
  return { reference: trials, other: trials, change: 0, pValue: reason === undefined ? 1 : null, reason };
}

it("finds nothing lacking where the clearest outcome would be significant", () => {
  expect(findLackingTrials([testOf(4)])).toEqual([undefined]);
  expect(findLackingTrials(Array.from({ length: 6 }, () => testOf(5)))).toEqual(Array(6).fill(undefined));
});

it("says how many it takes where it would not be, for so many levels", () => {
  expect(findLackingTrials([testOf(4), testOf(4)])).toEqual([5, 5]);
  expect(findLackingTrials(Array.from({ length: 7 }, () => testOf(5)))).toEqual(Array(7).fill(6));
});

it("lets a level with fewer trials profit from others with more, as Holm's method does", () => {
  expect(findLackingTrials([testOf(9), testOf(4)])).toEqual([undefined, undefined]);
});

it("counts levels that had too few trials for a test, which would be tested with more", () => {
  expect(findLackingTrials([testOf(3, "TOO_FEW_TRIALS"), testOf(4)])).toEqual([5, undefined]);
  expect(findLackingTrials([testOf(1, "SINGLE_TRIAL")])).toEqual([4]);
});

it("leaves out what no trial would help", () => {
  expect(findLackingTrials([testOf(4, "NON_2XX"), testOf(4)])).toEqual([undefined, undefined]);
});
