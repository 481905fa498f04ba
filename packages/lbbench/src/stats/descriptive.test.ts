import { describe, expect, it } from "vitest";
import { mean, median, quantile, range, standardDeviation } from "./descriptive.js";

describe("median", () => {
  it.each([
    [[7], 7],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[-1, -1, -1, 10], -1],
  ])("of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("leaves the list as it was", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("quantile", () => {
  // quantile(c(10, 20, 30, 40), p) in R.
  it.each([
    [0, 10],
    [0.25, 17.5],
    [0.5, 25],
    [0.9, 37],
    [1, 40],
  ])("%d of 10, 20, 30, 40 is %d, as in R", (probability, expected) => {
    expect(quantile([40, 10, 30, 20], probability)).toBeCloseTo(expected, 12);
  });

  it.each([-0.1, 1.1, Number.NaN])("refuses the probability %d", (probability) => {
    expect(() => quantile([1], probability)).toThrow(/expected a probability from 0 to 1/);
  });
});

describe("mean, standardDeviation and range", () => {
  it("agree with a calculation by hand", () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9];
    expect(mean(values)).toBe(5);
    expect(standardDeviation(values)).toBeCloseTo(2.138_089_935, 9);
    expect(range(values)).toEqual({ low: 2, high: 9 });
  });

  it("are defined for a single value", () => {
    expect([mean([3]), standardDeviation([3]), range([3])]).toEqual([3, 0, { low: 3, high: 3 }]);
  });
});

it.each([median, mean, standardDeviation, range])("%o refuses an empty list", (statistic) => {
  expect(() => statistic([])).toThrow(RangeError);
});
