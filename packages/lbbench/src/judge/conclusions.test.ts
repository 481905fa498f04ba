import { expect, it } from "vitest";
import type { Result, StepResult } from "../model/result.js";
import { defined } from "../stats/defined.js";
import { doneFault } from "../test-support/faulty-steps.js";
import { aPolicyResult } from "../test-support/policy-results.js";
import { aFaultyResult } from "../report/test-support/fault-results.js";
import { aHeldResult } from "../report/test-support/hold-results.js";
import { aRampResult } from "../report/test-support/ramp-results.js";
import {
  aFailedStep,
  aLatency,
  aMeasurement,
  aResult,
  aScenario,
  aStep,
  aUsage,
  type MeasurementOverrides,
} from "../test-support/fixtures.js";
import type { ConclusionCode } from "./conclusion-rows.js";
import { CONCLUSIONS } from "./findings.js";
import { judgeResult } from "./judge-result.js";
import { aPair, aRun, AT_RATE, changed, remeasured, steady, warned } from "./test-support/compare-samples.js";
import type { RunShape } from "./test-support/compare-samples.js";
import { codesOf, near, type Rule, testRules } from "./test-support/finding-rules.js";

const ANY = expect.any(Number) as number;
const PAIR = { target: "balanced", reference: "single" };
const B_BESIDE_A = { target: "b", reference: "a" };

/** Two targets with six trials of each, of which `b` has these factors of the throughput of `a` by its number of connections. */
function factors(of: Readonly<Record<number, number>>, shape: RunShape = {}): Result {
  return aRun({
    targets: ["a", "b"],
    connections: Object.keys(of).map(Number),
    speed: (trial, connections, target) => steady(target === "b" ? (of[connections] ?? 1) : 1)(trial),
    ...shape,
    scenario: { reference: "a", ...shape.scenario },
  });
}

/** A pair of targets, one of which fails three tenths of its requests. */
const failing = (of: string): Result => factors({ 50: 1 }, { failed: (_, __, target) => (target === of ? 0.3 : 0) });

const SIX = [1, 50, 100, 250, 500, 1000];
/** Of each level one trial goes the other way, and that is another one. */
const scattered = (factor: number) => (trial: number, at: number, target: string) =>
  target === "a" ? 1 : at === 1 || SIX.indexOf(at) === trial ? 1.02 : factor;
const together = factors({ 1: 1, 50: 1, 100: 1, 250: 1, 500: 1, 1000: 1 }, { speed: scattered(0.9) });
/** Each side has its own good and bad trials, which differ by parts of one in so many. */
const uneven = (parts: number) => (trial: number, _: number, target: string) =>
  1 + ((trial * (target === "a" ? 3 : 5)) % 7) / parts;
/** Of b one start came to something. */
const oneOfSix = factors({ 50: 1.3 });
const onlyOnce: Result = {
  ...oneOfSix,
  steps: oneOfSix.steps.filter(({ target, trial }) => target === "a" || trial === 1),
};
/** Faster by a fifth, and dead at 1,000 connections in every trial. */
const died = changed(factors({ 10: 1.2, 50: 1.2, 100: 1.2, 1000: 1 }), (step) => {
  const { target, level, trial } = step;
  return target === "b" && level.connections === 1000
    ? aFailedStep({ target, level, trial, findings: [{ code: "TARGET_DIED", severity: "error", args: {} }] })
    : step;
});
const busy = { code: "MACHINE_SATURATED", severity: "warning", args: {} } as const;
const doubted = aPair(4, warned("MACHINE_SATURATED", "single"));
const stolen = aPair(4, warned("HOST_BUSY", "single", { steal: 0.3 }));
const OPENED = { connections: 50_000, opened: 50_000 };
/** A run of held connections with another step of the second target, of whose connections seven are left. */
function withOther(other: Partial<StepResult>): Result {
  const result = aHeldResult();
  const last = result.steps.findLast(({ target }) => target === "balanced") ?? aStep();
  const { measurement = aMeasurement() } = last;
  const hold = measurement.hold && { ...measurement.hold, alive: 7 };
  return {
    ...result,
    steps: [...result.steps, { ...last, ...other, measurement: { ...measurement, ...defined({ hold }) } }],
  };
}
const doubtedMore = aPair(4, {
  connections: [50, 100],
  findings: (_, connections, target) => (connections === 100 || target === "single" ? [busy] : []),
});

