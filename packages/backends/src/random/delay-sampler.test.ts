import { describe, expect, it } from "vitest";
import type { Delay } from "../handler-spec.js";
import { delaySampler } from "./delay-sampler.js";
import { seededSource } from "./seeded-source.js";

const SAMPLES = 20_000;

function draw(delay: Delay, seed = 42, worker = 0, count = SAMPLES): number[] {
  const sample = delaySampler(delay, seededSource(seed, worker));
  return Array.from({ length: count }, sample);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const delays: Delay[] = [
  { kind: "uniform", minMs: 5, maxMs: 15 },
  { kind: "exponential", meanMs: 10 },
  { kind: "normal", meanMs: 10, stddevMs: 2 },
];

describe.each(delays)("a delay of kind $kind", (delay) => {
  it("is the same for the same seed and worker", () => {
    expect(draw(delay, 42, 1, 100)).toEqual(draw(delay, 42, 1, 100));
  });

  it("is another for another seed or worker, from the first value on", () => {
    const firsts = [draw(delay, 1, 0, 1), draw(delay, 2, 0, 1), draw(delay, 1, 1, 1), draw(delay, 1, 2, 1)].flat();
    expect(new Set(firsts.map(Math.round)).size).toBeGreaterThan(1);
    expect(new Set(firsts).size).toBe(4);
  });

  it("has the mean that was asked for", () => {
    expect(mean(draw(delay))).toBeCloseTo(10, 0);
  });

  it("is never negative", () => {
    expect(Math.min(...draw(delay))).toBeGreaterThanOrEqual(0);
  });
});

describe("delaySampler", () => {
  it("keeps a uniform delay within its bounds", () => {
    const values = draw({ kind: "uniform", minMs: 5, maxMs: 15 });
    expect(Math.min(...values)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...values)).toBeLessThan(15);
  });

  it("gives 0 where a normal delay would be negative", () => {
    const values = draw({ kind: "normal", meanMs: 0, stddevMs: 10 });
    expect(values.filter((value) => value === 0).length).toBeGreaterThan(SAMPLES / 3);
    expect(Math.min(...values)).toBe(0);
  });

  it("gives 0 for an exponential delay of mean 0", () => {
    expect(draw({ kind: "exponential", meanMs: 0 }, 1, 0, 3)).toEqual([0, 0, 0]);
  });

  it("has the spread of a normal delay", () => {
    const values = draw({ kind: "normal", meanMs: 100, stddevMs: 5 });
    const center = mean(values);
    expect(Math.sqrt(mean(values.map((value) => (value - center) ** 2)))).toBeCloseTo(5, 0);
  });
});

describe("seededSource", () => {
  it("gives unrelated first numbers for seeds that lie close together", () => {
    const firsts = Array.from({ length: 1000 }, (_, seed) => seededSource(seed, 0)());
    expect(mean(firsts)).toBeCloseTo(0.5, 1);
    expect(Math.max(...firsts) - Math.min(...firsts)).toBeGreaterThan(0.95);
  });

  it("stays between 0 and 1 at the ends of the range of seeds", () => {
    for (const seed of [0, 1, 2 ** 31, 2 ** 32 - 1]) {
      const value = seededSource(seed, 0)();
      expect(value >= 0 && value < 1).toBe(true);
    }
  });
});
