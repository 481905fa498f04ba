import { describe, expect, it } from "vitest";
import { countEach, pickMany } from "../test-support/pick-many.js";
import { examplePool } from "../testing/example-pool.js";
import { roundRobin } from "./round-robin.js";

describe("roundRobin", () => {
  it("takes the backends in turn, beginning with the first, whatever their weights", () => {
    expect(pickMany(roundRobin().create(), examplePool([1, 5, 2]), 7).join("")).toBe("0120120");
  });

  it("gives each of four backends exactly 2500 of 10 000 requests", () => {
    const picked = pickMany(roundRobin().create(), examplePool([1, 1, 1, 1]), 10_000);
    expect(countEach(picked)).toEqual({ 0: 2500, 1: 2500, 2: 2500, 3: 2500 });
  });

  it("goes past a backend that is not available, and takes it in its turn when it is back", () => {
    const picker = roundRobin().create();
    const pool = examplePool([1, 1, 1, 1]);
    const out = pool.slice(1, 2);
    for (const backend of out) backend.available = false;
    expect(pickMany(picker, pool, 6).join("")).toBe("023023");
    for (const backend of out) backend.available = true;
    expect(pickMany(picker, pool, 5).join("")).toBe("01230");
  });
});