interface AddedShape extends RunShape {
  readonly counts?: Readonly<Record<string, number>>;
}

/** A pair at 500 and 1,000 requests a second, of whose requests this was added to the time of the backend, in ms. */
function adding(ms: (trial: number, target: string) => number, { counts, ...shape }: AddedShape = {}): Result {
  const levels = [500, 1000].map((rate) => ({ rate, durationMs: 10_000 }));
  const run = aPair(1, { ...shape, scenario: { levels, serverTiming: true, ...shape.scenario } });
  return remeasured(run, (_, { trial, target }) => {
    const added = aLatency({ p50: ms(trial, target) });
    return {
      serverTiming: { told: 1000, untold: 0, malformed: 0, negative: 0, ...counts, backend: aLatency(), added },
    };
  });
}
/** A tenth of a ms, of the other one more, and from trial to trial a little more or less. */
const more =
  (factor: number) =>
  (trial: number, target: string): number =>
    steady(target === "single" ? 0.1 : 0.1 * factor)(trial);

const answered = (requests: NonNullable<MeasurementOverrides["requests"]>): StepResult =>
  aStep({ measurement: aMeasurement({ requests }) });
const [GOOD, BAD] = [answered({ ok: 30 }), answered({ ok: 25, resets: 5 })];
/** Steps of one target at 10, 50, 100 and 200 connections. */
function rising(...steps: readonly StepResult[]): Result {
  const levels = [10, 50, 100, 200].map((connections) => ({ connections, requests: 1000 }));
  const placed = steps.map((step, at) => ({ ...step, target: "nginx", level: levels[at] ?? {} }));
  return aResult({ scenario: aScenario({ levels }), steps: placed });
}

/** A second at 100 requests a second, each answered after so many ms, of a target whose backend is busy. */
function atRate(requests: NonNullable<MeasurementOverrides["requests"]>, ms = 50): Result {
  const levels = [{ rate: 100, durationMs: 1000 }];
  const latency = aLatency({ mean: ms });
  const measurement = aMeasurement({ requests, latency, throughput: requests.ok ?? 0, elapsedMs: 1000 });
  const steps = [aStep({ measurement, level: levels[0] ?? {}, usage: aUsage({ bottleneck: "backend" }) })];
  return aResult({ scenario: aScenario({ levels }), steps });
}

