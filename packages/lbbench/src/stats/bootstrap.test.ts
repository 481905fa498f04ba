import { describe, expect, it } from "vitest";
import { bootstrapInterval, bootstrapRatio } from "./bootstrap.js";
import type { BootstrapOptions } from "./bootstrap.js";
import { mean, median } from "./descriptive.js";
import type { Range } from "./descriptive.js";
import { seededRandom } from "./seeded-random.js";
import { drawSkewedTrials, drawTrials } from "./test-support/simulated-trials.js";

/** Enough for coverage, which hardly depends on it. */
const QUICK: BootstrapOptions = { resamples: 120 };

const RUNS = 300;

/** Three standard errors of a share of 0.95 in 300 runs. */
const SAMPLING_ERROR = 0.038;

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
    expect(bootstrapInterval([3, 1, 5, 2, 4], median)).toEqual({ low: 1, high: 5 });
    // Below the middle one are 31.7 % of the drawn medians, of 5.8 % the smallest; tails of 40 and of 8 % end there.
    expect(bootstrapInterval([3, 1, 5, 2, 4], median, { confidence: 0.2 })).toEqual({ low: 3, high: 3 });
    expect(bootstrapInterval([3, 1, 5, 2, 4], median, { confidence: 0.7 })).toEqual({ low: 2, high: 4 });
    // Of 7 the smallest is the median of 1 % of all draws: less than 2.5 %, more than the 0.4 % that are left out.
    expect(bootstrapInterval([3, 1, 5, 2, 4, 6, 7], median)).toEqual({ low: 1, high: 7 });
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

  it("is not drawn of fewer than 5 trials", () => {
    expect(bootstrapInterval([1, 2, 3, 4], median)).toBeUndefined();
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

  it.each(NOISES)(
    "of 5 trials with %s noise contains the median in about 94 percent of cases",
    (_name, draw, noise) => {
      const random = seededRandom(5);
      const share = coverage((seed) => bootstrapInterval(draw(random, 5, 100, noise), median, { ...QUICK, seed }), 100);
      // The smallest and the largest of 5 enclose the median in 1 - 2 / 2^5 of all cases.
      expect(Math.abs(share - 0.9375)).toBeLessThan(SAMPLING_ERROR + 0.005);
    },
  );
});

describe("bootstrapRatio", () => {
  it("is that of the other side, as a part of the reference, when the reference does not vary", () => {
    const interval = bootstrapRatio([100, 100, 100, 100, 100], [110, 106, 114, 112, 108]);
    expect(interval?.low).toBeCloseTo(0.06, 12);
    expect(interval?.high).toBeCloseTo(0.14, 12);
  });

  it("is wider when the reference varies as well", () => {
    const other = [110, 106, 114, 112, 108];
    const interval = bootstrapRatio([96, 98, 100, 102, 104], other);
    expect(interval?.low).toBeLessThan(0.05);
    expect(interval?.high).toBeGreaterThan(0.15);
  });

  it("needs 4 trials on either side, and a reference above 0", () => {
    expect(bootstrapRatio([1, 2, 3], [1, 2, 3, 4])).toBeUndefined();
    expect(bootstrapRatio([1, 2, 3, 4], [1, 2, 3])).toBeUndefined();
    expect(bootstrapRatio([0, 1, 2, 3], [1, 2, 3, 4])).toBeUndefined();
    expect(bootstrapRatio([1, 2, 3, 4], [0, 0, 0, 0])).toEqual({ low: -1, high: -1 });
  });

  const cases = [10, 20].flatMap((n) => NOISES.map((noise) => [n, ...noise] as const));
  it.each(cases)(
    "of %i trials with %s noise contains the change in 90 to 98 percent of cases",
    (n, _name, draw, noise) => {
      const random = seededRandom(n);
      const pair = (): readonly [readonly number[], readonly number[]] => [
        draw(random, n, 100, noise),
        draw(random, n, 110, noise),
      ];
      const share = coverage((seed) => bootstrapRatio(...pair(), { ...QUICK, seed }), 0.1);
      expect(share).toBeGreaterThanOrEqual(0.9);
      expect(share).toBeLessThanOrEqual(0.98);
    },
  );

  // Measured with 2000 runs: 0.93 with 4 trials, 0.97 with 5.
  it.each([4, 5])("of %i trials contains the change in at least 90 percent of cases, less sampling error", (n) => {
    const random = seededRandom(n);
    const draw = (center: number): readonly number[] => drawTrials(random, n, center, 0.05);
    const share = coverage((seed) => bootstrapRatio(draw(100), draw(110), { ...QUICK, seed }), 0.1);
    expect(share).toBeGreaterThanOrEqual(0.9 - SAMPLING_ERROR);
  });
});
