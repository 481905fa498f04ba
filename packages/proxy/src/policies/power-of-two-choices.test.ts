import { describe, expect, it } from "vitest";
import { countEach, pickMany } from "../test-support/pick-many.js";
import { examplePool } from "../testing/example-pool.js";
import { powerOfTwoChoices } from "./power-of-two-choices.js";

function loadedPool(weights: readonly number[], inFlight: readonly number[]) {
  const pool = examplePool(weights);
  for (const [index, backend] of pool.entries()) backend.inFlight = inFlight[index] ?? 0;
  return pool;
}

describe("powerOfTwoChoices", () => {
  it("takes the less loaded of two", () => {
    const pool = loadedPool([1, 1], [5, 1]);
    expect(countEach(pickMany(powerOfTwoChoices().create(), pool, 200))).toEqual({ 1: 200 });
  });

  it("compares what is in flight with the weight", () => {
    const pool = loadedPool([4, 1], [4, 2]);
    expect(countEach(pickMany(powerOfTwoChoices().create(), pool, 200))).toEqual({ 0: 200 });
  });

  it("draws two different ones, so that the most loaded is never picked", () => {
    const counts = countEach(pickMany(powerOfTwoChoices({ seed: 1 }).create(), loadedPool([1, 1, 1], [9, 5, 0]), 3000));
    // The idle one is in two of the three pairs.
    expect(Object.keys(counts)).toEqual(["1", "2"]);
    expect(Math.abs((counts[2] ?? 0) - 2000)).toBeLessThan(130);
  });

  it("does not draw a backend that is not available, however idle", () => {
    const pool = loadedPool([1, 1, 1], [3, 0, 2]);
    for (const backend of pool.slice(1, 2)) backend.available = false;
    expect(countEach(pickMany(powerOfTwoChoices().create(), pool, 200))).toEqual({ 2: 200 });
  });

  it("picks alike with the same seed, and otherwise with another", () => {
    const pick = (seed: number) => pickMany(powerOfTwoChoices({ seed }).create(), examplePool([1, 1, 1]), 100).join("");
    expect(pick(7)).toBe(pick(7));
    expect(pick(7)).not.toBe(pick(8));
  });
});
