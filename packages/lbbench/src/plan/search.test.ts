import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parse-threshold.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Search, SearchOutcome } from "../model/search.js";
import { loadValue } from "../stats/load.js";
import { seededRandom } from "../stats/seeded-random.js";
import { aFailedStep, aLatency, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import { createSearch } from "./search.js";

const SEARCH: Search = {
  by: "connections",
  start: 1,
  growth: 2,
  most: 100_000,
  resolution: 0.02,
  needed: 2,
  beyond: null,
};

function scenarioOf(search: Partial<Search> = {}, overrides: Partial<Scenario> = {}): Scenario {
  const { by, start } = { ...SEARCH, ...search };
  return aScenario({
    levels: [{ [by]: start, durationMs: 3000 }],
    trials: 3,
    thresholds: [parseThreshold("errors<=0")],
    search: { ...SEARCH, ...search },
    ...overrides,
  });
}

/** A step in which so many of 1000 requests fail. */
function stepWith(key: StepKey, failed: number, overrides: Partial<StepResult> = {}): StepResult {
  return aStep({
    ...key,
    measurement: aMeasurement({ requests: { ok: 1000 - failed, non2xx: failed } }),
    ...overrides,
  });
}

interface Ran {
  readonly steps: readonly StepResult[];
  readonly outcomes: readonly SearchOutcome[];
}

function run(scenario: Scenario, measure: (key: StepKey) => StepResult): Ran {
  const planner = createSearch(scenario, scenario.search ?? SEARCH);
  const steps: StepResult[] = [];
  for (let key = planner.next(steps); key !== undefined; key = planner.next(steps)) {
    steps.push(measure(key));
    if (steps.length > 2000) throw new Error("The search does not end");
  }
  return { steps, outcomes: planner.search?.(steps) ?? [] };
}

/** A target that refuses what goes beyond a limit. */
const upTo =
  (limit: number) =>
  (key: StepKey): StepResult =>
    stepWith(key, loadValue(key.level) > limit ? 1 : 0);

const valuesOf = (steps: readonly StepKey[]): readonly number[] => [
  ...new Set(steps.map(({ level }) => loadValue(level))),
];

describe("createSearch", () => {
  it("grows until a level does not hold, then halves the way between", () => {
    const { outcomes, steps } = run(scenarioOf(), upTo(45));
    expect(outcomes).toMatchObject([{ target: "single", by: "connections", status: "found", held: 45, broken: 46 }]);
    expect(valuesOf(steps)).toEqual([1, 2, 4, 8, 16, 32, 64, 48, 40, 44, 46, 45]);
    expect(outcomes[0]?.tried.map(({ value }) => value)).toEqual(valuesOf(steps));
    expect(outcomes[0]?.tried.find(({ value }) => value === 46)).toEqual({
      value: 46,
      decision: "broken",
      held: 0,
      broken: 2,
      unclear: 0,
      because: "errors<=0",
    });
  });

  it.each([1, 2, 3, 7, 33, 64, 100, 1000, 4096, 99_999])("finds the limit %i within the resolution", (limit) => {
    const [outcome] = run(scenarioOf(), upTo(limit)).outcomes;
    const { held, broken } = { held: outcome?.held ?? 0, broken: outcome?.broken ?? 0 };
    expect(outcome?.status).toBe("found");
    expect(held).toBeLessThanOrEqual(limit);
    expect(broken).toBeGreaterThan(limit);
    expect(broken - held).toBeLessThanOrEqual(Math.max(1, 0.02 * held));
  });

  it.each([1, 5, 77, 300])("goes down from a start that does not hold, to the limit %i", (limit) => {
    const [outcome] = run(scenarioOf({ start: 1000 }), upTo(limit)).outcomes;
    expect(outcome?.status).toBe("found");
    expect(outcome?.held).toBeGreaterThan(limit * 0.98 - 1);
    expect(outcome?.held).toBeLessThanOrEqual(limit);
  });

  it("says when not even 1 holds", () => {
    const { outcomes, steps } = run(scenarioOf({ start: 100 }), upTo(0));
    expect(outcomes).toMatchObject([{ status: "nothing-held", held: null, broken: 1 }]);
    expect(valuesOf(steps)).toEqual([100, 50, 25, 12, 6, 3, 1]);
  });

  it("tries no more than the most it may", () => {
    const { outcomes, steps } = run(scenarioOf({ most: 100 }), upTo(1000));
    expect(outcomes).toMatchObject([{ status: "unbounded", held: 100, broken: null }]);
    expect(Math.max(...valuesOf(steps))).toBe(100);
  });

  it("makes no trial that cannot change the decision, and a third where two disagree", () => {
    const { steps } = run(scenarioOf({ most: 8 }), (key) =>
      stepWith(key, loadValue(key.level) === 4 && key.trial === 1 ? 1 : 0),
    );
    expect(steps.map(({ level, trial }) => `${loadValue(level)}/${trial}`)).toEqual(
      "1/1 1/2 2/1 2/2 4/1 4/2 4/3 8/1 8/2".split(" "),
    );
  });

  it("is not led astray by one lucky step, nor by one unlucky step, at any level", () => {
    const honest = run(scenarioOf(), upTo(45)).outcomes[0];
    for (const oddTrial of [1, 2]) {
      const { outcomes } = run(scenarioOf(), (key) =>
        stepWith(key, loadValue(key.level) > 45 === (key.trial !== oddTrial) ? 1 : 0),
      );
      expect(outcomes[0]).toMatchObject({ held: honest?.held, broken: honest?.broken });
    }
  });

  it("asks for every trial to hold where that is needed", () => {
    const { outcomes } = run(scenarioOf({ needed: 3 }), (key) =>
      stepWith(key, loadValue(key.level) > 45 || (loadValue(key.level) > 20 && key.trial === 3) ? 1 : 0),
    );
    expect(outcomes).toMatchObject([{ held: 20, broken: 21 }]);
  });

  it("runs beyond the limit with every trial, and says what came of it", () => {
    const { outcomes, steps } = run(scenarioOf({ beyond: 1.25 }), upTo(100));
    expect(outcomes).toMatchObject([{ held: 100, beyond: { value: 125, decision: "broken", held: 0, broken: 3 } }]);
    expect(steps.slice(-3).map(({ level, trial }) => `${level.connections}/${trial}`)).toEqual([
      "125/1",
      "125/2",
      "125/3",
    ]);
    expect(run(scenarioOf({ beyond: 1.25 }), upTo(0)).outcomes).toMatchObject([{ beyond: null }]);
  });

  it("adds to the trials of a level that it was at before, where that is the one beyond", () => {
    const { steps } = run(scenarioOf({ beyond: 2 }), upTo(1));
    expect(steps.map(({ level, trial }) => `${level.connections}/${trial}`)).toEqual([
      "1/1",
      "1/2",
      "2/1",
      "2/2",
      "2/3",
    ]);
  });

  it("lets targets take turns, and finds the limit of each", () => {
    const targets = ["a", "b"].map((name) => ({ name, server: "single", options: {} }));
    const { outcomes, steps } = run(scenarioOf({}, { targets }), (key) => upTo(key.target === "a" ? 10 : 100)(key));
    expect(outcomes).toMatchObject([
      { target: "a", held: 10 },
      { target: "b", held: 100 },
    ]);
    expect(steps.slice(0, 6).map(({ target }) => target)).toEqual(["a", "b", "a", "b", "a", "b"]);
  });

  it("gives the same step for the same history, whatever its order", () => {
    const scenario = scenarioOf();
    const planner = createSearch(scenario, SEARCH);
    const { steps } = run(scenario, upTo(45));
    for (let length = 0; length < steps.length; length += 1) {
      const { target, level, trial } = steps[length] as StepResult;
      expect(planner.next(steps.slice(0, length).toReversed())).toEqual({ target, level, trial });
    }
  });

  it("takes a step that was interrupted for one that was not made", () => {
    const planner = createSearch(scenarioOf(), SEARCH);
    const aborted = stepWith({ target: "single", level: { connections: 1, durationMs: 3000 }, trial: 1 }, 0, {
      state: "aborted",
    });
    expect(planner.next([aborted])).toEqual(planner.next([]));
    expect(planner.search?.([aborted])).toMatchObject([{ status: "unfinished", held: null }]);
  });

  it("makes a trial that is missing between others", () => {
    const planner = createSearch(scenarioOf(), SEARCH);
    const level = { connections: 1, durationMs: 3000 };
    const first = stepWith({ target: "single", level, trial: 1 }, 0);
    expect(planner.next([first])?.trial).toBe(2);
    expect(planner.next([{ ...first, trial: 2 }])?.trial).toBe(1);
  });

  it("takes the death of a target for a load that it did not hold", () => {
    const { outcomes } = run(scenarioOf(), (key) =>
      loadValue(key.level) > 20 ? aFailedStep({ ...key }) : stepWith(key, 0),
    );
    expect(outcomes).toMatchObject([{ status: "found", held: 20, broken: 21 }]);
  });

  it("ends where the numbers are false", () => {
    const { outcomes } = run(scenarioOf(), (key) =>
      stepWith(key, 0, {
        findings: loadValue(key.level) > 20 ? [{ code: "REQUESTS_LOST", severity: "error", args: {} }] : [],
      }),
    );
    expect(outcomes).toMatchObject([{ status: "unclear", held: 16, broken: null }]);
    expect(outcomes[0]?.tried.at(-1)).toMatchObject({ value: 32, unclear: 3, because: "REQUESTS_LOST" });
  });

  it("does not doubt a level of which one trial is beyond doubt", () => {
    const scenario = scenarioOf({}, { thresholds: [parseThreshold("errors<=0"), parseThreshold("p99<10ms")] });
    const { outcomes } = run(scenario, (key) =>
      aStep({
        ...key,
        measurement: aMeasurement({ latency: aLatency({ p99: loadValue(key.level) }) }),
        findings: key.trial === 1 ? [{ code: "GENERATOR_SATURATED", severity: "warning", args: {} }] : [],
      }),
    );
    expect(outcomes[0]?.tried.filter(({ doubt }) => doubt !== undefined)).toEqual([]);
  });

  it("says when it may not be the target that missed a threshold", () => {
    const scenario = scenarioOf({}, { thresholds: [parseThreshold("errors<=0"), parseThreshold("p99<10ms")] });
    const { outcomes } = run(scenario, (key) =>
      aStep({
        ...key,
        measurement: aMeasurement({ latency: aLatency({ p99: loadValue(key.level) }) }),
        findings: [{ code: "GENERATOR_SATURATED", severity: "warning", args: {} }],
      }),
    );
    expect(outcomes).toMatchObject([{ status: "found", held: 9, broken: 10 }]);
    expect(outcomes[0]?.tried.at(-1)?.doubt ?? outcomes[0]?.tried.find(({ value }) => value === 10)?.doubt).toBe(
      "GENERATOR_SATURATED",
    );
  });
});

/**
 * A pool of `threads` that take `serviceMs` for a request: it answers threads / service a second and queues the rest, of
 * which `queue` may wait. Noise changes its speed from step to step.
 */
function aPool(threads: number, serviceMs: number, queue: number, noise: () => number = () => 1) {
  return (key: StepKey): StepResult => {
    const rate = key.level.rate ?? 0;
    const elapsedMs = key.level.durationMs ?? 0;
    const capacity = (threads / (serviceMs / 1000)) * noise();
    const planned = Math.round((rate * elapsedMs) / 1000);
    const open = Math.min(planned, Math.round((rate * serviceMs) / 1000));
    const excess = Math.max(0, Math.round(((rate - capacity) * elapsedMs) / 1000));
    const waiting = Math.min(excess, queue);
    const refused = excess - waiting;
    return aStep({
      ...key,
      measurement: aMeasurement({
        elapsedMs,
        requests: { ok: planned - open - excess, non2xx: refused, inFlight: open + waiting },
        schedule: { rate, planned, unsent: 0, lateness: { mean: 0, p99: 0, max: 0 } },
        timeline: [{ second: 0, sent: rate, ok: rate, failed: 0, p50: serviceMs, p99: serviceMs }],
      }),
    });
  };
}

describe("createSearch by rate", () => {
  const byRate = scenarioOf({ by: "rate", start: 10, most: 1_000_000 });

  it.each([
    [8, 10, 10],
    [8, 10, 1_000_000],
    [1, 200, 0],
    [1, 200, 1_000_000],
    [64, 5, 100],
    [4, 3, 1_000_000],
    [200, 1, 50],
  ])(
    "finds what a pool of %i threads of %i ms holds within 5 %, with %i places to wait",
    (threads, serviceMs, queue) => {
      const [outcome] = run(byRate, aPool(threads, serviceMs, queue)).outcomes;
      const known = threads / (serviceMs / 1000);
      expect(outcome?.status).toBe("found");
      expect(Math.abs((outcome?.held ?? 0) - known), `${outcome?.held} of ${known}`).toBeLessThanOrEqual(
        Math.max(1, known * 0.05),
      );
    },
  );

  it("finds it within 5 % for a pool whose speed is unsteady", () => {
    const within = Array.from({ length: 200 }, (_, seed) => {
      const random = seededRandom(seed);
      // About normal, with a deviation of 1 %.
      const noise = (): number => 1 + 0.01 * (Array.from({ length: 12 }, random).reduce((a, b) => a + b, 0) - 6);
      const [outcome] = run(byRate, aPool(8, 10, 10, noise)).outcomes;
      return Math.abs((outcome?.held ?? 0) / 800 - 1) <= 0.05;
    });
    expect(within.filter(Boolean).length / within.length).toBeGreaterThan(0.98);
  });

  it("finds it although one step in twenty fails for no reason, where five trials decide", () => {
    const scenario = { ...byRate, trials: 5, search: { ...SEARCH, by: "rate" as const, start: 10, needed: 3 } };
    const within = Array.from({ length: 200 }, (_, seed) => {
      const random = seededRandom(seed);
      const pool = aPool(8, 10, 10);
      const [outcome] = run(scenario, (key) =>
        random() < 0.05 ? aStep({ ...key, measurement: aMeasurement({ requests: { ok: 99, resets: 1 } }) }) : pool(key),
      ).outcomes;
      return Math.abs((outcome?.held ?? 0) / 800 - 1) <= 0.05;
    });
    expect(within.filter(Boolean).length / within.length).toBeGreaterThan(0.95);
  });
});
