import { describe, expect, test } from "vitest";
import { thinTicks, ticksWithin } from "./ticks-within.js";

describe("ticks of a part of an axis", () => {
  test("are those of the whole where they are enough", () => {
    expect(ticksWithin([1, 50, 100, 250, 500], { min: 40, max: 260 }, "linear", 5)).toEqual([50, 100, 250]);
  });

  test("are round numbers where they are not", () => {
    expect(ticksWithin([1, 1000], { min: 199, max: 401 }, "linear", 4)).toEqual([200, 300, 400]);
    expect(ticksWithin([1, 1000], { min: 0.7, max: 30 }, "log", 4)).toEqual([1, 2, 5, 10, 20]);
  });

  test("are those of a linear axis over less than a decade", () => {
    expect(ticksWithin([5, 10], { min: 3.3, max: 13.6 }, "log", 5)).toEqual([5, 7.5, 10, 12.5]);
  });

  test("are there however small the part of a logarithmic axis is", () => {
    const ticks = ticksWithin([1, 1000], { min: 101, max: 104 }, "log", 4);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.every((tick) => tick >= 101 && tick <= 104)).toBe(true);
  });
});

describe("ticks that are too near", () => {
  const at = (...pixels: readonly number[]): Parameters<typeof thinTicks>[0] =>
    pixels.map((pixel) => ({ value: pixel, pixel, width: 20 }));

  test("are left out, the first and the last never", () => {
    expect(thinTicks(at(0, 10, 30, 80, 95, 100), 8)).toEqual([0, 30, 100]);
    expect(thinTicks(at(0, 40, 80), 8)).toEqual([0, 40, 80]);
  });

  test("make room even for the first", () => {
    expect(thinTicks(at(0, 5), 8)).toEqual([0]);
    expect(thinTicks(at(3), 8)).toEqual([3]);
    expect(thinTicks([], 8)).toEqual([]);
  });
});
