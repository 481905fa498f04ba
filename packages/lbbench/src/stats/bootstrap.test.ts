import { describe, expect, it } from "vitest";
import { bootstrapInterval } from "./bootstrap.js";
import type { BootstrapOptions } from "./bootstrap.js";
import { mean, median } from "./descriptive.js";
import type { Range } from "./descriptive.js";
import { seededRandom } from "./seeded-random.js";
import { drawSkewedTrials, drawTrials } from "./test-support/simulated-trials.js";

/** Enough for coverage, which hardly depends on it. */
const QUICK: BootstrapOptions = { resamples: 120 };

const RUNS = 300;

function coverage(draw: (seed: number) => Range | undefined, truth: number): number {
  const intervals = Array.from({ length: RUNS }, (_, seed) => draw(seed));
  const covered = intervals.filter((interval) => interval && interval.low <= truth && interval.high >= truth);
  return covered.length / RUNS;
}

const NOISES = [
  ["normal", drawTrials, 0.05],
  ["skewed", drawSkewedTrials, 0.5],
] as const;

describe("bootstrapInterval", () => {
  it("spans what the middle of the drawn medians spans, and somewhat more with few trials", () => {
    const trials = [3, 1, 5, 2, 4, 6, 7];
    // Below the middle one are 34.7 % of the drawn medians, below the third 10.8 %; tails of 39, 16 and 8 % end there.
    expect(bootstrapInterval(trials, median, { confidence: 0.2 })).toEqual({ low: 4, high: 4 });
    expect(bootstrapInterval(trials, median, { confidence: 0.6 })).toEqual({ low: 3, high: 5 });
    expect(bootstrapInterval(trials, median, { confidence: 0.75 })).toEqual({ low: 2, high: 6 });
    // Of 7 the smallest is the median of 1 % of all draws: less than 2.5 %, more than the 0.4 % that are left out.
    expect(bootstrapInterval(trials, median)).toEqual({ low: 1, high: 7 });
  });

  it("agrees with the interval of a mean by Student's t", () => {
    const values = Array.from({ length: 40 }, (_, index) => index);
    const { low, high } = bootstrapInterval(values, mean, { resamples: 8000 }) ?? { low: 0, high: 0 };
    // 19.5 less and plus 2.0227 times 11.69 / sqrt(40), and two percent of the width.
    expect(Math.abs(low - 15.761)).toBeLessThan(0.15);
    expect(Math.abs(high - 23.239)).toBeLessThan(0.15);
  });

  it("is the same for the same trials and seed", () => {
    const trials = drawTrials(seededRandom(1), 12, 100, 0.1);
    expect(bootstrapInterval(trials, mean)).toEqual(bootstrapInterval(trials, mean));
    expect(bootstrapInterval(trials, mean, { seed: 2 })).not.toEqual(bootstrapInterval(trials, mean, { seed: 3 }));
  });

  it("is not drawn of fewer than 6 trials", () => {
    expect(bootstrapInterval([1, 2, 3, 4, 5], median)).toBeUndefined();
    expect(bootstrapInterval([], median)).toBeUndefined();
  });

  const cases = [10, 20].flatMap((n) => NOISES.map((noise) => [n, ...noise] as const));
  it.each(cases)(
    "of %i trials with %s noise contains the median in 90 to 98 percent of cases",
    (n, _name, draw, noise) => {
      const random = seededRandom(n);
      const share = coverage((seed) => bootstrapInterval(draw(random, n, 100, noise), median, { ...QUICK, seed }), 100);
      expect(share).toBeGreaterThanOrEqual(0.9);
      expect(share).toBeLessThanOrEqual(0.98);
    },
  );
});