const RULES: Readonly<Record<Exclude<ConclusionCode, "WITHIN_NOISE">, Rule<Result>>> = {
  ADDED_TIME: {
    info: {
      "more time than of the reference": [
        { ...PAIR, least: near(0.3105, 4), most: near(0.3105, 4), kind: "rate", levels: "500, 1000", every: 1 },
        adding(more(4)),
      ],
      "less, where few answers did not tell it": [
        { least: near(-0.05175, 4), p: ANY },
        adding(more(0.5), { counts: { untold: 5, negative: 5 } }),
      ],
    },
    silent: {
      "no more than noise": adding((trial, target) => (target === "single" ? 0.1 : 0.1 + ((trial % 2) - 0.4) / 100)),
      "two trials": adding(more(4), { trials: 2 }),
      "what nobody can tell": adding(more(1.001)),
      "a machine that was busy": adding(more(4), { findings: () => [busy] }),
      "answers of which too many told nothing": adding(more(4), { counts: { untold: 20 } }),
      "answers of which too many told what cannot be": adding(more(4), { counts: { negative: 20 } }),
      "a run that was not asked to": remeasured(aPair(1, AT_RATE), () => ({})),
    },
  },
  FASTER: {
    info: {
      "a target with more throughput, from a level on": [
        { ...B_BESIDE_A, metric: "throughput", levels: "50, 100", from: 50, least: near(0.5), most: near(0.7) },
        factors({ 1: 1, 50: 1.5, 100: 1.7 }),
      ],
      "all levels together, and the one whose median goes the other way as the least of them": [
        { together: 3, levels: "50, 100, 250", least: near(-0.06), most: near(0.4) },
        factors(
          { 50: 1, 100: 1, 250: 1 },
          {
            speed: (trial, at, target) =>
              target === "a" ? 1 : at === 50 ? (trial % 3 === 0 ? 1.2 : 0.94) : at === 100 ? 1.02 : 1.4,
          },
        ),
      ],
      "one that is so at every level": [{ every: 1, levels: "1, 50" }, factors({ 1: 1.1, 50: 1.2 })],
      "a single level, with its interval": [{ change: near(1), low: ANY, p: near(1 / 32) }, factors({ 50: 2 })],
      "the levels of the test alone, where the target died at another": [
        { levels: "10, 50, 100", together: 3, least: near(0.2), most: near(0.2) },
        died,
      ],
      "a doubt that explains less": [{ bound: 1, change: near(4 * 0.49 - 1) }, stolen],
      "the mean latency at a rate": [{ metric: "mean" }, aPair(2, AT_RATE)],
    },
    silent: {
      "a target that is as fast": factors({ 50: 1 }),
      "a doubt that may explain it": doubted,
      "a single trial": factors({ 50: 2 }, { trials: 1 }),
    },
  },
  SLOWER: {
    info: {
      "what all levels tell together, by their mean": [
        { target: "b", together: 5, trials: 6, levels: "50, 100, 250, 500, 1000", from: 50, p: near(1 / 32) },
        together,
      ],
      "a level that goes the other way than the others": [
        { levels: "1", change: near(-0.2) },
        factors({ 1: 0.8, 50: 1.5, 100: 1.5 }),
      ],
    },
    silent: { "a single trial": factors({ 50: 0.5 }, { trials: 1 }), "one that is faster": factors({ 50: 2 }) },
  },
  ALIKE: {
    info: {
      "two that differ by less than a twentieth": [
        { ...B_BESIDE_A, levels: "50" },
        factors({ 50: 1 }, { speed: uneven(1000) }),
      ],
      "the same beside one connection, of which nothing more is said": [
        { levels: "50" },
        factors({ 1: 1, 50: 1 }, { speed: uneven(1000) }),
      ],
      "two that differ by less than that on average": [
        { levels: "50, 100", together: 2 },
        factors({ 50: 1, 100: 1 }, { trials: 8, speed: uneven(1000) }),
      ],
    },
    silent: { "trials that vary too much to say so": factors({ 50: 1 }, { speed: uneven(10) }) },
  },
  FAILS_MORE: {
    info: { "a larger share": [{ metric: "errors", levels: "50", least: near(0.3), most: near(0.3) }, failing("b")] },
    silent: { none: factors({ 50: 1 }) },
  },
  FAILS_LESS: {
    info: { "a smaller one": [{ levels: "50" }, failing("a")] },
    silent: { none: factors({ 50: 1 }) },
  },
  CONNECTIONS_HELD: {
    info: {
      "what lived at the highest level, and the memory of a connection in each part": [
        { target: "balanced", ...OPENED, alive: 49_960, lost: 50, balancerBytes: 9000, backendBytes: 500 },
        aHeldResult({ lost: 40 }),
      ],
      "trials that came to their end, beside one in which the target died": [
        { alive: 50_000, lost: 10 },
        withOther({ state: "failed", trial: 2 }),
      ],
      "the highest level that was not cut short": [
        { ...OPENED, alive: 50_000 },
        withOther({ state: "aborted", level: { connections: 90_000, durationMs: 9 } }),
      ],
    },
    silent: { "busy connections": factors({ 50: 2 }) },
  },
  COST_AT_ONE: {
    info: {
      "a longer p50 with one connection": [{ ms: near(0.2416, 4), change: near(0.25) }, factors({ 1: 0.8, 50: 1.5 })],
    },
    silent: {
      "no other level": factors({ 1: 0.8 }),
      "a loss that nobody would notice": factors({ 1: 0.97, 50: 1.5 }),
      "a single trial": factors({ 1: 0.8, 50: 1.5 }, { trials: 1 }),
    },
  },
  UNTESTED: {
    info: {
      "a doubt, with how many trials have it": [{ because: busy.code, trials: 6, of: 12, levels: "50" }, doubted],
      "a doubt of several levels, with the trials of all of them": [
        { because: busy.code, trials: 18, of: 24, levels: "50, 100" },
        doubtedMore,
      ],
      "a level at which the target died, beside what the others tell together": [
        { because: "TARGET_DIED", levels: "1000" },
        died,
      ],
      "what one trial showed": [
        { because: "SINGLE_TRIAL", levels: "100, 250", from: 100, least: near(0.6), most: near(0.9) },
        factors({ 100: 1.6, 250: 1.9, 50: 1.1 }, { trials: 1 }),
      ],
      "trials of which one side has one": [{ because: "TOO_FEW_TRIALS", levels: "50", trialsNeeded: 4 }, onlyOnce],
    },
    silent: { "trials that tell": factors({ 50: 2 }), "trials that do not": factors({ 50: 1 }) },
  },
  PEAK: {
    info: {
      "the level with the most throughput": [
        { target: "nginx", connections: 100, throughput: 900 },
        rising(answered({ ok: 30 }), answered({ ok: 60 }), answered({ ok: 2700 })),
      ],
      "a ramp, with its best second": [{ users: 100, second: 34, atUsers: 36, target: "gRPC" }, aRampResult()],
    },
    silent: { "no measurement": rising(aFailedStep()) },
  },
  BREAKS: {
    info: {
      "failures from a level on, with how many and how, most often first": [
        {
          lastGood: 50,
          firstBad: 100,
          share: near(0.528),
          ways: "unexpected status",
          last: 200,
          lastWays: "resets, unexpected status",
          broken: 1,
        },
        rising(GOOD, GOOD, answered({ ok: 472, non2xx: 528 }), answered({ ok: 700, non2xx: 100, resets: 200 })),
      ],
    },
    silent: {
      "no failure": rising(GOOD, GOOD),
      "failures that come and go": rising(GOOD, BAD, GOOD),
      "failures that a fault of the scenario causes": changed(rising(GOOD, GOOD, BAD, BAD), (step) => ({
        ...step,
        faults: [doneFault("kill", 2000)],
      })),
      "failures at every level": rising(BAD, BAD),
      "failures so few that lower levels may have had none by chance": rising(
        GOOD,
        answered({ ok: 999, non2xx: 1 }),
        answered({ ok: 998, non2xx: 2 }),
      ),
      "a target that died at a lower level": rising(GOOD, aFailedStep(), BAD, BAD),
    },
  },
  FAULTS_COMPARED: {
    info: {
      "what faults cost a single target": [
        { target: "a", lost: 41, sent: 5000, trials: 1 },
        aFaultyResult({ lost: { a: 41 } }),
      ],
      "the target that lost the fewest, as a test tells it": [
        { target: "a", lost: 0, lostIs: "fewest" },
        aFaultyResult({ trials: 6, lost: { a: 0, b: 20, c: 40 } }),
      ],
    },
    silent: { "no fault": factors({ 50: 2 }) },
  },
  POLICIES_COMPARED: {
    info: {
      "the share that a policy answered in time": [
        { target: "random", deadlineMs: 1000, within: 0.9, trials: 1 },
        aPolicyResult({ random: [0.9] }),
      ],
    },
    silent: { "no policies": factors({ 50: 2 }) },
  },
};

