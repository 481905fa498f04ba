import { describe, expect, it } from "vitest";
import { BalancerOptionsError } from "../options/options.js";
import { simulate } from "../test-support/simulate.js";
import { type ExampleBackend, examplePool } from "../testing/example-pool.js";
import {
  leastConnections,
  leastLoaded,
  leastResponseTime,
  type LoadedOptions,
  peakEwma,
  powerOfTwoChoices,
} from "./drawn.js";
import { roundRobin } from "./in-turn.js";
import { type LoadMeasure, peakEwmaLoad, responseTimeLoad } from "./load.js";
import type { Policy, RequestEnd } from "./policy.js";

/**
 * Tells a measure a story, `100 answered 40 ends`: when, in ms, what came of a request, how long that took, and whether it ends with that;
 * returns the load at the last of these times.
 */
function loadAfter(measure: LoadMeasure, story: string): number {
  let nowMs = 0;
  const load = measure.create(() => nowMs);
  const [backend] = examplePool([1]) as [ExampleBackend];
  const end = (outcome: RequestEnd["outcome"], ms: number, waitedMs: number | undefined): void => {
    backend.inFlight -= 1;
    load.ended?.(backend, { outcome, ms, waitedMs, status: 0, grpcStatus: undefined });
  };
  for (const step of story.split(", ")) {
    const [at, what = "", took] = step.split(" ");
    nowMs = Number(at);
    if (what === "began") {
      backend.inFlight += 1;
      load.began?.(backend);
    } else if (what === "answered" || what === "streams") {
      load.answering?.(backend, Number(took));
      if (what === "answered") end("answered", Number(took), Number(took));
    } else if (what !== "") end(what as RequestEnd["outcome"], Number(took), undefined);
    load.loadOf(backend);
  }
  return load.loadOf(backend);
}

const ONE = "0 began, 100 answered 100";

describe.each([
  ["peak-ewma", peakEwmaLoad],
  ["response-time", responseTimeLoad],
] as const)("the load by %s", (_, measureWith) => {
  const measure = measureWith({ decayMs: 1000 });
  // By latency x (in flight + 1) and latency x exp(-idle / decay).
  it.each<[what: string, story: string, load: number]>([
    ["is 0 before anything is known", "0", 0],
    ["is worst with a request and no history", "0 began", 1e8 + 1],
    ["is that of the first answer", ONE, 100],
    ["counts what is in flight, and one more", `${ONE}, 100 began, 100 began`, 300],
    ["is half after decay x ln 2 without requests", `${ONE}, 793.147`, 50],
    ["is half of it also when it was read between", `${ONE}, 300, 500, 793.147`, 50],
    ["does not decay while a request waits", `${ONE}, 100 began, 9000`, 200],
    ["decays while an answer is under way, which is in flight", `${ONE}, 100 began, 200 streams 100, 893.147`, 100],
    ["moves to a lower latency as time passes", `${ONE}, 100 began, 793.147 answered 20`, 60],
    ["is not lowered by a failure", `${ONE}, 100 began, 793.147 failed 1`, 100],
    ["is not lowered by a client that goes away", `${ONE}, 100 began, 793.147 aborted 1`, 100],
    ["takes nothing from a request that was not sent", `${ONE}, 100 began, 793.147 unsent 693`, 100],
    ["is 0 again after a request without history was not sent", "0 began, 1000 unsent 1000", 0],
  ])("%s: %s", (_what, story, load) => {
    expect(loadAfter(measure, story)).toBeCloseTo(load, 2);
  });

  it("is of each backend, and of each balancer", () => {
    const [a, b] = examplePool([1, 1]) as [ExampleBackend, ExampleBackend];
    const [one, other] = [measure.create(() => 0), measure.create(() => 0)];
    one.began?.(a);
    one.answering?.(a, 100);
    expect([one.loadOf(a), one.loadOf(b), other.loadOf(a)]).toEqual([100, 0, 0]);
  });

  it("takes a decay of whole ms", () => {
    expect(() => measureWith({ decayMs: 0 })).toThrow(BalancerOptionsError);
  });
});

