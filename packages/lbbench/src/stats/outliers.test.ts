import { describe, expect, it } from "vitest";
import { findOutliers } from "./outliers.js";
import { seededRandom } from "./seeded-random.js";
import { drawTrials } from "./test-support/simulated-trials.js";

describe("findOutliers", () => {
  it("says which trials lie far from the others, on both sides, in the order given", () => {
    expect(findOutliers([100, 30, 101, 99, 102, 98, 100, 170])).toEqual([1, 7]);
  });

  it("says nothing of trials that agree, or that all disagree", () => {
    expect(findOutliers([98, 99, 100, 101, 102, 103])).toEqual([]);
    expect(findOutliers([1, 10, 100, 1000, 2000, 4000])).toEqual([]);
  });

  it("has its fences three quartile distances beyond the quartiles", () => {
    // Quartiles of the first seven are 2.5 and 5.5, as long as the last is the largest.
    expect(findOutliers([1, 2, 3, 4, 5, 6, 14.4])).toEqual([]);
    expect(findOutliers([1, 2, 3, 4, 5, 6, 14.6])).toEqual([6]);
  });

  it("needs 6 trials", () => {
    expect(findOutliers([100, 100.1, 100.2, 100.3, 500])).toEqual([]);
    expect(findOutliers([100, 100.1, 100.2, 100.3, 100.4, 500])).toEqual([5]);
    expect(findOutliers([])).toEqual([]);
  });

  it("takes differences of up to 5 % for none, even where all others are equal", () => {
    expect(findOutliers([9.55, 9.55, 9.54, 9.55, 9.55, 9.34])).toEqual([]);
    expect(findOutliers([100, 100, 100, 100, 100, 105])).toEqual([]);
    expect(findOutliers([100, 100, 100, 100, 100, 106])).toEqual([5]);
  });

  it("finds neither too much nor too little", () => {
    const random = seededRandom(2);
    const series = Array.from({ length: 1000 }, () => drawTrials(random, 10, 100, 0.05));
    const marked = series.filter((trials) => findOutliers(trials).length > 0).length;
    // Measured with 4000 series: 5.0 %; three standard errors of 1000 are 2.1 %.
    expect(marked / series.length).toBeLessThan(0.071);
    const found = series.filter((trials) => findOutliers([...trials.slice(1), 150]).includes(9)).length;
    expect(found / series.length).toBeGreaterThan(0.98);
  });
});
