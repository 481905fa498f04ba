import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from "hdr-histogram-js";
import type { Histogram, JsHistogram } from "hdr-histogram-js";

/** A latency histogram: whole microseconds, 3 significant digits. `recordValue(us)` adds to it. */
export type LatencyHistogram = Histogram;

/** Digits of a latency that are kept. */
export const SIGNIFICANT_DIGITS = 3;
/** Width of a counter, not of a value: 32 bits count four thousand million equal latencies. */
export const COUNTER_BITS = 32;
/** Covered without growing; slower values (an hour and more) make the histogram grow by themselves. */
const FIRST_RANGE_US = 1_000_000;

/**
 * Creates an empty histogram for latencies in whole microseconds, from 1 us up; it grows as needed.
 * Values up to 2 047 us are kept exactly, longer ones to 0.1 %. Takes 50 to 100 kB, however much is recorded.
 */
export function createLatencyHistogram(): LatencyHistogram {
  return build({
    bitBucketSize: COUNTER_BITS,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: FIRST_RANGE_US,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
    useWebAssembly: false,
  });
}

/** Returns the histogram as text: HdrHistogram V2 format, compressed, base64; any HdrHistogram library reads it. */
export function encodeHistogram(histogram: LatencyHistogram): string {
  return encodeIntoCompressedBase64(histogram);
}

/** Reads what {@link encodeHistogram} wrote. Throws an `Error` for text that is not such a histogram. */
export function decodeHistogram(text: string): LatencyHistogram {
  let histogram: LatencyHistogram;
  try {
    histogram = decodeFromCompressedBase64(text, COUNTER_BITS);
  } catch (cause) {
    throw new Error(
      `expected a latency histogram (HdrHistogram V2, compressed, base64), got "${shorten(text)}"; ` +
        "the field must be copied unchanged from a result.json",
      { cause },
    );
  }
  histogram.autoResize = true;
  return histogram;
}

/** Returns a new histogram with the counts of all given ones, which stay as they are; empty for an empty list. */
export function mergeHistograms(histograms: readonly LatencyHistogram[]): LatencyHistogram {
  const merged = createLatencyHistogram();
  for (const histogram of histograms) {
    merged.add(histogram);
  }
  return merged;
}

/**
 * Returns the latency in milliseconds that `percentile` (0 to 100) percent of the values do not exceed, `NaN` for an
 * empty histogram. It is the upper end of the histogram's cell: never too low, at most 0.1 % too high.
 */
export function percentileMs(histogram: LatencyHistogram, percentile: number): number {
  return histogram.totalCount === 0 ? Number.NaN : histogram.getValueAtPercentile(percentile) / 1000;
}

/** Counts the values of at most so many milliseconds: all of the histogram's cell in which that falls, so to 0.1 % of it. */
export function countWithin(histogram: LatencyHistogram, ms: number): number {
  // None is made with WebAssembly.
  const cells = histogram as JsHistogram;
  const last = cells.countsArrayIndex(Math.floor(ms * 1000));
  let count = 0;
  for (let index = 0; index <= last; index += 1) count += cells.getCountAtIndex(index) ?? 0;
  return count;
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}...` : text;
}
