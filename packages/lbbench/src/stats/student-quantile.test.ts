import { describe, expect, it } from "vitest";
import { studentQuantile } from "./student-quantile.js";

describe("studentQuantile", () => {
  // qt(0.975, df) in R.
  it.each([
    [2, 4.302_65, 0.01],
    [3, 3.182_45, 0.002],
    [5, 2.570_58, 0.001],
    [10, 2.228_14, 0.0001],
    [1000, 1.962_34, 0.0001],
  ])("of %i degrees of freedom is %d, to the part of %d", (degreesOfFreedom, expected, tolerance) => {
    expect(Math.abs(studentQuantile(degreesOfFreedom) / expected - 1)).toBeLessThan(tolerance);
  });

  // qt(0.995, 9), qt(0.95, 4) in R.
  it.each([
    [9, 0.99, 3.249_84],
    [4, 0.9, 2.131_85],
  ])("of %i degrees of freedom and a confidence of %d is %d", (degreesOfFreedom, confidence, expected) => {
    expect(Math.abs(studentQuantile(degreesOfFreedom, confidence) / expected - 1)).toBeLessThan(0.001);
  });

  it.each([1, 0, Number.NaN])("refuses %d degrees of freedom", (degreesOfFreedom) => {
    expect(() => studentQuantile(degreesOfFreedom)).toThrow(/expected at least 2 degrees of freedom/);
  });

  it.each([0, 1, 95, Number.NaN])("refuses a confidence of %d", (confidence) => {
    expect(() => studentQuantile(5, confidence)).toThrow(/expected a confidence between 0 and 1/);
  });
});