testRules(RULES, (result) => judgeResult(result).findings);

it.each([
  [
    "no limit of a rate that was kept up with, but for what was open at the end",
    { ok: 96, inFlight: 4 },
    50,
    undefined,
  ],
  ["the limit of a rate of which a backlog grew", { ok: 60, inFlight: 40 }, 200, "backend"],
  ["the limit of a rate at which requests failed", { ok: 96, resets: 4 }, 50, "backend"],
])("the most that was answered names %s", (_, requests, ms, limit) => {
  const peak = judgeResult(atRate(requests, ms)).findings.find(({ code }) => code === "PEAK");
  expect(peak?.args).toMatchObject({ rate: 100, throughput: requests.ok });
  expect(peak?.args["bottleneck"]).toBe(limit);
});

it("concludes nothing of targets while a run is under way, and all that it says is among the conclusions", () => {
  const concluded = (result: Result): readonly string[] =>
    codesOf(judgeResult(result).findings).filter((code) => CONCLUSIONS.has(code));
  const run = factors({ 1: 0.8, 50: 1.5 });
  expect(concluded(run)).toEqual(["FASTER", "SLOWER", "COST_AT_ONE", "PEAK", "PEAK"]);
  expect(concluded({ ...run, finishedAt: null })).toEqual(["PEAK", "PEAK"]);
});
