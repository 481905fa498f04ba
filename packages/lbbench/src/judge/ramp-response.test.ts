import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { seededRandom } from "../stats/seeded-random.js";
import { drawNormal } from "../stats/test-support/simulated-trials.js";
import { aMeasurement, aProcessUsage, aUsage } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import type { RampMoment, RampShape } from "../test-support/ramps.js";
import { findRampResponse } from "./ramp-response.js";

type At = RampShape["at"];

function respond(...steps: readonly StepResult[]): readonly Finding[] {
  return findRampResponse({ scenario: aRampScenario(), steps });
}

function argsOf(findings: readonly Finding[], code: string): FindingArgs | undefined {
  return findings.find((finding) => finding.code === code)?.args;
}

const codes = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);

/** Each user gets 50 answers a second, whatever the others do. */
const endless: At = (users) => ({ ok: users * 50 });

/** 40 threads of 20 ms. */
const pool: At = (users) => ({ ok: Math.min(users, 40) * 50 });

/** From 63 users on, who are there in second 62, all are refused, which is quicker than an answer. */
const cliff: At = (users) => (users >= 63 ? { ok: 0, failed: 3500, failure: "connectErrors" } : pool(users, 0));

/** Like the pool, which refuses what it has no thread for. */
const shedding: At = (users) => ({ ...pool(users, 0), failed: Math.max(0, users - 40) * 200 });

/** From 40 users on each costs 25 answers a second, and a few of the requests. */
const degrading: At = (users) => ({ ok: Math.min(users * 50, 3000 - users * 25), failed: users > 40 ? 80 : 0 });

/** Noise of each second by itself, and of many together, as a part of a figure; now and then a pause of a second. */
function noisy(seed: number, { own = 0.05, shared = 0.03, pauses = 0.01 } = {}): NonNullable<RampShape["noise"]> {
  const random = seededRandom(seed);
  const memory = 0.9;
  let drift = 0;
  return (value) => {
    drift = memory * drift + Math.sqrt(1 - memory ** 2) * drawNormal(random);
    const pause = random() < pauses ? 0.3 : 1;
    return value * Math.max(0, 1 + own * drawNormal(random) + shared * drift) * pause;
  };
}

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed + 1);

/**
 * Rounds of 200 that may come out wrong where one in fifty does: twelve or more would then come once in 1000 times, since
 * 1 - P(B(200, 0.02) <= 11) = 0.0008.
 */
const MOST_WRONG = 11;

