import { describe, expect, it } from "vitest";
import { countEach, pickMany } from "../test-support/pick-many.js";
import { examplePool } from "../testing/example-pool.js";
import { weightedRoundRobin } from "./weighted-round-robin.js";

describe("weightedRoundRobin", () => {
  it("spreads weights 5, 1 and 1 over time as nginx does", () => {
    expect(pickMany(weightedRoundRobin().create(), examplePool([5, 1, 1]), 14).join("")).toBe("00102000010200");
  });

  it("is a plain round robin when all weights are the same", () => {
    expect(pickMany(weightedRoundRobin().create(), examplePool([2, 2, 2]), 7).join("")).toBe("0120120");
  });

  it("takes weights that are no whole numbers", () => {
    const picked = pickMany(weightedRoundRobin().create(), examplePool([0.5, 1.5]), 4000);
    expect(countEach(picked)).toEqual({ 0: 1000, 1: 3000 });
  });

  it("is never more than one request away from a backend's share", () => {
    const weights = [7, 3, 2, 1];
    const counts = [0, 0, 0, 0];
    for (const [index, name] of pickMany(weightedRoundRobin().create(), examplePool(weights), 1300).entries()) {
      counts[Number(name)] = (counts[Number(name)] ?? 0) + 1;
      for (const [backend, weight] of weights.entries()) {
        expect(Math.abs((counts[backend] ?? 0) - ((index + 1) * weight) / 13)).toBeLessThan(1);
      }
    }
  });

  it("follows a weight that changes", () => {
    const picker = weightedRoundRobin().create();
    const pool = examplePool([1, 1]);
    pickMany(picker, pool, 10);
    for (const backend of pool.slice(0, 1)) backend.weight = 3;
    expect(countEach(pickMany(picker, pool, 400))).toEqual({ 0: 300, 1: 100 });
  });

  it("keeps what is due to each backend when the list changes its order or gets longer", () => {
    const picker = weightedRoundRobin().create();
    const pool = examplePool([1, 1, 1]);
    expect(pickMany(picker, pool, 1)).toEqual(["0"]);
    expect(pickMany(picker, pool.toReversed(), 1)).toEqual(["2"]);
    expect(pickMany(picker, [...pool, ...examplePool([1, 1, 1, 1]).slice(3)], 1)).toEqual(["1"]);
  });
});
