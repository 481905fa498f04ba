import { describe, expect, it } from "vitest";
import { delaySampler, seededSource, type Delay } from "./costs.js";

const SAMPLES = 20_000;

function draw(delay: Delay, seed = 42, worker = 0, count = SAMPLES): number[] {
  const sample = delaySampler(delay, seededSource(seed, worker));
  return Array.from({ length: count }, sample);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe.each<[string, Delay, mean: number, smallest: number, largest: number]>([
  ["uniform", { kind: "uniform", minMs: 5, maxMs: 15 }, 10, 5, 15],
  ["exponential", { kind: "exponential", meanMs: 10 }, 10, 0, Infinity],
  ["normal", { kind: "normal", meanMs: 10, stddevMs: 2 }, 10, 0, Infinity],
  ["normal that would be negative half of the time", { kind: "normal", meanMs: 0, stddevMs: 10 }, 4, 0, Infinity],
])("a delay that is %s", (_, delay, expected, smallest, largest) => {
  it("has the mean and the bounds that were asked for", () => {
    const values = draw(delay);
    expect(mean(values)).toBeCloseTo(expected, 0);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(smallest);
    expect(Math.max(...values)).toBeLessThan(largest);
  });

  it("is the same for the same seed and worker, and another for another from the first value on", () => {
    expect(draw(delay, 42, 1, 100)).toEqual(draw(delay, 42, 1, 100));
    const first = (seed: number, worker: number): string => draw(delay, seed, worker, 3).join();
    expect(new Set([first(1, 0), first(2, 0), first(1, 1), first(1, 2)]).size).toBe(4);
  });
});

it("a normal delay has its spread, and an exponential one of mean 0 is 0", () => {
  const values = draw({ kind: "normal", meanMs: 100, stddevMs: 5 });
  const center = mean(values);
  expect(Math.sqrt(mean(values.map((value) => (value - center) ** 2)))).toBeCloseTo(5, 0);
  expect(draw({ kind: "exponential", meanMs: 0 }, 1, 0, 3)).toEqual([0, 0, 0]);
});

it("seeds that lie close together give unrelated first numbers, all of them between 0 and 1", () => {
  const firsts = Array.from({ length: 1000 }, (_, seed) => seededSource(seed, 0)());
  expect(mean(firsts)).toBeCloseTo(0.5, 1);
  expect(Math.max(...firsts) - Math.min(...firsts)).toBeGreaterThan(0.95);
  const all = [...firsts, ...[2 ** 31, 2 ** 32 - 1].map((seed) => seededSource(seed, 0)())];
  expect(all.every((value) => value >= 0 && value < 1)).toBe(true);
});
