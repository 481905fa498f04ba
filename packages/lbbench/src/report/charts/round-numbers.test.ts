import { describe, expect, test } from "vitest";
import { linearTicks, logTicks } from "./round-numbers.js";

describe("linearTicks", () => {
  test.each([
    [0, 8, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [10_564, 8, [0, 2000, 4000, 6000, 8000, 10_000, 12_000]],
    [100, 4, [0, 25, 50, 75, 100]],
    [0.3, 4, [0, 0.1, 0.2, 0.3]],
    [8, 8, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ])("up to %d in %d steps at most", (largest, most, ticks) => {
    expect(linearTicks(largest, most)).toEqual({ min: 0, max: ticks.at(-1), ticks });
  });
});

describe("linearTicks below zero", () => {
  test.each([
    [34.6, 4, -25.2, [-40, -20, 0, 20, 40]],
    [0, 4, -51, [-60, -40, -20, 0]],
    [100, 8, -3, [-20, 0, 20, 40, 60, 80, 100]],
  ])("up to %d in %d steps or one more, from %d", (largest, most, smallest, ticks) => {
    expect(linearTicks(largest, most, smallest)).toEqual({ min: ticks[0], max: ticks.at(-1), ticks });
  });
});

describe("logTicks", () => {
  test("stand at 1, 2 and 5 times powers of ten", () => {
    expect(logTicks(1.3, 379)).toEqual({ min: 1, max: 500, ticks: [1, 2, 5, 10, 20, 50, 100, 200, 500] });
  });

  test("stand at powers of ten over many decades, and at the ends where there is room", () => {
    expect(logTicks(0.02, 17_000)).toEqual({ min: 0.02, max: 20_000, ticks: [0.02, 0.1, 1, 10, 100, 1000, 10_000] });
    expect(logTicks(0.05, 27_000)).toEqual({ min: 0.05, max: 50_000, ticks: [0.1, 1, 10, 100, 1000, 10_000, 50_000] });
  });

  test("enclose a single value", () => {
    const { min, max } = logTicks(3, 3);
    expect([min, max]).toEqual([2, 5]);
  });
});