describe("findRampResponse without noise", () => {
  it("has nothing to say of a target that holds whoever comes", () => {
    expect(respond(aRampStep({ at: endless }))).toEqual([]);
  });

  it("finds the knee in users, and when they were there", () => {
    const args = argsOf(respond(aRampStep({ at: pool })), "KNEE");
    expect(args).toMatchObject({ target: "single", kind: "users", throughput: 2000 });
    expect(args?.["knee"]).toBeCloseTo(40, 0);
    expect(args?.["second"]).toBe(38);
  });

  it("finds a cliff at its second, with the users who were there", () => {
    expect(argsOf(respond(aRampStep({ at: cliff })), "CLIFF")).toEqual({
      target: "single",
      kind: "users",
      lastGood: 63,
      firstBad: 64,
      second: 62,
      remaining: 0,
      failsFrom: 64,
      failsFromSecond: 62,
    });
  });

  it("still finds the knee before a cliff, and none where there was none yet", () => {
    expect(argsOf(respond(aRampStep({ at: cliff })), "KNEE")?.["knee"]).toBeCloseTo(40, 0);
    const early: At = (users) => (users >= 30 ? { ok: 5, failed: 900 } : endless(users, 0));
    expect(codes(respond(aRampStep({ at: early })))).toEqual(["CLIFF"]);
  });

  it("tells a target that degrades, with what was left at worst", () => {
    const findings = respond(aRampStep({ at: degrading }));
    const args = argsOf(findings, "DEGRADES");
    expect(args?.["remaining"]).toBeCloseTo(500 / 1950, 1);
    expect(args).toMatchObject({ failsFrom: 42, failsFromSecond: 40 });
    // The plateau is the median of 1800 to 2000 going up and down again: 1900; four fifths of it are left at 59.2 users.
    expect(args).toMatchObject({ lastGood: 60, firstBad: 61, second: 59 });
    expect(codes(findings)).not.toContain("CLIFF");
  });

  it("tells a target that refuses what is too much and serves the rest", () => {
    const findings = respond(aRampStep({ at: shedding }));
    expect(codes(findings)).toEqual(["KNEE", "SHEDS"]);
    expect(argsOf(findings, "SHEDS")).toMatchObject({ lastGood: 41, firstBad: 42, second: 40 });
  });

  it("does not call it refusing where requests time out, nor where they fail from the first on", () => {
    const hanging: At = (users) => ({ ...shedding(users, 0), failure: "timedOut" });
    expect(codes(respond(aRampStep({ at: hanging })))).toEqual(["KNEE"]);
    const broken: At = (users) => ({ ...pool(users, 0), failed: users * 10, failure: "dropped" });
    expect(codes(respond(aRampStep({ at: broken })))).toEqual(["KNEE"]);
  });

  it("finds a target that hangs, of whose last seconds the timeline does not even have a line", () => {
    const step = aRampStep({ at: (users) => (users > 62 ? { ok: 0 } : pool(users, 0)) });
    const { measurement = aMeasurement() } = step;
    const cut = { ...step, measurement: { ...measurement, timeline: measurement.timeline.slice(0, 62) } };
    expect(argsOf(respond(cut), "CLIFF")).toMatchObject({ lastGood: 63, firstBad: 64, second: 62, remaining: 0 });
    expect(argsOf(respond(cut), "CLIFF")).not.toHaveProperty("failsFrom");
  });

  it("works for a rise in steps, with time at its end", () => {
    const ramp = { from: 10, riseMs: 90_000, steps: 9 };
    const step = aRampStep({ at: pool, ramp, durationMs: 120_000 });
    const findings = findRampResponse({ scenario: aRampScenario({ ramp }), steps: [step] });
    expect(Number(argsOf(findings, "KNEE")?.["knee"])).toBeCloseTo(40, 0);
    expect(codes(findings)).toEqual(["KNEE"]);
  });

  it("counts neither the first second, nor a last one that was cut short", () => {
    const early: At = (_, second) => ({ ok: second === 0 ? 3000 : 1000 });
    expect(respond(aRampStep({ at: early }))).toEqual([]);
    // Two whole seconds, which may be a pause, and a part of a third.
    const late: At = (users, second) => (second >= 96 ? { ok: 5 } : endless(users, 0));
    expect(respond(aRampStep({ at: late, durationMs: 98_600 }))).toEqual([]);
    expect(codes(respond(aRampStep({ at: late, durationMs: 99_000 })))).toEqual(["CLIFF"]);
  });

  it("is of every target by itself", () => {
    const findings = respond(aRampStep({ at: cliff, step: { target: "a" } }), aRampStep({ at: endless }));
    expect(new Set(findings.map(({ args }) => args["target"]))).toEqual(new Set(["a"]));
  });

  it.each([
    ["a sweep", aRampScenario({ ramp: null }), aRampStep({ at: cliff })],
    ["an interrupted ramp", aRampScenario(), aRampStep({ at: cliff, step: { state: "aborted" } })],
    [
      "a client without free ports",
      aRampScenario(),
      aRampStep({ at: cliff, step: { findings: [{ code: "PORTS_EXHAUSTED", severity: "error", args: {} }] } }),
    ],
    [
      "figures that are false",
      aRampScenario(),
      aRampStep({ at: cliff, step: { findings: [{ code: "LITTLES_LAW", severity: "error", args: {} }] } }),
    ],
    ["a ramp of two seconds", aRampScenario(), aRampStep({ at: cliff, durationMs: 2000 })],
    ["a target that never answered", aRampScenario(), aRampStep({ at: () => ({ ok: 0, failed: 90 }) })],
  ])("has nothing to say of %s", (_, scenario, step) => {
    expect(findRampResponse({ scenario, steps: [step] })).toEqual([]);
  });
});

describe("findRampResponse, where it may be the generator's", () => {
  const busy = (cpu: number): Partial<StepResult> => ({ usage: aUsage({ generator: [aProcessUsage({ cpu })] }) });
  const fading: At = (users) => ({ ok: Math.min(users * 50, 3000 - users * 25) });

  it("says nothing of a knee, nor of a fall that no failure goes with", () => {
    expect(codes(respond(aRampStep({ at: fading })))).toEqual(["KNEE", "DEGRADES"]);
    // 0.8 over the whole ramp is more than a core at the best of it.
    expect(respond(aRampStep({ at: fading, step: busy(0.8) }))).toEqual([]);
    expect(codes(respond(aRampStep({ at: fading, step: busy(0.5) })))).toEqual(["KNEE", "DEGRADES"]);
  });

  it("tells of failures all the same", () => {
    expect(codes(respond(aRampStep({ at: cliff, step: busy(0.99) })))).toEqual(["CLIFF"]);
  });
});

