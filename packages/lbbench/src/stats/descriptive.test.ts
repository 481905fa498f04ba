import { describe, expect, it } from "vitest";
import { mean, median, quantile, range, standardDeviation } from "./descriptive.js";
import { normalTwoSidedTail, studentQuantile, studentTwoSidedTail } from "./distributions.js";
import { findOutliers } from "./spread.js";
import { seededRandom, xoshiro128 } from "./seeded-random.js";
import { drawTrials, fewestByChance, mostByChance } from "./test-support/simulated-trials.js";

describe("median, quantile, mean, standard deviation and range", () => {
  it("are those of an order where a value is Infinity", () => {
    const medians = [median([1, Infinity]), median([Infinity, Infinity]), median([1, 2, Infinity])];
    expect(medians).toEqual([Infinity, Infinity, 2]);
  });

  // quantile(c(10, 20, 30, 40), p) in R.
  it.each([
    [0, 10],
    [0.25, 17.5],
    [0.5, 25],
    [0.9, 37],
    [1, 40],
  ])("quantile %d of 10, 20, 30, 40 is %d, as in R", (probability, expected) => {
    expect(quantile([40, 10, 30, 20], probability)).toBeCloseTo(expected, 12);
  });

  it("agree with a calculation by hand", () => {
    const values = [9, 4, 5, 4, 2, 4, 7, 5];
    expect([median(values), median([9, 1, 5]), median([7])]).toEqual([4.5, 5, 7]);
    expect(values[0]).toBe(9);
    expect([mean(values), range(values)]).toEqual([5, { low: 2, high: 9 }]);
    expect(standardDeviation(values)).toBeCloseTo(2.138_089_935, 9);
    expect([mean([3]), standardDeviation([3]), range([3])]).toEqual([3, 0, { low: 3, high: 3 }]);
  });

  it("refuse an empty list, and what is no probability", () => {
    for (const statistic of [median, mean, standardDeviation, range]) {
      expect(() => statistic([])).toThrow(RangeError);
    }
    for (const none of [-0.1, 1.1, Number.NaN]) expect(() => quantile([1], none)).toThrow("from 0 to 1");
  });
});

describe("quantiles of distributions", () => {
  it.each([
    [0, 1],
    [1, 0.317_310_508],
    [-1.959_963_985, 0.05],
    [2.575_829_304, 0.01],
  ])("the two tails beyond %d of a normal variable are %d", (z, expected) => {
    expect(Math.abs(normalTwoSidedTail(z) - expected)).toBeLessThan(3e-7);
  });

  // qt(0.975, df), qt(0.995, 9) in R.
  it.each([
    [1, 0.95, 12.706_205],
    [2, 0.95, 4.302_653],
    [3, 0.95, 3.182_446],
    [1000, 0.95, 1.962_339],
    [9, 0.99, 3.249_836],
  ])("Student's t of %i degrees of freedom holds %d within %d", (df, confidence, expected) => {
    expect(studentQuantile(df, confidence)).toBeCloseTo(expected, 5);
    expect(studentTwoSidedTail(-expected, df)).toBeCloseTo(1 - confidence, 6);
  });

  it("Student's t needs a degree of freedom, and a confidence between 0 and 1", () => {
    for (const df of [0.5, 0, Number.NaN]) expect(() => studentQuantile(df)).toThrow("degrees of freedom from 1");
    for (const none of [0, 1, 95, Number.NaN]) expect(() => studentQuantile(5, none)).toThrow("between 0 and 1");
  });
});

describe("findOutliers", () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ["trials far from the others, on both sides", [100, 30, 101, 99, 102, 98, 100, 170], [1, 7]],
    ["none where all disagree", [1, 10, 100, 1000, 2000, 4000], []],
    // Quartiles of the first seven are 2.5 and 5.5, as long as the last is the largest.
    ["none within three quartile distances", [1, 2, 3, 4, 5, 6, 14.4], []],
    ["what is beyond them", [1, 2, 3, 4, 5, 6, 14.6], [6]],
    ["none of five trials", [100, 100.1, 100.2, 100.3, 500], []],
    ["none within 5 %, where the others are equal", [100, 100, 100, 100, 100, 105], []],
    ["what is beyond that", [100, 100, 100, 100, 100, 106], [5]],
  ])("finds %s", (_, trials, expected) => {
    expect(findOutliers(trials)).toEqual(expected);
  });

  it("marks one series of ten in twenty by chance, and nearly every trial that is half as much again", () => {
    const random = seededRandom(2);
    const series = Array.from({ length: 500 }, () => drawTrials(random, 10, 100, 0.05));
    expect(series.filter((trials) => findOutliers(trials).length > 0).length).toBeLessThan(mostByChance(500, 0.05));
    const found = series.filter((trials) => findOutliers([...trials.slice(1), 150]).includes(9));
    expect(found.length).toBeGreaterThanOrEqual(fewestByChance(500, 0.98));
  });
});

describe("seededRandom", () => {
  const take = (next: () => number, n: number): readonly number[] => Array.from({ length: n }, next);

  it("is xoshiro128** 1.1, by its test vector in the Rust library rand_xoshiro", () => {
    expect(take(xoshiro128([1, 2, 3, 4]), 10)).toEqual([
      11_520, 0, 5_927_040, 70_819_200, 2_031_721_883, 1_637_235_492, 1_287_239_034, 3_734_860_849, 3_729_100_597,
      4_258_142_804,
    ]);
  });

  it("repeats itself with the same seed, and is unrelated to that of the next", () => {
    expect(take(seededRandom(5), 20)).toEqual(take(seededRandom(5), 20));
    const [a, b] = [take(seededRandom(1), 10_000), take(seededRandom(2), 10_000)];
    const correlation = mean(a.map((x, index) => (x - 0.5) * ((b[index] ?? 0) - 0.5))) * 12;
    expect(Math.abs(correlation)).toBeLessThan(0.05);
  });
});
