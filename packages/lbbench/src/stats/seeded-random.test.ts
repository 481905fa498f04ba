import { describe, expect, it } from "vitest";
import { mean, standardDeviation } from "./descriptive.js";
import { seededRandom, xoshiro128 } from "./seeded-random.js";

function take(next: () => number, n: number): readonly number[] {
  return Array.from({ length: n }, next);
}

describe("xoshiro128", () => {
  it("gives the known sequence of xoshiro128** 1.1 from the state 1, 2, 3, 4", () => {
    // Also the test vector of the Rust library rand_xoshiro.
    expect(take(xoshiro128([1, 2, 3, 4]), 10)).toEqual([
      11_520, 0, 5_927_040, 70_819_200, 2_031_721_883, 1_637_235_492, 1_287_239_034, 3_734_860_849, 3_729_100_597,
      4_258_142_804,
    ]);
  });
});

describe("seededRandom", () => {
  it("repeats itself with the same seed, and otherwise with another", () => {
    expect(take(seededRandom(5), 20)).toEqual(take(seededRandom(5), 20));
    expect(take(seededRandom(5), 20)).not.toEqual(take(seededRandom(6), 20));
  });

  it.each([0, 1, -1, 2 ** 32 - 1])("is evenly spread over 0 to 1 with the seed %d", (seed) => {
    const numbers = take(seededRandom(seed), 20_000);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    // Five standard errors: 0.289 and 0.075 by the square root of 20 000.
    expect(Math.abs(mean(numbers) - 0.5)).toBeLessThan(0.0103);
    expect(Math.abs(standardDeviation(numbers) - Math.sqrt(1 / 12))).toBeLessThan(0.0046);
  });

  it("gives unrelated sequences for neighbouring seeds", () => {
    const [a, b] = [take(seededRandom(1), 10_000), take(seededRandom(2), 10_000)];
    const correlation = mean(a.map((x, index) => (x - 0.5) * ((b[index] ?? 0) - 0.5))) * 12;
    expect(Math.abs(correlation)).toBeLessThan(0.05);
  });
});