describe("findRampResponse takes a fall at the end", () => {
  const dip: At = (users, second) => ({ ok: second >= 93 ? users * 35 : users * 50 });

  it("for something else on the machine, when it is short and not deep", () => {
    expect(respond(aRampStep({ at: dip }))).toEqual([]);
  });

  it("for something else also beside failures, which are then shed", () => {
    const failing: At = (users, second) => ({ ...dip(users, second), failed: second > 50 ? 200 : 0 });
    expect(codes(respond(aRampStep({ at: failing })))).toEqual(["SHEDS"]);
  });

  it("for the target's, when three trials have it", () => {
    const trials = [1, 2, 3].map((trial) => aRampStep({ at: dip, step: { trial } }));
    expect(codes(respond(...trials))).toContain("DEGRADES");
  });
});

describe("findRampResponse over several trials", () => {
  it("takes the median of each second, which one bad trial does not move", () => {
    const trials = [endless, cliff, endless].map((at, index) => aRampStep({ at, step: { trial: index + 1 } }));
    expect(respond(...trials)).toEqual([]);
  });
});

describe("findRampResponse on 200 noisy ramps", () => {
  const simulate = (at: At): readonly (readonly Finding[])[] =>
    SEEDS.map((seed) => respond(aRampStep({ at, noise: noisy(seed) })));
  const wrong = (all: readonly (readonly Finding[])[], isRight: (findings: readonly Finding[]) => boolean): number =>
    all.filter((findings) => !isRight(findings)).length;
  const near = (value: unknown, wanted: number, by: number): boolean => Math.abs(Number(value) - wanted) <= by;
  const falls = ["CLIFF", "DEGRADES", "SHEDS"];

  it.each<[string, At]>([
    ["endless", endless],
    ["pool", pool],
    ["pool with a failure in 500", (users) => ({ ...pool(users, 0), failed: pool(users, 0).ok / 500 })],
  ])("hardly ever takes a sound one for one that fails: %s", (_, at) => {
    expect(
      wrong(simulate(at), (findings) => !codes(findings).some((code) => falls.includes(code))),
    ).toBeLessThanOrEqual(MOST_WRONG);
  });

  it("hardly ever sees a knee where there is none", () => {
    expect(wrong(simulate(endless), (findings) => !codes(findings).includes("KNEE"))).toBeLessThanOrEqual(MOST_WRONG);
  });

  it("finds the knee to a tenth", () => {
    expect(wrong(simulate(pool), (findings) => near(argsOf(findings, "KNEE")?.["knee"], 40, 4))).toBeLessThanOrEqual(
      MOST_WRONG,
    );
  });

  it.each<[string, string, At, number, number]>([
    ["a cliff", "CLIFF", cliff, 62, 1],
    ["a target that sheds", "SHEDS", shedding, 40, 1],
    // Where a slope crosses four fifths of the best depends on the noise of both.
    ["a target that degrades", "DEGRADES", degrading, 58, 10],
  ])("knows %s as %s, and when it begins", (_, code, at, second, by) => {
    const all = simulate(at);
    expect(wrong(all, (findings) => near(argsOf(findings, code)?.["second"], second, by))).toBeLessThanOrEqual(
      MOST_WRONG,
    );
    expect(wrong(all, (findings) => codes(findings).filter((one) => falls.includes(one)).length === 1)).toBe(0);
  });

  it("knows a slow fall from a cliff although seconds pause", () => {
    const noise = (seed: number): NonNullable<RampShape["noise"]> => noisy(seed, { own: 0.1, pauses: 0.02 });
    const all = SEEDS.map((seed) => codes(respond(aRampStep({ at: degrading, noise: noise(seed) }))));
    expect(all.filter((found) => found.includes("CLIFF")).length).toBeLessThanOrEqual(MOST_WRONG);
  });

  it("hardly ever takes a short ramp with time at its end for one that fails", () => {
    const ramp = { from: 1, riseMs: 5000, steps: null };
    const shape = { users: 50, ramp, durationMs: 10_000 };
    const all = SEEDS.map((seed) =>
      findRampResponse({
        scenario: aRampScenario({ ramp }),
        steps: [aRampStep({ ...shape, at: (users): RampMoment => pool(users, 0), noise: noisy(seed) })],
      }),
    );
    expect(wrong(all, (findings) => !codes(findings).some((code) => falls.includes(code)))).toBeLessThanOrEqual(
      MOST_WRONG,
    );
  });
});
