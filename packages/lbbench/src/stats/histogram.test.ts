import { describe, expect, it } from "vitest";
import {
  createLatencyHistogram,
  decodeHistogram,
  encodeHistogram,
  mergeHistograms,
  percentileMs,
} from "./histogram.js";
import type { LatencyHistogram } from "./histogram.js";

function histogramOf(values: readonly number[]): LatencyHistogram {
  const histogram = createLatencyHistogram();
  for (const value of values) {
    histogram.recordValue(value);
  }
  return histogram;
}

const HOUR_US = 3_600_000_000;

describe("a latency histogram", () => {
  it.each([1, 184, 2047])("keeps %i us exactly", (us) => {
    expect(percentileMs(histogramOf([us]), 50)).toBeCloseTo(us / 1000, 9);
  });

  it.each([2048, 9801, 123_457, 1_000_000, 60_000_000, HOUR_US])("keeps %i us within 0.1 %%, never too low", (us) => {
    const ms = percentileMs(histogramOf([us]), 50);
    expect(ms).toBeGreaterThanOrEqual(us / 1000);
    expect(ms).toBeLessThanOrEqual((us / 1000) * 1.001);
  });

  it("returns the percentiles of a known distribution", () => {
    const histogram = histogramOf(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect([0, 50, 90, 99, 99.9, 100].map((percentile) => percentileMs(histogram, percentile))).toEqual([
      0.001, 0.5, 0.9, 0.99, 0.999, 1,
    ]);
  });

  it("has no percentiles while it is empty", () => {
    expect(percentileMs(createLatencyHistogram(), 50)).toBeNaN();
  });

  it("reads back what it wrote, and can go on recording", () => {
    const copy = decodeHistogram(encodeHistogram(histogramOf([5, 700, 700, 90_000])));
    copy.recordValue(HOUR_US);
    expect(copy.totalCount).toBe(5);
    expect([20, 60, 80].map((percentile) => percentileMs(copy, percentile))).toEqual([0.005, 0.7, 90.047]);
  });

  it("reads back an empty one", () => {
    expect(decodeHistogram(encodeHistogram(createLatencyHistogram())).totalCount).toBe(0);
  });

  it("says what it expected when the text is not a histogram", () => {
    expect(() => decodeHistogram("hello")).toThrow(/expected a latency histogram .*, got "hello"/);
  });

  it("merges to what one histogram of all values would be, whatever their ranges", () => {
    const parts = [
      histogramOf([3, 40]),
      createLatencyHistogram(),
      histogramOf([HOUR_US]),
      histogramOf([40, 2_000_000]),
    ];
    const merged = mergeHistograms(parts);
    expect(encodeHistogram(merged)).toBe(
      encodeHistogram(mergeHistograms([histogramOf([3, 40, 40, 2_000_000, HOUR_US])])),
    );
    expect(merged.totalCount).toBe(5);
    expect(parts.map(({ totalCount }) => totalCount)).toEqual([2, 0, 1, 2]);
  });

  it("merges nothing to an empty one", () => {
    expect(mergeHistograms([]).totalCount).toBe(0);
  });

  it("does not grow with the number of values", () => {
    const few = histogramOf([10, 5000]);
    const many = histogramOf(Array.from({ length: 20_000 }, (_, index) => (index % 5000) + 1));
    expect(many.estimatedFootprintInBytes).toBe(few.estimatedFootprintInBytes);
  });
});
