import { describe, expect, it } from "vitest";
import { bootstrapInterval } from "./bootstrap.js";
import { median } from "./descriptive.js";
import { compareTrials, summarizeTrials } from "./trials.js";

/** Numerical Recipes' linear congruential generator, 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** Normally distributed trials, by the Box-Muller transform. */
function drawTrials(random: () => number, n: number, center: number, relativeNoise: number): readonly number[] {
  return Array.from({ length: n }, () => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return center * (1 + relativeNoise * normal);
  });
}

describe("summarizeTrials", () => {
  it("gives the range up to five trials", () => {
    expect(summarizeTrials([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 1, high: 5, n: 5, interval: "range" });
    expect(summarizeTrials([8])).toEqual({ median: 8, low: 8, high: 8, n: 1, interval: "range" });
  });

  it("gives the interval of the bootstrap from six trials on, as wide as the trials or narrower", () => {
    expect(summarizeTrials([6, 1, 5, 2, 4, 3])).toMatchObject({ median: 3.5, n: 6, interval: "confidence95" });
    const trials = Array.from({ length: 20 }, (_, index) => 20 - index);
    const { low, high, ...rest } = summarizeTrials(trials);
    expect(rest).toEqual({ median: 10.5, n: 20, interval: "confidence95" });
    expect({ low, high }).toEqual(bootstrapInterval(trials, median));
    expect(low).toBeGreaterThan(4);
    expect(high).toBeLessThan(17);
  });

  // Measured with 2000 runs of each: 0.95 to 0.98.
  it.each([6, 8, 9])("covers the true median of %i trials in about 95 percent of cases", (n) => {
    const random = createRandom(11);
    const runs = Array.from({ length: 400 }, () => summarizeTrials(drawTrials(random, n, 100, 0.1)));
    const covered = runs.filter(({ low, high }) => low <= 100 && high >= 100).length;
    // 95 %, less three standard errors of 400 runs.
    expect(covered / runs.length).toBeGreaterThanOrEqual(0.917);
  });

  it("refuses an empty list", () => {
    expect(() => summarizeTrials([])).toThrow(RangeError);
  });
});

describe("compareTrials", () => {
  it("says by how much the medians differ, and in which direction", () => {
    const comparison = compareTrials([100, 101, 102, 103, 104], [121, 122, 122.4, 123, 124]);
    expect(comparison.change).toBeCloseTo(0.2, 12);
    expect(comparison.pValue).toBeCloseTo(2 / 252, 12);
    expect(comparison.verdict).toBe("higher");
    expect(compareTrials([10, 11, 12, 13], [1, 2, 3, 4]).verdict).toBe("lower");
  });

  it.each([
    [1, 1],
    [1, 30],
    [2, 3],
    [3, 3],
    [3, 4],
  ])("does not judge %i against %i trials, which can never be significant", (n, m) => {
    const reference = Array.from({ length: n }, (_, index) => index);
    const other = Array.from({ length: m }, (_, index) => 1000 + index);
    expect(compareTrials(reference, other)).toMatchObject({ pValue: null, verdict: "~" });
  });

  it("says ~ for trials that are all equal", () => {
    expect(compareTrials([5, 5, 5, 5], [5, 5, 5, 5])).toEqual({ change: 0, pValue: 1, verdict: "~" });
  });

  it("has no change to tell from a reference of 0", () => {
    expect(compareTrials([0, 0, 0, 0], [1, 2, 3, 4])).toMatchObject({ change: null, verdict: "higher" });
  });

  it("says ~ when means and medians point in opposite directions", () => {
    const reference = [10, 10, 10, 10, 10, 10, 10, 10, 10];
    const other = [9, 9, 9, 9, 9, 40, 40, 40, 40];
    expect(compareTrials(reference, other).verdict).toBe("~");
  });

  // 5 and 8 trials are tested exactly, 12 by the approximation.
  it.each([5, 8, 12])(
    "with %i trials a side is right at least 95 %% of the time to say ~ without a difference",
    (n) => {
      const random = createRandom(n);
      const runs = Array.from({ length: 1000 }, () =>
        compareTrials(drawTrials(random, n, 1000, 0.05), drawTrials(random, n, 1000, 0.05)),
      );
      expect(runs.filter(({ verdict }) => verdict === "~").length / runs.length).toBeGreaterThanOrEqual(0.95);
    },
  );

  it("finds 10 % of difference in 10 trials with 3 % of noise at least 95 % of the time", () => {
    const random = createRandom(7);
    const runs = Array.from({ length: 300 }, () =>
      compareTrials(drawTrials(random, 10, 1000, 0.03), drawTrials(random, 10, 1100, 0.03)),
    );
    expect(runs.filter(({ verdict }) => verdict === "higher").length / runs.length).toBeGreaterThanOrEqual(0.95);
  });
});
