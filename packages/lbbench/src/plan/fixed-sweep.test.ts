import { describe, expect, it } from "vitest";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { aFailedStep, aScenario, aStep } from "../test-support/fixtures.js";
import { createFixedSweep } from "./fixed-sweep.js";

function scenarioOf(targets: readonly string[], connections: readonly number[], trials: number): Scenario {
  return aScenario({
    targets: targets.map((name) => ({ name, server: "single", options: {} })),
    levels: connections.map((count) => ({ connections: count, requests: 1000 })),
    trials,
  });
}

function runAll(scenario: Scenario): readonly StepKey[] {
  const planner = createFixedSweep(scenario);
  const history: StepResult[] = [];
  for (let key = planner.next(history); key !== undefined; key = planner.next(history)) {
    history.push(aStep(key));
  }
  return history;
}

function brief(steps: readonly StepKey[]): readonly string[] {
  return steps.map(({ target, level, trial }) => `${trial} ${level.connections} ${target}`);
}

describe("createFixedSweep", () => {
  it("interleaves the targets of a level and reverses their order from level to level and trial to trial", () => {
    expect(brief(runAll(scenarioOf(["a", "b"], [1, 50], 2)))).toEqual([
      "1 1 a",
      "1 1 b",
      "1 50 b",
      "1 50 a",
      "2 1 b",
      "2 1 a",
      "2 50 a",
      "2 50 b",
    ]);
  });

  it.each([1, 2, 3, 6])("lets each of two targets go first equally often at each of %i levels", (levels) => {
    const connections = Array.from({ length: levels }, (_, index) => index + 1);
    const steps = runAll(scenarioOf(["a", "b"], connections, 4));
    for (const level of connections) {
      const ofLevel = steps.filter((step) => step.level.connections === level);
      expect(ofLevel.filter((step, index) => index % 2 === 0 && step.target === "a")).toHaveLength(2);
    }
  });

  it("says how many steps there are", () => {
    expect(createFixedSweep(scenarioOf(["a", "b", "c"], [1, 2], 5)).total).toBe(30);
  });

  it("gives the same step for the same history", () => {
    const planner = createFixedSweep(scenarioOf(["a", "b"], [1, 2], 1));
    expect(planner.next([])).toEqual(planner.next([]));
  });

  it("counts failed steps as done", () => {
    const planner = createFixedSweep(scenarioOf(["a", "b"], [1], 1));
    const failed = aFailedStep({ target: "a", level: { connections: 1, requests: 1000 } });
    expect(planner.next([failed])).toMatchObject({ target: "b" });
  });

  it("goes on from any history, whatever its order", () => {
    const scenario = scenarioOf(["a", "b"], [1, 2], 1);
    const all = runAll(scenario).map((key) => aStep(key));
    const withoutSecond = all.filter((_, index) => index !== 1).toReversed();
    expect(createFixedSweep(scenario).next(withoutSecond)).toMatchObject({ target: "b", level: { connections: 1 } });
  });

  it("tells levels with the same connections apart by their requests", () => {
    const levels = [100, 1000].map((requests) => ({ connections: 5, requests }));
    expect(runAll(aScenario({ levels })).map(({ level }) => level.requests)).toEqual([100, 1000]);
  });

  it("measures a level that was asked for twice once", () => {
    const scenario = scenarioOf(["a"], [5, 5], 1);
    expect(runAll(scenario)).toHaveLength(1);
    expect(createFixedSweep(scenario).total).toBe(1);
  });
});