describe("a latency above the estimate", () => {
  const SECOND = `${ONE}, 100 began, 793.147`;
  it.each<[story: string, peak: number, mean: number]>([
    // 100 x 0.5 + 400 x 0.5
    [`${SECOND} answered 400`, 400, 250],
    [`${SECOND} failed 400`, 400, 250],
    [`${SECOND} aborted 400`, 400, 250],
  ])("is the peak at once, and a part of the mean: %s", (story, peak, mean) => {
    expect(loadAfter(peakEwmaLoad({ decayMs: 1000 }), story)).toBeCloseTo(peak, 2);
    expect(loadAfter(responseTimeLoad({ decayMs: 1000 }), story)).toBeCloseTo(mean, 2);
  });
});

describe("one of 11 backends that turns slow, 1000 requests/s over 50 s", () => {
  const USUAL_MS = 167;
  const SLOW_MS = 2000;
  const turnsSlow = (atMs: number): number => (atMs >= 10_000 && atMs < 30_000 ? SLOW_MS : USUAL_MS);
  const latencies = [turnsSlow, ...Array.from({ length: 10 }, () => () => USUAL_MS)];
  /** The share of the first backend in the requests of some time. */
  const shares = (policyWith: (now: () => number) => Policy) => {
    const answers = simulate(policyWith, latencies, { everyMs: 1, untilMs: 50_000 });
    return (fromMs: number, toMs: number): number => {
      const among = answers.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      return among.filter(({ backend }) => backend === 0).length / among.length;
    };
  };
  const fair = 1 / 11;
  // All then have as much in flight, and shares go by rates: Little's law.
  const byRate = 1 / SLOW_MS / (1 / SLOW_MS + 10 / USUAL_MS);

  it.each<[name: string, policyWith: (now: () => number) => Policy, whileSlow: number, tolerance: number]>([
    ["round-robin", roundRobin, fair, 0.0001],
    ["least-connections", () => leastConnections({ seed: 1 }), byRate, 0.001],
    ["power-of-two-choices", () => powerOfTwoChoices({ seed: 1 }), byRate, 0.003],
    // Even one request at a time makes it the worst but for moments: a share of 1 in 2000.
    ["peak-ewma", (now) => peakEwma({ seed: 1, now, decayMs: 2000 }), 1 / SLOW_MS, 0.0005],
    ["least-response-time", (now) => leastResponseTime({ seed: 1, now, decayMs: 2000 }), 1 / SLOW_MS, 0.0005],
  ])("gets its share by %s, and all of it back", (_, policyWith, whileSlow, tolerance) => {
    const share = shares(policyWith);
    expect(Math.abs(share(5000, 10_000) - fair)).toBeLessThan(0.01);
    expect(Math.abs(share(15_000, 30_000) - whileSlow)).toBeLessThan(tolerance);
    expect(Math.abs(share(45_000, 50_000) - fair)).toBeLessThan(0.01);
  });
});

describe("a measure of one's own", () => {
  /** By the failures of each backend so far. */
  const failures: LoadMeasure = {
    name: "failures",
    create: () => {
      const counts = new Map<string, number>();
      return {
        loadOf: ({ name }) => counts.get(name) ?? 0,
        ended: ({ name }, { outcome }) => {
          if (outcome === "failed") counts.set(name, (counts.get(name) ?? 0) + 1);
        },
      };
    },
  };

  it.each([
    ["leastLoaded", leastLoaded],
    ["powerOfTwoChoices", powerOfTwoChoices],
  ] as const)("is what %s goes by, compared with weights", (_, policyWith) => {
    const picker = policyWith({ load: failures, seed: 1 }).create();
    const pool = examplePool([1, 3]) as [ExampleBackend, ExampleBackend];
    const [small, large] = pool;
    const fail = (backend: ExampleBackend): void =>
      picker.ended?.(backend, { outcome: "failed", ms: 1, waitedMs: undefined, status: 0, grpcStatus: undefined });
    const picked = () =>
      new Set(Array.from({ length: 50 }, () => picker.pick(pool, { headers: {}, socket: {} })?.name));
    fail(small);
    for (let failed = 0; failed < 2; failed++) fail(large);
    expect(picked()).toEqual(new Set(["backend-1"]));
    for (let failed = 0; failed < 2; failed++) fail(large);
    expect(picked()).toEqual(new Set(["backend-0"]));
  });

  it("is refused when it is none", () => {
    for (const load of ["in-flight", null, {}]) {
      expect(() => powerOfTwoChoices({ load } as unknown as LoadedOptions)).toThrow(
        /^load: expected an object \{ name, create\(now\) \}, like peakEwmaLoad\(\); got /,
      );
    }
  });
});
