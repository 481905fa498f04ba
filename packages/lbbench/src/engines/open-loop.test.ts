import { describe, expect, it } from "vitest";
import { createSchedule, type Schedule } from "./open-loop.js";

function dues(options: Schedule): readonly number[] {
  return [...createSchedule(options)];
}

const UNIFORM = { spacing: "uniform", seed: 1 } as const;
const POISSON = { spacing: "poisson", seed: 1 } as const;

describe("createSchedule", () => {
  it("puts uniform requests 1 / rate apart from the very start, without drift", () => {
    expect(dues({ ...UNIFORM, rate: 4, requests: 5 })).toEqual([0, 250_000, 500_000, 750_000, 1_000_000]);
    const last = dues({ ...UNIFORM, rate: 3, requests: 300_001 }).at(-1);
    expect(last).toBe(100_000 * 1e6);
  });

  it("has as many uniform requests as are due before the time is over", () => {
    expect(dues({ ...UNIFORM, rate: 100, durationMs: 2000 })).toHaveLength(200);
    expect(dues({ ...UNIFORM, rate: 2.5, durationMs: 2000 })).toEqual([0, 4e5, 8e5, 12e5, 16e5]);
    expect(dues({ ...UNIFORM, rate: 0.1, durationMs: 2000 })).toEqual([0]);
  });

  it("draws Poisson gaps of the right mean and the right spread", () => {
    const all = dues({ ...POISSON, rate: 1000, requests: 50_000 });
    const gaps = all.map((due, index) => due - (all[index - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    // Of an exponential distribution: the mean is the standard deviation; the share of gaps beyond the mean is 1 / e.
    expect(mean).toBeGreaterThan(985);
    expect(mean).toBeLessThan(1015);
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
    expect(gaps.filter((gap) => gap > mean).length / gaps.length).toBeCloseTo(Math.exp(-1), 2);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  });

  it("gives the same Poisson schedule for the same seed, and another for another", () => {
    const options = { ...POISSON, rate: 10, requests: 20 };
    expect(dues(options)).toEqual(dues(options));
    expect(dues({ ...options, seed: 2 })).not.toEqual(dues(options));
  });

  it.each([UNIFORM, POISSON])("is whole when its shares are taken together: $spacing", (arrival) => {
    for (const end of [{ requests: 101 }, { durationMs: 3000 }]) {
      const whole = dues({ ...arrival, rate: 33, ...end });
      for (const of of [1, 2, 3, 7]) {
        const parts = Array.from({ length: of }, (_, index) =>
          dues({ ...arrival, rate: 33, ...end, place: { index, of } }),
        );
        expect(parts.flat().toSorted((a, b) => a - b)).toEqual(whole);
        const sizes = parts.map((part) => part.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }
    }
  });
});
