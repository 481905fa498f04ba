import { describe, expect, it } from "vitest";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { parseThreshold } from "../config/parse-threshold.js";
import { aFailedStep, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
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
    expect(createFixedSweep(scenarioOf(["a", "b", "c"], [1, 2], 5)).total([])).toBe(30);
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
    expect(createFixedSweep(scenario).total([])).toBe(1);
  });
});

describe("createFixedSweep with stop rules", () => {
  const stopOn = [parseThreshold("errors>10%")];
  const scenario = { ...scenarioOf(["a", "b"], [1, 2, 3, 4], 2), stopOn };

  /** The steps of a sweep in which one in five requests fails where `isBad` says so. */
  function runWith(isBad: (key: StepKey) => boolean, of: Scenario = scenario): readonly StepResult[] {
    const planner = createFixedSweep(of);
    const history: StepResult[] = [];
    for (let key = planner.next(history); key !== undefined; key = planner.next(history)) {
      history.push(aStep({ ...key, measurement: aMeasurement({ requests: { ok: 80, non2xx: isBad(key) ? 20 : 0 } }) }));
    }
    return history;
  }

  const stepsOf = (name: string, history: readonly StepKey[]): readonly string[] =>
    brief(history.filter(({ target }) => target === name));

  it("measures no higher level of a target that met one, in this trial and the next", () => {
    const history = runWith(({ target, level }) => target === "a" && (level.connections ?? 0) >= 2);
    expect(stepsOf("a", history)).toEqual(["1 1 a", "1 2 a", "2 1 a", "2 2 a"]);
    expect(stepsOf("b", history)).toHaveLength(8);
  });

  it("leaves out from then on what met one in a later trial", () => {
    const history = runWith(({ target, level, trial }) => target === "a" && trial === 2 && level.connections === 1);
    expect(stepsOf("a", history)).toEqual(["1 1 a", "1 2 a", "1 3 a", "1 4 a", "2 1 a"]);
  });

  it("measures a lower level that comes later in a random order", () => {
    const history = runWith(({ level }) => (level.connections ?? 0) >= 2, {
      ...scenario,
      order: "random",
      trials: 1,
      targets: scenario.targets.slice(0, 1),
    });
    expect(history.map(({ level }) => level.connections)).toEqual(expect.arrayContaining([1, 2]));
  });

  it("says how many steps are left with what is left out", () => {
    const { total } = createFixedSweep(scenario);
    const history = runWith(({ target, level }) => target === "a" && level.connections === 2);
    expect(total([])).toBe(16);
    expect(total(history.slice(0, 3))).toBe(16);
    expect(total(history.slice(0, 4))).toBe(12);
    expect(total(history)).toBe(history.length);
  });

  it("is not stopped by a step that was interrupted, or that has no measurement", () => {
    const measurement = aMeasurement({ requests: { ok: 1, non2xx: 9 } });
    const key = { target: "a", level: { connections: 1, requests: 1000 } };
    const planner = createFixedSweep(scenario);
    expect(planner.total([aStep({ ...key, state: "aborted", measurement })])).toBe(16);
    expect(planner.total([aFailedStep(key)])).toBe(16);
    expect(planner.total([aStep({ ...key, measurement })])).toBe(10);
  });
});
