import { describe, expect, it } from "vitest";
import {
  countWithin,
  createLatencyHistogram,
  decodeHistogram,
  encodeHistogram,
  mergeHistograms,
  percentileMs,
} from "./histogram.js";
import type { LatencyHistogram } from "./histogram.js";
import { summarizeLatency } from "./latency-summary.js";
import type { ExactFigures } from "./latency-summary.js";
import { percentileCurve } from "./percentile-curve.js";
import { seededRandom } from "./seeded-random.js";

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = createLatencyHistogram();
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

function summaryOf(values: readonly number[]): ReturnType<typeof summarizeLatency> {
  const sum = (of: (value: number) => number): number => values.reduce((total, value) => total + of(value), 0);
  const exact: ExactFigures = {
    count: values.length,
    minUs: Math.min(...values),
    maxUs: Math.max(...values),
    sumUs: sum((value) => value),
    sumSquaresUs: sum((value) => value * value),
  };
  return summarizeLatency(histogramOf(values), exact);
}

const HOUR_US = 3_600_000_000;
const UP_TO_10_000 = Array.from({ length: 10_000 }, (_, index) => index + 1);

describe("a latency histogram", () => {
  it.each([1, 184, 2047, 2048, 9801, 123_457, 60_000_000, HOUR_US])(
    "keeps %i us exactly up to 2 ms, within 0.1 %% beyond, never too low",
    (us) => {
      const ms = percentileMs(histogramOf([us]), 50);
      expect(ms).toBeGreaterThanOrEqual((us / 1000) * (1 - 1e-12));
      expect(ms).toBeLessThanOrEqual((us / 1000) * (us < 2048 ? 1 + 1e-12 : 1.001));
    },
  );

  it("reads back what it wrote, can go on recording, and refuses what is none", () => {
    const copy = decodeHistogram(encodeHistogram(histogramOf([5, 700, 700, 90_000])));
    copy.recordValue(HOUR_US);
    expect(copy.totalCount).toBe(5);
    expect([20, 60, 80].map((percentile) => percentileMs(copy, percentile))).toEqual([0.005, 0.7, 90.047]);
    expect(decodeHistogram(encodeHistogram(createLatencyHistogram())).totalCount).toBe(0);
    expect(() => decodeHistogram("hello")).toThrow(/expected a latency histogram .*, got "hello"/);
  });

  it("merges to what one histogram of all values would be, and leaves the parts as they were", () => {
    const parts = [[3, 40], [], [HOUR_US], [40, 2_000_000]].map(histogramOf);
    const whole = mergeHistograms([histogramOf([3, 40, 40, 2_000_000, HOUR_US])]);
    expect(encodeHistogram(mergeHistograms(parts))).toBe(encodeHistogram(whole));
    expect(parts.map(({ totalCount }) => totalCount)).toEqual([2, 0, 1, 2]);
    expect(mergeHistograms([]).totalCount).toBe(0);
  });
});

describe("summarizeLatency", () => {
  it("takes mean and deviation from the exact figures, in milliseconds", () => {
    const summary = summaryOf([2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000]);
    expect(summary).toMatchObject({ mean: 5, stddev: expect.closeTo(Math.sqrt(32 / 7), 9), min: 2, max: 9 });
    expect(summaryOf([150, 184]).mean).toBeCloseTo(0.167, 9);
  });

  it("returns every percentile of a known distribution within 0.1 %, and none outside of [min, max]", () => {
    const summary = summaryOf(UP_TO_10_000.map((index) => index * 10));
    const expected = { p50: 50, p66: 66, p75: 75, p80: 80, p90: 90, p95: 95, p98: 98, p99: 99, p999: 99.9 };
    for (const [name, ms] of Object.entries(expected)) {
      const ratio = summary[name as keyof typeof expected] / ms;
      expect(ratio >= 1 && ratio <= 1.001, `${name}: ${ratio}`).toBe(true);
    }
    expect(summaryOf([100_001])).toMatchObject({ min: 100.001, p50: 100.001, p999: 100.001, max: 100.001, stddev: 0 });
    expect(() => summaryOf([])).toThrow(RangeError);
  });
});

describe("percentileCurve", () => {
  it("begins with the smallest value, ends with the largest, and has few points and the percentiles people ask for", () => {
    expect(percentileCurve(createLatencyHistogram())).toEqual([]);
    expect(percentileCurve(histogramOf([500]))).toEqual([{ oneIn: 1, ms: 0.5 }]);
    const curve = percentileCurve(histogramOf(UP_TO_10_000));
    expect(curve.at(-1)?.oneIn).toBe(10_000);
    expect(curve.length).toBeLessThanOrEqual(85);
    expect(curve.map(({ oneIn }) => oneIn)).toEqual(expect.arrayContaining([1, 2, 4, 10, 20, 100, 1000]));
    const many = createLatencyHistogram();
    many.recordValueWithCount(100, 50_000_000);
    expect(percentileCurve(many).at(-1)?.oneIn).toBe(100_000);
  });

  it("agrees with counting the values, and never falls, whatever they are", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 10; round += 1) {
      const length = 1 + Math.floor(random() * 1500);
      // Up to 2 047 us the histogram is exact.
      const values = Array.from({ length }, () => 1 + Math.floor(random() ** 4 * 2000)).toSorted((a, b) => a - b);
      const curve = percentileCurve(histogramOf(values));
      for (const { oneIn, ms } of curve) {
        const rank = Math.max(1, Math.ceil(length - length / oneIn - 1e-6));
        expect(ms * 1000).toBeCloseTo(values[rank - 1] ?? NaN, 6);
      }
      expect(curve.map(({ ms }) => ms)).toEqual(curve.map(({ ms }) => ms).toSorted((a, b) => a - b));
    }
  });
});

it("counts the values up to a deadline: exactly in its first two milliseconds, and to a thousandth beyond", () => {
  const histogram = createLatencyHistogram();
  for (const us of [1, 999, 1000, 1001, 999_000, 1_000_000, 1_002_000, 90_000_000]) histogram.recordValue(us);
  const stored = decodeHistogram(encodeHistogram(histogram));
  const within = (ms: number): readonly number[] => [histogram, stored].map((one) => countWithin(one, ms));
  expect(within(0)).toEqual([0, 0]);
  expect(within(1)).toEqual([3, 3]);
  expect(within(1000)).toEqual([6, 6]);
  expect(within(1e9)).toEqual([8, 8]);
  expect(countWithin(createLatencyHistogram(), 1000)).toBe(0);
});
