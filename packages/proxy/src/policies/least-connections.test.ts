import { describe, expect, it } from "vitest";
import { countEach, pickMany } from "../test-support/pick-many.js";
import { examplePool, exampleRequest } from "../testing/example-pool.js";
import { leastConnections } from "./least-connections.js";

function loadedPool(...loads: readonly [inFlight: number, weight: number][]) {
  const pool = examplePool(loads.map(([, weight]) => weight));
  for (const [index, backend] of pool.entries()) backend.inFlight = loads[index]?.[0] ?? 0;
  return pool;
}

describe("leastConnections", () => {
  it("takes the backend with the least in flight", () => {
    const pool = loadedPool([3, 1], [1, 1], [2, 1]);
    expect(countEach(pickMany(leastConnections().create(), pool, 50))).toEqual({ 1: 50 });
  });

  it("compares what is in flight with the weight", () => {
    const pool = loadedPool([3, 1], [8, 4], [5, 2]);
    expect(countEach(pickMany(leastConnections().create(), pool, 50))).toEqual({ 1: 50 });
  });

  it("draws among equals, and among them only", () => {
    const counts = countEach(
      pickMany(leastConnections({ seed: 1 }).create(), loadedPool([2, 1], [9, 1], [2, 1]), 1000),
    );
    expect(Object.keys(counts)).toEqual(["0", "2"]);
    expect(Math.abs((counts[0] ?? 0) - 500)).toBeLessThan(80);
  });

  it("draws among equals by weight", () => {
    const counts = countEach(pickMany(leastConnections({ seed: 1 }).create(), loadedPool([1, 1], [3, 3]), 1000));
    expect(Math.abs((counts[1] ?? 0) - 750)).toBeLessThan(70);
  });

  it("keeps what is in flight in proportion to weight", () => {
    const picker = leastConnections({ seed: 1 }).create();
    const pool = examplePool([1, 2, 3]);
    for (let index = 0; index < 60; index++) {
      const picked = picker.pick(pool, exampleRequest(index));
      for (const backend of pool) if (backend === picked) backend.inFlight += 1;
    }
    expect(pool.map(({ inFlight }) => inFlight)).toEqual([10, 20, 30]);
  });

  it("picks alike with the same seed, and otherwise with another", () => {
    const pick = (seed: number) => pickMany(leastConnections({ seed }).create(), examplePool([1, 1, 1]), 100).join("");
    expect(pick(7)).toBe(pick(7));
    expect(pick(7)).not.toBe(pick(8));
  });
});
