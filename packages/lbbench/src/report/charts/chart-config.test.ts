import { describe, expect, it } from "vitest";
import { linearTicks, logTicks, thinTicks } from "./axes.js";
import { percentileAxis, percentileName } from "./latency-charts.js";
import { colorAt, markerAt, PALETTE } from "./picture-style.js";

describe("axes", () => {
  it.each([
    [0, 8, 0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [10_564, 8, 0, [0, 2000, 4000, 6000, 8000, 10_000, 12_000]],
    [0.3, 4, 0, [0, 0.1, 0.2, 0.3]],
    [34.6, 4, -25.2, [-40, -20, 0, 20, 40]],
  ])("up to %d in about %d steps, from %d, have round ticks", (largest, most, smallest, ticks) => {
    expect(linearTicks(largest, most, smallest)).toEqual({ min: ticks[0], max: ticks.at(-1), ticks });
  });

  it.each([
    [1.3, 379, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
    [0.02, 17_000, [0.02, 0.1, 1, 10, 100, 1000, 10_000]],
    [3, 3, [2, 5]],
  ])("that are logarithmic have round ticks around %d to %d", (smallest, largest, ticks) => {
    const { min, max, ticks: own } = logTicks(smallest, largest);
    expect(own.filter((tick) => ticks.includes(tick))).toEqual(ticks);
    expect(min <= smallest && largest <= max).toBe(true);
  });

  it("leave out ticks that are too near, the last but never both ends", () => {
    const at = (...pixels: readonly number[]) => pixels.map((pixel) => ({ value: pixel, pixel, width: 20 }));
    expect(thinTicks(at(0, 10, 30, 80, 95, 100), 8)).toEqual([0, 30, 100]);
    expect([thinTicks(at(0, 5), 8), thinTicks([], 8)]).toEqual([[0], []]);
  });

  it("of percentiles name as many nines as there are, and no tick beyond the end", () => {
    expect([1, 2, 20, 1000, 15_000].map(percentileName)).toEqual(["0 %", "50 %", "95 %", "99.9 %", "99.99333 %"]);
    expect(percentileAxis(9999)).toMatchObject({ ticks: [1, 2, 10, 100, 1000], end: 9999 });
  });
});

it("series have both colour and marker in common with none of 63 others", () => {
  const looks = Array.from({ length: 64 }, (_, index) => `${colorAt(index, PALETTE)} ${markerAt(index)}`);
  expect(new Set(looks).size).toBe(64);
});
