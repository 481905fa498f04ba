import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../config/defaults.js";
import { parseThreshold } from "../config/parsers.js";
import { compareWithReference, verdictOf } from "../judge/compare-targets.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { seededRandom } from "../stats/seeded-random.js";
import { addNoise, drawNormal, fewestByChance, mostByChance } from "../stats/test-support/simulated-trials.js";
import { aFailedStep, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import { createPlanner } from "./planner.js";

function scenarioOf(
  targets: string,
  connections: readonly number[],
  trials: number,
  more: Partial<Scenario> = {},
): Scenario {
  return aScenario({
    targets: targets.split("").map((name) => ({ name, server: "single", options: {} })),
    levels: connections.map((count) => ({ connections: count, requests: 1000 })),
    trials,
    ...more,
  });
}

function runAll(
  scenario: Scenario,
  measure: (key: StepKey) => StepResult = (key) => aStep(key),
): readonly StepResult[] {
  const planner = createPlanner(scenario);
  const history: StepResult[] = [];
  for (let key = planner.next(history); key !== undefined; key = planner.next(history)) history.push(measure(key));
  return history;
}

const brief = (steps: readonly StepKey[]): string =>
  steps.map(({ target, level, trial }) => `${trial}${level.connections}${target}`).join(" ");

describe("trials until all is decided", () => {
  const LOOKS = DEFAULTS.sequential;
  interface Sequential extends Partial<Scenario> {
    readonly connections?: readonly number[];
    /** How long a trial takes. */
    readonly secondsEach?: number;
  }
  /** How many trials are made of two targets, of which b makes this part of what a makes, with noise. */
  const trialsMade = (
    factor: number | ((connections: number) => number),
    noise: number,
    { connections = [10, 50], secondsEach = 10, ...more }: Sequential = {},
  ): number => {
    const random = seededRandom(5);
    const scenario = scenarioOf("ab", connections, 20, { reference: "a", sequential: LOOKS, ...more });
    let second = 0;
    const steps = runAll(scenario, (key) => {
      second += secondsEach / 4;
      const part = typeof factor === "number" ? factor : factor(key.level.connections ?? 0);
      const throughput = addNoise(random, key.target === "b" ? 1000 * part : 1000, noise);
      const startedAt = new Date(second * 1000).toISOString();
      return aStep({ ...key, measurement: aMeasurement({ throughput, startedAt, elapsedMs: 500 }) });
    });
    return Math.max(...steps.map(({ trial }) => trial));
  };

  it("are as few as the first look where a difference is clear, or where there is clearly none", () => {
    expect(trialsMade(0.5, 0.05)).toBe(6);
    expect(trialsMade(1, 0.005)).toBe(6);
    expect(trialsMade(0.8, 0.05, { margin: 0.05 })).toBe(6);
    expect(trialsMade(1, 0.01, { margin: 0.05 })).toBe(6);
  });

  it("are more where it is not clear, and no more than the most", () => {
    expect(trialsMade(0.96, 0.05, { margin: 0.05 })).toBe(20);
  });

  it("are as many as the levels above one connection need, whatever one connection tells", () => {
    const half = (connections: number): number => (connections === 1 ? 0.5 : 1);
    expect(trialsMade(half, 0.1, { connections: [1] })).toBe(6);
    expect([0.1, 0.005].map((noise) => trialsMade(half, noise, { connections: [1, 50] }))).toEqual([20, 6]);
    expect([0.1, 0.005].map((noise) => trialsMade(half, noise, { connections: [50, 1] }))).toEqual([20, 6]);
  });

  it("end where the next look would come after the time that there is", () => {
    expect(trialsMade(0.96, 0.05, { margin: 0.05, secondsEach: 20 })).toBe(14);
    expect(trialsMade(0.96, 0.05, { margin: 0.05, secondsEach: 60 })).toBe(6);
  });

  it("do not take the time for that in which the run was interrupted", () => {
    const random = seededRandom(6);
    const at = (second: number): string => new Date(second * 1000).toISOString();
    const history = runAll(scenarioOf("ab", [10], 6)).map((key, index) => {
      const startedAt = at(index < 6 ? index : 3600 + index);
      return aStep({ ...key, measurement: aMeasurement({ throughput: addNoise(random, 1000, 0.1), startedAt }) });
    });
    const scenario = scenarioOf("ab", [10], 20, { reference: "a", sequential: LOOKS });
    expect(createPlanner(scenario).next(history)).toBeUndefined();
    expect(createPlanner(scenario, [at(3600)]).next(history)).toMatchObject({ trial: 7 });
  });

  it("are all planned one by one, and a history that was cut short is gone on with", () => {
    const scenario = scenarioOf("ab", [10], 20, { reference: "a", sequential: LOOKS });
    const planner = createPlanner(scenario);
    expect(planner.total([])).toBe(12);
    expect(planner.next([])).toMatchObject({ target: "a", trial: 1 });
    const history = runAll(scenario);
    expect(planner.next(history.slice(0, 3))).toMatchObject({ trial: 2 });
    expect(planner.total(history)).toBe(history.length);
  });
});

describe("trials until all is decided, of starts whose levels have half of their noise in common", () => {
  /** What is said in the end of two targets, of which b makes this part of what a makes. */
  const say = (factor: number, random: () => number) => {
    const scenario = scenarioOf("ab", [10, 50], 20, { reference: "a", sequential: DEFAULTS.sequential });
    const starts = new Map<string, number>();
    const steps = runAll(scenario, (key) => {
      const start = `${key.trial} ${key.target}`;
      if (!starts.has(start)) starts.set(start, drawNormal(random));
      const drawn = Math.SQRT1_2 * ((starts.get(start) ?? 0) + drawNormal(random));
      const throughput = (key.target === "b" ? 1000 * factor : 1000) * Math.exp(0.05 * drawn);
      return aStep({ ...key, measurement: aMeasurement({ throughput }) });
    });
    const [target] = compareWithReference({ scenario, steps }, null).targets;
    return { target, trials: Math.max(...steps.map(({ trial }) => trial)) };
  };
  const PAIRS = 60;

  it("call equal targets different in at most one run of twenty, over all looks", () => {
    const random = seededRandom(11);
    const said = Array.from({ length: PAIRS }, () => say(1, random).target);
    const claims = said.filter(
      (target) =>
        target?.overall?.verdict !== "~" || target.levels.some(({ throughput }) => verdictOf(throughput) !== "~"),
    );
    expect(claims.length).toBeLessThanOrEqual(mostByChance(PAIRS, 0.05));
  });

  it("find a loss of a tenth in nearly all runs, in half of them after the second look at the latest", () => {
    const random = seededRandom(12);
    const said = Array.from({ length: PAIRS }, () => say(0.9, random));
    const found = said.filter(({ target }) => target?.overall?.verdict === "slower");
    expect(found.length).toBeGreaterThanOrEqual(fewestByChance(PAIRS, 0.95));
    const early = found.filter(({ trials }) => trials <= (DEFAULTS.sequential.looks[1] ?? 0));
    expect(2 * early.length).toBeGreaterThan(PAIRS);
  });
});

describe("a fixed sweep", () => {
  it("interleaves the targets of a level and reverses their order from level to level and trial to trial", () => {
    expect(brief(runAll(scenarioOf("ab", [1, 5], 2)))).toBe("11a 11b 15b 15a 21b 21a 25a 25b");
    // Nothing is drawn.
    expect(runAll(scenarioOf("ab", [1, 5], 2, { seed: 7 }))).toEqual(runAll(scenarioOf("ab", [1, 5], 2)));
  });

  it.each([1, 2, 3, 6])("lets each of two targets go first equally often at each of %i levels", (levels) => {
    const connections = Array.from({ length: levels }, (_, index) => index + 1);
    const steps = runAll(scenarioOf("ab", connections, 4));
    for (const level of connections) {
      const ofLevel = steps.filter((step) => step.level.connections === level);
      expect(ofLevel.filter((step, index) => index % 2 === 0 && step.target === "a")).toHaveLength(2);
    }
  });

  it("goes on from any history, whatever its order, and counts failed steps as done", () => {
    const scenario = scenarioOf("ab", [1, 2], 1);
    const planner = createPlanner(scenario);
    expect(planner.next([])).toEqual(planner.next([]));
    const withoutSecond = runAll(scenario).filter((_, index) => index !== 1);
    expect(planner.next(withoutSecond.toReversed())).toMatchObject({ target: "b", level: { connections: 1 } });
    const failed = aFailedStep({ target: "a", level: { connections: 1, requests: 1000 } });
    expect(planner.next([failed])).toMatchObject({ target: "b" });
  });

  it("measures a level once that was asked for twice, and tells levels apart by their requests", () => {
    expect(createPlanner(scenarioOf("abc", [1, 2], 5)).total([])).toBe(30);
    expect(createPlanner(scenarioOf("a", [5, 5], 1)).total([])).toBe(1);
    expect(runAll(scenarioOf("a", [5, 5], 1))).toHaveLength(1);
    const levels = [100, 1000].map((requests) => ({ connections: 5, requests }));
    expect(runAll(aScenario({ levels })).map(({ level }) => level.requests)).toEqual([100, 1000]);
  });
});

describe("a sweep in a random order", () => {
  const drawn = (seed: number): Scenario => scenarioOf("abcd", [1, 2, 3, 4, 5], 3, { order: "random", seed });
  const random = (seed: number): readonly string[] => brief(runAll(drawn(seed))).split(" ");

  it("has every step once, trial after trial, with the targets of a level next to one another", () => {
    const order = random(7);
    expect(order.toSorted()).toEqual(
      brief(runAll(scenarioOf("abcd", [1, 2, 3, 4, 5], 3)))
        .split(" ")
        .toSorted(),
    );
    expect(order.map((step) => step[0]).join("")).toBe("1".repeat(20) + "2".repeat(20) + "3".repeat(20));
    const places = order.map((step) => step.slice(0, 2));
    expect(places.filter((place, index) => place !== places[index - 1])).toHaveLength(15);
    const levels = ["1", "2", "3"].map((trial) =>
      places.filter((place) => place.startsWith(trial)).map((place) => place[1]),
    );
    const ascending = levels[0]?.toSorted().join();
    expect(new Set([...levels.map((ofTrial) => ofTrial.join()), ascending]).size).toBe(4);
    expect(random(7)).toEqual(order);
    expect(random(8)).not.toEqual(order);
  });

  it("lets every target be first about equally often", () => {
    const firsts = Array.from({ length: 100 }, (_, seed) => createPlanner(drawn(seed)).next([])?.target);
    for (const target of "abcd") {
      const count = firsts.filter((first) => first === target).length;
      expect(count, target).toBeGreaterThanOrEqual(fewestByChance(100, 0.25));
      expect(count, target).toBeLessThanOrEqual(mostByChance(100, 0.25));
    }
  });
});

describe("a sweep with stop rules", () => {
  const scenario = scenarioOf("ab", [1, 2, 3, 4], 2, { stopOn: [parseThreshold("errors>10%")] });
  const key = { target: "a", level: { connections: 1, requests: 1000 } };
  const measurement = aMeasurement({ requests: { ok: 80, non2xx: 20 } });

  /** The steps of a sweep in which one in five requests fails where `isBad` says so. */
  const runWith = (isBad: (key: StepKey) => boolean, of = scenario): readonly StepResult[] =>
    runAll(of, (one) => aStep({ ...one, measurement: isBad(one) ? measurement : aMeasurement() }));
  const stepsOf = (name: string, history: readonly StepKey[]): string =>
    brief(history.filter(({ target }) => target === name));

  it("measures no higher level of a target that met one, in this trial and the next", () => {
    const history = runWith(({ target, level }) => target === "a" && (level.connections ?? 0) >= 2);
    expect(stepsOf("a", history)).toBe("11a 12a 21a 22a");
    expect(stepsOf("b", history).split(" ")).toHaveLength(8);
    const later = runWith(({ target, level, trial }) => target === "a" && trial === 2 && level.connections === 1);
    expect(stepsOf("a", later)).toBe("11a 12a 13a 14a 21a");
  });

  it("measures a lower level that comes later in a random order", () => {
    const alone = { ...scenario, order: "random", trials: 1, targets: scenario.targets.slice(0, 1) } as const;
    const history = runWith(({ level }) => (level.connections ?? 0) >= 2, alone);
    expect(history.map(({ level }) => level.connections)).toEqual(expect.arrayContaining([1, 2]));
  });

  it("says how many steps are left with what is left out", () => {
    const { total } = createPlanner(scenario);
    const history = runWith(({ target, level }) => target === "a" && level.connections === 2);
    expect([[], history.slice(0, 3), history.slice(0, 4), history].map(total)).toEqual([16, 16, 12, history.length]);
    // One that was interrupted, or has no measurement, stops nothing.
    expect(total([aStep({ ...key, state: "aborted", measurement })])).toBe(16);
    expect(total([aFailedStep(key)])).toBe(16);
    expect(total([aStep({ ...key, measurement })])).toBe(10);
  });
});
