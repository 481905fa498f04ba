import { describe, expect, it, vi } from "vitest";
import { pickMany } from "../test-support/pick-many.js";
import { examplePool } from "../testing/example-pool.js";
import { drawByWeight } from "./draw-by-weight.js";
import { random } from "./random.js";

describe("random", () => {
  it("picks alike with the same seed, and otherwise with another", () => {
    const pick = (seed: number) => pickMany(random({ seed }).create(), examplePool([1, 1, 1]), 100).join("");
    expect(pick(0)).toBe(pick(0));
    expect(pick(0)).not.toBe(pick(1));
  });

  it("draws from Math.random without a seed", () => {
    const source = vi.spyOn(Math, "random").mockReturnValueOnce(0).mockReturnValueOnce(0.999);
    try {
      expect(pickMany(random().create(), examplePool([1, 1, 1]), 2)).toEqual(["0", "2"]);
    } finally {
      source.mockRestore();
    }
  });
});

describe("drawByWeight", () => {
  it.each([
    [0, "backend-0"],
    [0.99, "backend-0"],
    [1, "backend-1"],
    [2.99, "backend-1"],
    [3, "backend-2"],
    // What rounding may make of the greatest draw.
    [6, "backend-2"],
  ])("finds at %s of weights 1, 2 and 3 the backend %s", (point, name) => {
    expect(drawByWeight(examplePool([1, 2, 3]), point)?.name).toBe(name);
  });

  it("leaves out the exception and finds nothing where nothing is left", () => {
    const pool = examplePool([1, 2]);
    expect(drawByWeight(pool, 0, pool[0])?.name).toBe("backend-1");
    expect(drawByWeight(pool.slice(0, 1), 0, pool[0])).toBeUndefined();
  });
});
