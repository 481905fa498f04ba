import { describe, expect, it } from "vitest";
import { aScenario } from "../test-support/fixtures.js";
import { orderSteps } from "./order-steps.js";

const TARGETS = ["a", "b", "c", "d"];
const CONNECTIONS = [1, 2, 3, 4, 5];
const TRIALS = 3;

function orderOf(order: "interleaved" | "random", seed: number): readonly string[] {
  const scenario = aScenario({
    targets: TARGETS.map((name) => ({ name, server: "single", options: {} })),
    levels: CONNECTIONS.map((connections) => ({ connections, durationMs: 1000 })),
    trials: TRIALS,
    order,
    seed,
  });
  return orderSteps(scenario).map(({ target, level, trial }) => `${trial} ${level.connections} ${target}`);
}

describe("orderSteps in a random order", () => {
  it("has every step once, trial after trial, with the targets of a level next to one another", () => {
    const order = orderOf("random", 7);
    expect(order.toSorted()).toEqual(orderOf("interleaved", 7).toSorted());
    expect(order.map((step) => step.slice(0, 1)).join("")).toBe("1".repeat(20) + "2".repeat(20) + "3".repeat(20));
    const placesOf = order.map((step) => step.slice(0, 3));
    expect(placesOf.filter((place, index) => place !== placesOf[index - 1])).toHaveLength(TRIALS * CONNECTIONS.length);
  });

  it("is the same for the same seed, and another for another", () => {
    expect(orderOf("random", 7)).toEqual(orderOf("random", 7));
    expect(orderOf("random", 7)).not.toEqual(orderOf("random", 8));
  });

  it("shuffles the levels of every trial, and the targets of every level, each in its own way", () => {
    const order = orderOf("random", 7);
    const levelsOf = (trial: number): string =>
      [...new Set(order.filter((step) => step.startsWith(`${trial} `)).map((step) => step.slice(2, 3)))].join("");
    expect(new Set([levelsOf(1), levelsOf(2), levelsOf(3), "12345"]).size).toBe(4);
    const targetsAt = CONNECTIONS.map((level) =>
      order
        .filter((step) => step.startsWith(`1 ${level} `))
        .map((step) => step.at(-1))
        .join(""),
    );
    expect(new Set(targetsAt).size).toBeGreaterThan(3);
  });

  it("lets every target be first about equally often", () => {
    const firsts = Array.from({ length: 200 }, (_, seed) => orderOf("random", seed)[0]?.at(-1));
    for (const target of TARGETS) {
      const share = firsts.filter((first) => first === target).length / firsts.length;
      expect(share, target).toBeGreaterThan(0.15);
      expect(share, target).toBeLessThan(0.35);
    }
  });
});

it("pays no heed to the seed where nothing is drawn", () => {
  expect(orderOf("interleaved", 1)).toEqual(orderOf("interleaved", 2));
});
