import { describe, expect, it } from "vitest";
import { median } from "../stats/descriptive.js";
import { seededRandom } from "../stats/seeded-random.js";
import { drawSkewedTrials, drawTrials } from "../stats/test-support/simulated-trials.js";
import { compareTrials } from "../stats/trials.js";
import { changeInterval } from "./compare-interval.js";
import { SCALES } from "./compare-scales.js";

const RATIO = SCALES.throughput;
const POINTS = SCALES.errors;

function intervalOf(reference: readonly number[], other: readonly number[], scale = RATIO) {
  const change = scale.between(median(reference), median(other));
  return { change, interval: changeInterval(scale, { reference, other, change }) };
}

describe("changeInterval", () => {
  it("encloses the change, and ends where the test begins to tell the sides apart", () => {
    const reference = [100, 101, 102, 103, 104];
    const other = [90, 92, 93, 95, 96];
    const { change, interval } = intervalOf(reference, other);
    const { low = NaN, high = NaN } = interval ?? {};
    expect(low).toBeLessThan(change);
    expect(high).toBeGreaterThan(change);
    const verdictAt = (at: number) =>
      compareTrials(
        reference.map((value) => value * (1 + at)),
        other,
      ).verdict;
    expect([low, high].map(verdictAt)).toEqual(["higher", "lower"]);
    const within = (high - low) / 1000;
    expect([low + within, high - within].map(verdictAt)).toEqual(["~", "~"]);
  });

  it("is a single value when no trial differs from another", () => {
    expect(intervalOf([0, 0, 0, 0], [0, 0, 0, 0], POINTS).interval).toEqual({ low: 0, high: 0 });
    expect(intervalOf([5, 5, 5, 5], [6, 6, 6, 6]).interval).toEqual({
      low: expect.closeTo(0.2, 12),
      high: expect.closeTo(0.2, 12),
    });
  });

  it("takes differences of shares, whose reference may be 0", () => {
    const { interval } = intervalOf([0, 0, 0, 0, 0], [0.03, 0.04, 0.04, 0.04, 0.05], POINTS);
    expect(interval?.low).toBeGreaterThanOrEqual(0.03);
    expect(interval?.high).toBeLessThanOrEqual(0.05);
  });

  it("is nothing for 3 trials, which can never be told apart, nor for a ratio to 0", () => {
    expect(intervalOf([1, 2, 3], [4, 5, 6]).interval).toBeUndefined();
    expect(intervalOf([0, 2, 3, 4], [4, 5, 6, 7]).interval).toBeUndefined();
  });
});

describe("changeInterval on 300 pairs that differ by 10 %", () => {
  const PAIRS = 300;
  // 95 % of 300 pairs, less what chance takes in 39 of 40 such experiments: P(B(300, 0.95) < 277) = 2 %.
  const FEWEST = 277;

  it.each([
    [4, drawTrials],
    [5, drawTrials],
    [6, drawSkewedTrials],
    [10, drawTrials],
    [10, drawSkewedTrials],
  ])("of %i trials holds the true change in 95 %% less sampling error", (n, draw) => {
    const random = seededRandom(n);
    const holding = Array.from({ length: PAIRS }, () => {
      const { interval } = intervalOf(draw(random, n, 1000, 0.03), draw(random, n, 900, 0.03));
      return interval !== undefined && interval.low <= -0.1 && -0.1 <= interval.high;
    });
    expect(holding.filter(Boolean).length).toBeGreaterThanOrEqual(FEWEST);
  });
});
