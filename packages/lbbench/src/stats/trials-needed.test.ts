import { describe, expect, it } from "vitest";
import { smallestPValue, trialsNeeded } from "./trials-needed.js";

describe("smallestPValue", () => {
  it.each([
    [4, 4, 2 / 70],
    [5, 5, 2 / 252],
    [3, 6, 2 / 84],
    [1, 50, 2 / 51],
  ])("of %i against %i trials is that of two of all ways of dealing them", (reference, other, expected) => {
    expect(smallestPValue(reference, other)).toBeCloseTo(expected, 12);
  });

  it.each([
    [3, 3],
    [1, 1],
    [0, 6],
  ])("of %i against %i trials is none", (reference, other) => {
    expect(smallestPValue(reference, other)).toBeNull();
  });
});

describe("trialsNeeded", () => {
  it.each([
    [1, 4],
    [2, 5],
    [6, 5],
    [7, 6],
    [23, 6],
    [24, 7],
    [1000, 9],
  ])("for %i comparisons at once is %i", (comparisons, trials) => {
    expect(trialsNeeded(comparisons)).toBe(trials);
  });

  it("comes to an end also beyond the exact test", () => {
    expect(trialsNeeded(100_000)).toBeGreaterThan(9);
  });
});
