import { describe, expect, it } from "vitest";
import { createLatencyHistogram, mergeHistograms } from "./histogram.js";
import type { LatencyHistogram } from "./histogram.js";
import { percentileCurve } from "./percentile-curve.js";
import { seededRandom } from "./seeded-random.js";

function recorded(valuesUs: readonly number[]): LatencyHistogram {
  const histogram = createLatencyHistogram();
  for (const value of valuesUs) histogram.recordValue(value);
  return histogram;
}

const UP_TO_10_000 = Array.from({ length: 10_000 }, (_, index) => index + 1);

describe("percentileCurve", () => {
  it("is empty for an empty histogram, and a point for a single value", () => {
    expect(percentileCurve(createLatencyHistogram())).toEqual([]);
    expect(percentileCurve(recorded([500]))).toEqual([{ oneIn: 1, ms: 0.5 }]);
  });

  it("begins with the smallest value and has the percentiles people ask for exactly", () => {
    const at = new Map(percentileCurve(recorded(UP_TO_10_000)).map(({ oneIn, ms }) => [oneIn, ms]));
    expect(at.get(1)).toBe(0.001);
    // Of the values 1 to 10 000 us; a cell of the histogram is at most 0.1 % wide.
    for (const [oneIn, ms] of [
      [2, 5],
      [4, 7.5],
      [10, 9],
      [20, 9.5],
      [100, 9.9],
      [1000, 9.99],
    ] as const) {
      expect(Math.abs((at.get(oneIn) ?? NaN) / ms - 1)).toBeLessThanOrEqual(0.001);
    }
  });

  it("lies evenly: sixteen further points to every nine, beside those with a name", () => {
    const between = percentileCurve(recorded(UP_TO_10_000)).filter(({ oneIn }) => oneIn > 100 && oneIn <= 1000);
    const steps = between.map(({ oneIn }, index) => oneIn / (between[index - 1]?.oneIn ?? 100));
    expect(steps).toHaveLength(16);
    for (const step of steps) expect(step).toBeCloseTo(10 ** (1 / 16), 9);
  });

  it.each([
    [7, 7],
    [10_000, 10_000],
    [50_000_000, 100_000],
  ])("of %i values ends at 1 - 1/n, or 99.999 %", (n, last) => {
    const histogram = createLatencyHistogram();
    histogram.recordValueWithCount(100, n);
    const curve = percentileCurve(histogram);
    expect(curve.at(-1)?.oneIn).toBe(last);
    expect(curve.length).toBeLessThanOrEqual(85);
  });

  it("agrees with counting the values, and never falls, whatever they are", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 20; round += 1) {
      const length = 1 + Math.floor(random() * 3000);
      // Up to 2 047 us the histogram is exact.
      const values = Array.from({ length }, () => 1 + Math.floor(random() ** 4 * 2000)).toSorted((a, b) => a - b);
      const half = Math.floor(length / 2);
      const curve = percentileCurve(mergeHistograms([recorded(values.slice(0, half)), recorded(values.slice(half))]));
      for (const { oneIn, ms } of curve) {
        const rank = Math.max(1, Math.ceil(length - length / oneIn - 1e-6));
        expect(ms * 1000).toBeCloseTo(values[rank - 1] ?? NaN, 6);
      }
      expect(curve.map(({ ms }) => ms)).toEqual(curve.map(({ ms }) => ms).toSorted((a, b) => a - b));
    }
  });
});
