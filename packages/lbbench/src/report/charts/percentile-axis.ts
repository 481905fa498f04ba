import type { ChartAxis } from "./chart-definition.js";

/** Returns an axis of percentiles on which every further nine is as far as the one before, up to `end` (one in so many). */
export function percentileAxis(end: number): ChartAxis {
  const ticks = [1, 2, ...Array.from({ length: Math.max(0, nines(end)) }, (_, index) => 10 ** (index + 1))];
  return {
    label: "percentile of ok responses (log scale)",
    scale: "log",
    ticks,
    labels: ticks.map(percentileName),
    end,
  };
}

/** Names the percentile that all values but one in `oneIn` do not exceed: `0 %`, `50 %`, `99.9 %`. */
export function percentileName(oneIn: number): string {
  // As many decimals as tell it from its neighbours.
  const decimals = Math.ceil(Math.log10(oneIn));
  return `${Number((100 * (1 - 1 / oneIn)).toFixed(decimals))} %`;
}

/** Returns how many nines the last percentile that ends in nines has: 3 for one in 5 000. */
export function nines(oneIn: number): number {
  return Math.floor(Math.log10(oneIn));
}
