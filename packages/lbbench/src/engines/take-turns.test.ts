import { describe, expect, it } from "vitest";
import { seededRandom } from "../stats/seeded-random.js";
import { takeTurns } from "./take-turns.js";

function turnsOf(weights: readonly number[], count: number): readonly number[] {
  const next = takeTurns(weights);
  return Array.from({ length: count }, next);
}

/** By how many turns an entry was ever ahead of its share or behind it. */
function farthestOff(weights: readonly number[], count: number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const taken = weights.map(() => 0);
  let farthest = 0;
  for (const [turn, chosen] of turnsOf(weights, count).entries()) {
    taken[chosen] = (taken[chosen] ?? 0) + 1;
    for (const [index, weight] of weights.entries()) {
      farthest = Math.max(farthest, Math.abs((taken[index] ?? 0) - ((turn + 1) * weight) / total));
    }
  }
  return farthest;
}

describe("takeTurns", () => {
  it("goes round where all weigh the same", () => {
    expect(turnsOf([1, 1, 1], 7)).toEqual([0, 1, 2, 0, 1, 2, 0]);
  });

  it("spreads the turns of each evenly, in the same order every time", () => {
    expect(turnsOf([5, 1, 1], 14)).toEqual([0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 2]);
    expect(turnsOf([8, 1, 1], 40)).toEqual(turnsOf([8, 1, 1], 40));
  });

  it("gives all turns to one that is alone", () => {
    expect(turnsOf([0.3], 3)).toEqual([0, 0, 0]);
  });

  it("never has any entry a whole turn ahead of its share or behind it, whatever the whole weights", () => {
    const random = seededRandom(7);
    for (let round = 0; round < 300; round += 1) {
      const weights = Array.from({ length: 1 + Math.floor(random() * 20) }, () => Math.ceil(random() ** 4 * 1000));
      expect(farthestOff(weights, 2000), weights.join(",")).toBeLessThan(1);
    }
  });

  it("keeps to that with weights that are not whole, but for rounding", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 100; round += 1) {
      const weights = Array.from({ length: 2 + Math.floor(random() * 9) }, () => Math.max(1e-6, random() ** 5));
      expect(farthestOff(weights, 2000), weights.join(",")).toBeLessThan(1 + 1e-9);
    }
    expect(farthestOff([0.1, 0.2, 0.7], 10_000)).toBeLessThan(1 + 1e-9);
  });

  it("gives an entry exactly its turns whenever its share is a whole number", () => {
    const turns = turnsOf([7, 2, 1], 1000);
    expect([0, 1, 2].map((entry) => turns.filter((one) => one === entry).length)).toEqual([700, 200, 100]);
  });
});
