import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { Finding } from "../model/finding.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Search, SearchOutcome } from "../model/search.js";
import { loadValue } from "../stats/load.js";
import { seededRandom } from "../stats/seeded-random.js";
import { drawNormal, fewestByChance } from "../stats/test-support/simulated-trials.js";
import { aCrew, aFailedStep, aLatency, aMeasurement, aScenario, aStep } from "../test-support/fixtures.js";
import { createPlanner } from "./planner.js";

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
const stepWith = (key: StepKey, failed: number, overrides: Partial<StepResult> = {}): StepResult =>
  aStep({ ...key, measurement: aMeasurement({ requests: { ok: 1000 - failed, non2xx: failed } }), ...overrides });

interface Ran {
  readonly steps: readonly StepResult[];
  readonly outcomes: readonly SearchOutcome[];
}

/** Searches to the end; the bound of its steps never rises, and is what it came to in the end. */
function run(scenario: Scenario, measure: (key: StepKey) => StepResult): Ran {
  const planner = createPlanner(scenario);
  const steps: StepResult[] = [];
  let most = planner.total(steps);
  for (let key = planner.next(steps); key !== undefined; key = planner.next(steps)) {
    steps.push(measure(key));
    const now = planner.total(steps);
    if (now > most || steps.length > now) throw new Error(`Step ${steps.length} of at most ${now}, before ${most}`);
    most = now;
  }
  expect(most).toBe(steps.length);
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
const brief = (steps: readonly StepKey[]): string =>
  steps.map(({ level, trial }) => `${loadValue(level)}/${trial}`).join(" ");

describe("a search", () => {
  it("grows until a level does not hold, then halves the way between", () => {
    const { outcomes, steps } = run(scenarioOf(), upTo(45));
    expect(outcomes).toMatchObject([{ target: "single", by: "connections", status: "found", held: 45, broken: 46 }]);
    expect(valuesOf(steps)).toEqual([1, 2, 4, 8, 16, 32, 64, 48, 40, 44, 46, 45]);
    expect(outcomes[0]?.tried.map(({ value }) => value)).toEqual(valuesOf(steps));
    const broken = { value: 46, decision: "broken", held: 0, broken: 2, unclear: 0, because: "errors<=0" };
    expect(outcomes[0]?.tried).toContainEqual(broken);
  });

  it.each([
    [1, 4096],
    [1, 99_999],
    [1000, 1],
    [1000, 300],
  ])("from %i finds the limit %i within the resolution", (start, limit) => {
    const [{ status, held, broken } = { status: "none" }] = run(scenarioOf({ start }), upTo(limit)).outcomes;
    expect(status).toBe("found");
    expect(held).toBeLessThanOrEqual(limit);
    expect(broken).toBeGreaterThan(limit);
    expect((broken ?? NaN) - (held ?? NaN)).toBeLessThanOrEqual(Math.max(1, 0.02 * (held ?? NaN)));
  });

  it("says when not even 1 holds, and tries no more than the most it may", () => {
    const nothing = run(scenarioOf({ start: 100 }), upTo(0));
    expect(nothing.outcomes).toMatchObject([{ status: "nothing-held", held: null, broken: 1 }]);
    expect(valuesOf(nothing.steps)).toEqual([100, 50, 25, 12, 6, 3, 1]);
    const all = run(scenarioOf({ most: 100 }), upTo(1000));
    expect(all.outcomes).toMatchObject([{ status: "unbounded", held: 100, broken: null }]);
    expect(Math.max(...valuesOf(all.steps))).toBe(100);
  });

  it("makes no trial that cannot change the decision, and a third where two disagree", () => {
    const { steps } = run(scenarioOf({ most: 8 }), (key) =>
      stepWith(key, loadValue(key.level) === 4 && key.trial === 1 ? 1 : 0),
    );
    expect(brief(steps)).toBe("1/1 1/2 2/1 2/2 4/1 4/2 4/3 8/1 8/2");
  });

  it("is not led astray by one odd step at any level, but by one where every trial has to hold", () => {
    for (const oddTrial of [1, 2]) {
      const { outcomes } = run(scenarioOf(), (key) =>
        stepWith(key, loadValue(key.level) > 45 === (key.trial !== oddTrial) ? 1 : 0),
      );
      expect(outcomes).toMatchObject([{ held: 45, broken: 46 }]);
    }
    const strict = run(scenarioOf({ needed: 3 }), (key) =>
      stepWith(key, loadValue(key.level) > 45 || (loadValue(key.level) > 20 && key.trial === 3) ? 1 : 0),
    );
    expect(strict.outcomes).toMatchObject([{ held: 20, broken: 21 }]);
  });

  it("ends where the smallest load did not hold, which with workers is a connection for each", () => {
    const engine = { ...aScenario().engine, workers: aCrew({ count: 4 }) };
    for (const start of [4, 100]) {
      const { outcomes, steps } = run(scenarioOf({ start }, { engine }), upTo(3));
      expect(outcomes).toMatchObject([{ status: "nothing-held", held: null, broken: 4 }]);
      expect(Math.min(...valuesOf(steps))).toBe(4);
    }
  });

  it("runs beyond the limit with every trial, adding to those that are there, and says what came of it", () => {
    const { outcomes, steps } = run(scenarioOf({ beyond: 1.25 }), upTo(100));
    expect(outcomes).toMatchObject([{ held: 100, beyond: { value: 125, decision: "broken", held: 0, broken: 3 } }]);
    expect(brief(steps.slice(-3))).toBe("125/1 125/2 125/3");
    expect(brief(run(scenarioOf({ beyond: 2 }), upTo(1)).steps)).toBe("1/1 1/2 2/1 2/2 2/3");
    expect(run(scenarioOf({ beyond: 1.25 }), upTo(0)).outcomes).toMatchObject([{ beyond: null }]);
    expect(run(scenarioOf({ beyond: 2, most: 110 }), upTo(100)).outcomes).toMatchObject([{ beyond: { value: 110 } }]);
  });

  it("lets targets take turns, and finds the limit of each", () => {
    const targets = ["a", "b"].map((name) => ({ name, server: "single", options: {} }));
    const { outcomes, steps } = run(scenarioOf({}, { targets }), (key) => upTo(key.target === "a" ? 10 : 100)(key));
    expect(outcomes.map(({ target, held }) => [target, held])).toEqual([
      ["a", 10],
      ["b", 100],
    ]);
    expect(steps.slice(0, 6).map(({ target }) => target)).toEqual(["a", "b", "a", "b", "a", "b"]);
  });

  it("gives the same step for the same history, whatever its order, and makes what is missing or was interrupted", () => {
    const planner = createPlanner(scenarioOf());
    const { steps } = run(scenarioOf(), upTo(45));
    for (const [length, { target, level, trial }] of steps.entries()) {
      expect(planner.next(steps.slice(0, length).toReversed())).toEqual({ target, level, trial });
    }
    const first = stepWith({ target: "single", level: { connections: 1, durationMs: 3000 }, trial: 1 }, 0);
    expect(planner.next([{ ...first, trial: 2 }])?.trial).toBe(1);
    const aborted = { ...first, state: "aborted" } as const;
    expect(planner.next([aborted])).toEqual(planner.next([]));
    expect(planner.search?.([aborted])).toMatchObject([{ status: "unfinished", held: null }]);
  });

  it("takes the death of a target for a load that it did not hold, and ends where the numbers are false", () => {
    const dying = run(scenarioOf(), (key) => (loadValue(key.level) > 20 ? aFailedStep({ ...key }) : stepWith(key, 0)));
    expect(dying.outcomes).toMatchObject([{ status: "found", held: 20, broken: 21 }]);
    const lost: readonly Finding[] = [{ code: "REQUESTS_LOST", severity: "error", args: {} }];
    const { outcomes } = run(scenarioOf(), (key) =>
      stepWith(key, 0, { findings: loadValue(key.level) > 20 ? lost : [] }),
    );
    expect(outcomes).toMatchObject([{ status: "unclear", held: 16, broken: null }]);
    expect(outcomes[0]?.tried.at(-1)).toMatchObject({ value: 32, unclear: 3, because: "REQUESTS_LOST" });
  });

  it("says when it may not be the target that missed a threshold, unless one trial is beyond doubt", () => {
    const scenario = scenarioOf({}, { thresholds: ["errors<=0", "p99<10ms"].map(parseThreshold) });
    const doubts = (isDoubtful: (trial: number) => boolean): readonly unknown[] => {
      const { outcomes } = run(scenario, (key) =>
        aStep({
          ...key,
          measurement: aMeasurement({ latency: aLatency({ p99: loadValue(key.level) }) }),
          findings: isDoubtful(key.trial) ? [{ code: "GENERATOR_SATURATED", severity: "warning", args: {} }] : [],
        }),
      );
      expect(outcomes).toMatchObject([{ status: "found", held: 9, broken: 10 }]);
      return (outcomes[0]?.tried ?? []).flatMap(({ value, doubt }) => (value === 10 ? [doubt] : []));
    };
    expect(doubts(() => true)).toEqual(["GENERATOR_SATURATED"]);
    expect(doubts((trial) => trial === 1)).toEqual([undefined]);
  });
});

describe("a search by rate", () => {
  const ROUNDS = 40;
  const CAPACITY = 800;
  type Measure = (key: StepKey, random: () => number) => StepResult;

  /** A pool that takes 10 ms for a request and queues what is too much; noise changes its speed from step to step. */
  function aPool(key: StepKey, noise = 0): StepResult {
    const { rate = 0, durationMs: elapsedMs = 0 } = key.level;
    const inTime = (perSecond: number): number => Math.round((perSecond * elapsedMs) / 1000);
    const planned = inTime(rate);
    const inFlight = Math.round(rate / 100) + Math.max(0, inTime(rate - CAPACITY * (1 + noise)));
    const measurement = aMeasurement({
      elapsedMs,
      requests: { ok: planned - inFlight, inFlight },
      schedule: { rate, planned, unsent: 0, lateness: { mean: 0, p99: 0, max: 0 } },
      timeline: [{ second: 0, sent: rate, ok: rate, failed: 0, p50: 10, p99: 10 }],
    });
    return aStep({ ...key, measurement });
  }
  const odd = aMeasurement({ requests: { ok: 99, resets: 1 } });
  const five = scenarioOf({ by: "rate", start: 10, needed: 3 }, { trials: 5 });

  it.each<[string, Scenario, number, Measure]>([
    [
      "whose speed varies by 1 % from step to step",
      scenarioOf({ by: "rate", start: 10 }),
      0.99,
      (key, random) => aPool(key, 0.01 * drawNormal(random)),
    ],
    [
      "one step in twenty of which fails for no reason, where five trials decide",
      five,
      0.97,
      (key, random) => (random() < 0.05 ? aStep({ ...key, measurement: odd }) : aPool(key)),
    ],
  ])("finds within 5 %% what a pool holds %s", (_, scenario, probability, measure) => {
    const found = Array.from({ length: ROUNDS }, (_, seed) => {
      const random = seededRandom(seed);
      return run(scenario, (key) => measure(key, random)).outcomes[0];
    }).filter((outcome) => outcome?.status === "found" && Math.abs((outcome.held ?? 0) / CAPACITY - 1) <= 0.05);
    expect(found.length).toBeGreaterThanOrEqual(fewestByChance(ROUNDS, probability));
  });
});
