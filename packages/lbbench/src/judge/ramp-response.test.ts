import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { seededRandom } from "../stats/seeded-random.js";
import { drawNormal, mostByChance } from "../stats/test-support/simulated-trials.js";
import { doneFault } from "../test-support/faulty-steps.js";
import { aMeasurement, aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import type { RampShape } from "../test-support/ramps.js";
import { judgeResult } from "./judge-result.js";
import { argsOf, codesOf, near, responsesTo } from "./test-support/finding-rules.js";

type At = RampShape["at"];

const FALLS: readonly string[] = ["CLIFF", "DEGRADES", "SHEDS"];

const respond = (steps: StepResult | readonly StepResult[], scenario: Partial<Scenario> = {}) =>
  responsesTo(aRampScenario({ trials: 3, ...scenario }), [steps].flat());

const DROPPED = { failure: "dropped" } as const;
/** Each user gets 50 answers a second, with any number of others. */
const endless: At = (users) => ({ ok: users * 50 });
/** 40 threads of 20 ms. */
const pool: At = (users) => ({ ok: Math.min(users, 40) * 50 });
/** From 63 users on, who are there in second 62, all are refused, which is quicker than an answer. */
const cliff: At = (users) => (users >= 63 ? { ok: 0, failed: 3500, failure: "connectErrors" } : pool(users, 0));
/** Nine tenths of its best with 51 users, without a bend. */
const gradual: At = (users) => ({ ok: 2000 * (1 - Math.exp(-users / 22)) });
/** Like the pool, which refuses what it has no thread for. */
const shedding: At = (users) => ({ ...pool(users, 0), failed: Math.max(0, users - 40) * 200 });
/** From 40 users on each costs 25 answers a second, and a few of the requests. */
const degrading: At = (users) => ({ ok: Math.min(users * 50, 3000 - users * 25), failed: users > 40 ? 80 : 0 });
/** The same without a failed request. */
const fading: At = (users) => ({ ok: Math.min(users * 50, 3000 - users * 25) });
/** A fall at the end, short and not deep. */
const dip: At = (users, second) => ({ ok: second >= 93 ? users * 35 : users * 50 });
/** Two whole seconds without much, which may be a pause, and a part of a third. */
const late: At = (users, second) => (second >= 96 ? { ok: 5 } : endless(users, 0));

const busy = (cpu: number): Partial<StepResult> => ({ usage: aUsage({ generator: [aProcessUsage({ cpu })] }) });
const spoilt = (code: FindingCode): Partial<StepResult> => ({ findings: [{ code, severity: "error", args: {} }] });
const thrice = (...shapes: readonly At[]): readonly StepResult[] =>
  shapes.map((at, index) => aRampStep({ at, step: { trial: index + 1 } }));

const FALLEN = { lastGood: 63, firstBad: 64, second: 62, remaining: 0 };

/** Of a target that hangs the timeline does not even have a line for the last seconds. */
function hanging(): StepResult {
  const step = aRampStep({ at: (users) => (users > 62 ? { ok: 0 } : pool(users, 0)) });
  const { measurement = aMeasurement() } = step;
  return { ...step, measurement: { ...measurement, timeline: measurement.timeline.slice(0, 62) } };
}

describe("a ramp", () => {
  it.each<[string, readonly string[], StepResult | readonly StepResult[], Partial<Scenario>?]>([
    ["of a target that holds whoever comes", [], aRampStep({ at: endless })],
    ["to beyond a pool", ["KNEE"], aRampStep({ at: pool })],
    ["to a cliff that a fault makes", [], aRampStep({ at: cliff, step: { faults: [doneFault("kill", 62_000)] } })],
    ["to a cliff beyond it", ["KNEE", "CLIFF"], aRampStep({ at: cliff })],
    ["to a cliff before it", ["CLIFF"], aRampStep({ at: (n) => (n >= 30 ? { ok: 5, failed: 900 } : endless(n, 0)) })],
    ["of a target that refuses what is too much", ["KNEE", "SHEDS"], aRampStep({ at: shedding })],
    ["of a target that degrades", ["KNEE", "DEGRADES"], aRampStep({ at: degrading })],
    ["of requests that time out", ["KNEE"], aRampStep({ at: (n) => ({ ...shedding(n, 0), failure: "timedOut" }) })],
    ["of failures from the start", ["KNEE"], aRampStep({ at: (n) => ({ ...pool(n, 0), failed: n * 10, ...DROPPED }) })],
    ["with a last second that is cut short", [], aRampStep({ at: late, durationMs: 98_600 })],
    ["with a last second that is not", ["CLIFF"], aRampStep({ at: late, durationMs: 99_000 })],
    ["with failures", ["SHEDS"], aRampStep({ at: (n, at) => ({ ...dip(n, at), failed: at > 50 ? 200 : 0 }) })],
    ["with one in three trials", ["DEGRADES"], thrice(dip, dip, dip)],
    ["with one bad trial of three", [], thrice(endless, cliff, endless)],
    ["that fades without a failure", ["KNEE", "DEGRADES"], aRampStep({ at: fading, step: busy(0.5) })],
    // 0.8 over the whole ramp is more than a core at the best of it.
    ["that fades with the generator", [], aRampStep({ at: fading, step: busy(0.8) })],
    ["of failures with a busy generator", ["CLIFF"], aRampStep({ at: cliff, step: busy(0.99) })],
    ["that was interrupted", [], aRampStep({ at: cliff, step: { state: "aborted" } })],
    ["without free ports", [], aRampStep({ at: cliff, step: spoilt("PORTS_EXHAUSTED") })],
    ["of a target that never answered", [], aRampStep({ at: () => ({ ok: 0, failed: 90 }) })],
  ])("%s has %j", (_, expected, steps, scenario) => {
    expect(codesOf(respond(steps, scenario)).toSorted()).toEqual(expected.toSorted());
  });

  it.each<[FindingCode, StepResult, FindingArgs]>([
    ["KNEE", aRampStep({ at: pool }), { target: "single", throughput: 2000, second: 38, knee: near(40, 0) }],
    [
      "KNEE",
      aRampStep({ at: gradual }),
      { knee: near(25, -1), reached: near(48, -1), second: near(46, -1), throughput: near(1940, -2) },
    ],
    ["CLIFF", aRampStep({ at: cliff }), { ...FALLEN, kind: "users", failsFrom: 64, failsFromSecond: 62 }],
    ["CLIFF", hanging(), FALLEN],
    ["SHEDS", aRampStep({ at: shedding }), { lastGood: 41, firstBad: 42, second: 40, remaining: 1 }],
    [
      "DEGRADES",
      aRampStep({ at: degrading }),
      // The plateau is the median of 1800 to 2000 going up and down again: 1900; four fifths of it are left at 59.2 users.
      { failsFrom: 42, failsFromSecond: 40, lastGood: 60, firstBad: 61, second: 59, remaining: near(500 / 1950, 1) },
    ],
  ])("tells of a %s when it was, and how many users were there", (code, step, args) => {
    expect(argsOf(respond(step), code)).toMatchObject(args);
  });

  it("is about every target by itself, and passes where requests may fail, or by a threshold about the whole of it", () => {
    const steps = [aRampStep({ at: cliff, step: { target: "a" } }), aRampStep({ at: endless })];
    expect(new Set(respond(steps).map(({ args }) => args["target"]))).toEqual(new Set(["a"]));
    expect(judgeResult({ scenario: aRampScenario(), steps }).status).toBe("inconclusive");
    const errors = { source: "errors<90%", metric: "errors", operator: "<", value: 0.9 } as const;
    expect(judgeResult({ scenario: aRampScenario({ thresholds: [errors] }), steps }).status).toBe("pass");
    const p99 = { source: "p99<50ms", metric: "p99", operator: "<", value: 50 } as const;
    const scenario = aRampScenario({ thresholds: [p99] });
    const { status, findings } = judgeResult({ scenario, steps: [aRampStep({ at: pool })] });
    expect(status).toBe("fail");
    expect(findings[0]).toMatchObject({ code: "THRESHOLD_FAILED", args: { users: 100, levels: "100" } });
  });
});

describe("a ramp with noise", () => {
  const ROUNDS = 40;

  /** Noise of each second by itself, and of many together, as a part of a figure; now and then a pause of a second. */
  function noisy(seed: number): NonNullable<RampShape["noise"]> {
    const random = seededRandom(seed);
    const [own, pauses, memory] = [0.05, 0.01, 0.9];
    let drift = 0;
    return (value) => {
      drift = memory * drift + Math.sqrt(1 - memory ** 2) * drawNormal(random);
      const pause = random() < pauses ? 0.3 : 1;
      return value * Math.max(0, 1 + own * drawNormal(random) + 0.03 * drift) * pause;
    };
  }

  /** How many of the ramps are not said what is right of; one in fifty is few. */
  function wrong(shape: RampShape, isRight: (findings: readonly Finding[]) => boolean): number {
    const { ramp } = shape;
    const rounds = Array.from({ length: ROUNDS }, (_, seed) =>
      respond(aRampStep({ ...shape, noise: noisy(seed + 1) }), ramp === undefined ? {} : { ramp }),
    );
    return rounds.filter((findings) => !isRight(findings)).length;
  }

  const FEW = mostByChance(ROUNDS, 0.02);
  const isWithin = (by: number, wanted: number, value: unknown): boolean => Math.abs(Number(value) - wanted) <= by;
  const stands = (findings: readonly Finding[]): boolean => !codesOf(findings).some((code) => FALLS.includes(code));

  it.each<[string, RampShape, (findings: readonly Finding[]) => boolean]>([
    ["a sound one that fails", { at: endless }, stands],
    ["a pool that fails", { at: (users) => ({ ...pool(users, 0), failed: pool(users, 0).ok / 500 }) }, stands],
    [
      "a short one, with time at its end, that fails",
      { at: pool, users: 50, ramp: { from: 1, riseMs: 5000, steps: null }, durationMs: 10_000 },
      stands,
    ],
    ["one with a knee where there is none", { at: endless }, (findings) => !codesOf(findings).includes("KNEE")],
    ["one with a knee elsewhere", { at: pool }, (findings) => isWithin(4, 40, argsOf(findings, "KNEE")?.["knee"])],
  ])("is hardly ever taken for %s", (_, shape, isRight) => {
    expect(wrong(shape, isRight)).toBeLessThanOrEqual(FEW);
  });

  it.each<[FindingCode, At, number, number]>([
    ["CLIFF", cliff, 62, 1],
    ["SHEDS", shedding, 40, 1],
    // Where a slope crosses four fifths of the best depends on the noise of both.
    ["DEGRADES", degrading, 58, 10],
  ])("is known for its %s, that alone, and when it begins", (code, at, second, by) => {
    const isRight = (findings: readonly Finding[]): boolean =>
      isWithin(by, second, argsOf(findings, code)?.["second"]) &&
      codesOf(findings).filter((one) => FALLS.includes(one)).length === 1;
    expect(wrong({ at }, isRight)).toBeLessThanOrEqual(FEW);
  });
});
