import { describe, expect, it } from "vitest";
import { createLatencyHistogram } from "./histogram.js";
import { summarizeLatency } from "./latency-summary.js";
import type { ExactFigures } from "./latency-summary.js";

function record(values: readonly number[]): [ReturnType<typeof createLatencyHistogram>, ExactFigures] {
  const histogram = createLatencyHistogram();
  for (const value of values) {
    histogram.recordValue(value);
  }
  const sum = (of: (value: number) => number): number => values.reduce((total, value) => total + of(value), 0);
  return [
    histogram,
    {
      count: values.length,
      minUs: Math.min(...values),
      maxUs: Math.max(...values),
      sumUs: sum((value) => value),
      sumSquaresUs: sum((value) => value * value),
    },
  ];
}

describe("summarizeLatency", () => {
  it("takes mean and deviation from the exact figures, in milliseconds", () => {
    const summary = summarizeLatency(...record([2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000]));
    expect(summary.mean).toBe(5);
    expect(summary.stddev).toBeCloseTo(Math.sqrt(32 / 7), 9);
    expect([summary.min, summary.max]).toEqual([2, 9]);
  });

  it("returns every percentile of a known distribution within 0.1 %", () => {
    const summary = summarizeLatency(...record(Array.from({ length: 10_000 }, (_, index) => (index + 1) * 10)));
    const expected = { p50: 50, p66: 66, p75: 75, p80: 80, p90: 90, p95: 95, p98: 98, p99: 99, p999: 99.9 };
    for (const [name, ms] of Object.entries(expected)) {
      const value = summary[name as keyof typeof expected];
      expect(value / ms, name).toBeGreaterThanOrEqual(1);
      expect(value / ms, name).toBeLessThanOrEqual(1.001);
    }
  });

  it("never returns a percentile outside of [min, max], though a cell of the histogram is wider", () => {
    const summary = summarizeLatency(...record([100_001]));
    expect(summary).toMatchObject({ min: 100.001, p50: 100.001, p999: 100.001, max: 100.001, stddev: 0 });
  });

  it("keeps fractions of a millisecond", () => {
    expect(summarizeLatency(...record([150, 184])).mean).toBeCloseTo(0.167, 9);
  });

  it("refuses an empty histogram", () => {
    const [histogram] = record([]);
    const exact = { count: 0, minUs: Infinity, maxUs: 0, sumUs: 0, sumSquaresUs: 0 };
    expect(() => summarizeLatency(histogram, exact)).toThrow(RangeError);
  });
});
