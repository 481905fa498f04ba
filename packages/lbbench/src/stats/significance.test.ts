import { describe, expect, it } from "vitest";
import { binomialCoefficient } from "./binomial.js";
import { adjustHolm } from "./holm.js";
import { normalTwoSidedTail } from "./normal.js";
import { permutationTest } from "./permutation-test.js";
import { rankSumTest } from "./rank-sum-test.js";

describe("binomialCoefficient", () => {
  it.each([
    [4, 0, 1],
    [5, 2, 10],
    [6, 3, 20],
    [8, 4, 70],
    [18, 9, 48_620],
    [20, 10, 184_756],
    [20, 17, 1140],
  ])("%i over %i is %i", (n, k, expected) => {
    expect(binomialCoefficient(n, k)).toBe(expected);
  });
});

describe("normalTwoSidedTail", () => {
  it.each([
    [0, 1],
    [1, 0.317_310_508],
    [-1.959_963_985, 0.05],
    [2.575_829_304, 0.01],
    [4, 0.000_063_342],
  ])("of %d is %d", (z, expected) => {
    expect(Math.abs(normalTwoSidedTail(z) - expected)).toBeLessThan(3e-7);
  });
});

describe("permutationTest", () => {
  it("finds the two most extreme of 70 ways when four are all above four", () => {
    expect(permutationTest([1, 2, 3, 4], [5, 6, 7, 8])).toBeCloseTo(2 / 70, 12);
  });

  it("agrees with a small case counted by hand", () => {
    // Sums of two out of 1, 2, 3, 5 are 3, 4, 6, 5, 7, 8 around 5.5; 3 and 8 differ by 2.5, the rest by less.
    expect(permutationTest([1, 2], [3, 5])).toBeCloseTo(2 / 6, 12);
    expect(permutationTest([1, 3], [2, 5])).toBeCloseTo(4 / 6, 12);
  });

  it("is 1 when all values are equal, with or without rounding", () => {
    expect(permutationTest([0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1])).toBe(1);
  });

  it("does not depend on which side is which, nor on their sizes", () => {
    const [few, many] = [
      [1.5, 2, 9],
      [3, 4, 5, 6, 12],
    ];
    expect(permutationTest(few, many)).toBeCloseTo(permutationTest(many, few), 12);
  });
});

describe("rankSumTest", () => {
  it("agrees with wilcox.test(1:10, 11:20, exact = FALSE) of R", () => {
    const low = Array.from({ length: 10 }, (_, index) => index + 1);
    expect(
      rankSumTest(
        low,
        low.map((value) => value + 10),
      ),
    ).toBeCloseTo(0.000_182_67, 6);
  });

  it("corrects for ties", () => {
    // Ranks 1, 3, 3, 5.5 add up to 12.5 instead of 18; variance 16/12 * (9 - (24 + 6) / 56) = 11.2857; z = 5 / 3.3594.
    expect(rankSumTest([1, 2, 2, 3], [2, 3, 4, 5])).toBeCloseTo(0.136_66, 5);
  });

  it("is 1 when all values are equal", () => {
    expect(rankSumTest([7, 7, 7], [7, 7])).toBe(1);
  });
});

describe("adjustHolm", () => {
  it("multiplies the smallest by their number, the next by one less, and never falls", () => {
    const adjusted = adjustHolm([0.04, 0.01, 0.03]);
    [0.06, 0.03, 0.06].forEach((expected, index) => expect(adjusted[index]).toBeCloseTo(expected, 12));
  });

  it("leaves out what was not tested, and stops at 1", () => {
    expect(adjustHolm([null, 0.02, null, 0.9])).toEqual([null, 0.04, null, 0.9]);
    expect(adjustHolm([0.7, 0.8])).toEqual([1, 1]);
  });

  it("of nothing is nothing", () => {
    expect(adjustHolm([])).toEqual([]);
  });
});
