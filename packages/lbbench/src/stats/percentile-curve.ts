import { percentileMs, type LatencyHistogram } from "./histogram.js";

const POINTS_PER_DECADE = 16;
const MAXIMUM_DECADES = 5;

/** Percentiles that people ask for by name and that are no power of ten here: 50, 75 and 95. */
const NAMED = [2, 4, 20] as const;

/**
 * Returns the latency distribution for a chart whose x axis is log(1 / (1 - q)), where every further nine is as far as the one
 * before: points that lie evenly on it and the percentiles with a name, from the smallest value to the last quantile that the
 * number of values n supports, 1 - 1/n, or 99.999 %. At most 85 points; empty for an empty histogram. All values but one in `oneIn` are at
 * most `ms`: it is 1 / (1 - q) of the quantile q, 100 for the 99th percentile, 1 for the smallest value.
 */
export function percentileCurve(histogram: LatencyHistogram) {
  if (histogram.totalCount === 0) return [];
  const end = Math.min(histogram.totalCount, 10 ** MAXIMUM_DECADES);
  const even = Array.from(
    { length: MAXIMUM_DECADES * POINTS_PER_DECADE + 1 },
    (_, step) => 10 ** (step / POINTS_PER_DECADE),
  );
  const places = [...new Set([...even, ...NAMED, end])].filter((oneIn) => oneIn <= end).toSorted((a, b) => a - b);
  return places.map((oneIn) => ({ oneIn, ms: percentileMs(histogram, 100 * (1 - 1 / oneIn) * BELOW_ROUNDING) }));
}

/** Ranks are rounded up; without this, what binary arithmetic leaves behind a whole rank would make it the next. */
const BELOW_ROUNDING = 1 - 1e-12;
