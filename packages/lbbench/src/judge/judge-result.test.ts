import { describe, expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { Finding, FindingArgs, FindingCode, Severity, Verdict } from "../model/finding.js";
import type { BackendShare, LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Scenario, Target } from "../model/scenario.js";
import type { SearchOutcome, TriedLevel } from "../model/search.js";
import { defined } from "../stats/defined.js";
import { seededRandom } from "../stats/seeded-random.js";
import {
  aFailedStep,
  aLatency,
  aMeasurement,
  aProcessUsage,
  aScenario,
  aStep,
  aUsage,
  type MeasurementOverrides,
} from "../test-support/fixtures.js";
import { doneFault, slicesOf } from "../test-support/faulty-steps.js";
import { findIdenticalFigures } from "./identical-figures.js";
import { judgeResult } from "./judge-result.js";
import { judgeStep } from "./judge-step.js";
import { aPair, type RunShape, steady } from "./test-support/compare-samples.js";
import { near, type Rule, type RunCode, type SearchCode, testRules } from "./test-support/finding-rules.js";

type Given = Parameters<typeof judgeResult>[0];

const found = (code: FindingCode, severity: Severity = "warning", args: FindingArgs = {}): Finding => {
  return { code, severity, args };
};
const at = (connections: number, step: Partial<StepResult> = {}): StepResult =>
  aStep({ level: { connections, durationMs: 3000 }, ...step });
const withFinding = (connections: number, ...finding: Parameters<typeof found>): StepResult =>
  at(connections, { findings: [found(...finding)] });
const given = (steps: readonly StepResult[], scenario: Partial<Scenario> = {}): Given => ({
  steps,
  scenario: aScenario({ trials: 5, ...scenario }),
});
const asked = (thresholds: readonly string[], ...steps: readonly StepResult[]): Given =>
  given(steps, { thresholds: thresholds.map(parseThreshold) });
const argsOf = (result: Given, code: FindingCode): readonly FindingArgs[] =>
  judgeResult(result).findings.flatMap((finding) => (finding.code === code ? [finding.args] : []));

const BROKEN: TriedLevel = { value: 11, decision: "broken", held: 0, broken: 2, unclear: 0, because: "errors<=0" };
const counted = (requests: NonNullable<MeasurementOverrides["requests"]>): StepResult =>
  aStep({ measurement: aMeasurement({ requests }) });
const doubted = { tried: [{ ...BROKEN, doubt: "GENERATOR_SATURATED" }] } as const;

const slow = (connections: number, p99: number): StepResult =>
  at(connections, { measurement: aMeasurement({ latency: aLatency({ p99 }) }) });
const inTime = (share: number, finding: Finding): StepResult =>
  aStep({ measurement: aMeasurement({ within: { ms: 1000, ok: share * 1000, due: 1000 } }), findings: [finding] });
/** A step in which a backend is killed, and requests fail from one slice to another. */
const faulty = ([from, to]: readonly [number, number], trial = 1): StepResult => {
  const slices = slicesOf([[from, to, { ok: 0, resets: 70, sent: 70 }]]);
  const measurement = aMeasurement({ requests: { ok: 4750, resets: 350 }, slices });
  const findings = [found("CONNECTIONS_RESET", "info", { share: 0.07 })];
  return aStep({ level: { rate: 500 }, trial, measurement, findings, faults: [doneFault("kill", 3000)] });
};
const FIRST = { target: "single", trial: 1 };
/** Trials of 50 connections with these throughputs. */
const trials = (throughputs: readonly number[], step: Partial<StepResult> = {}): readonly StepResult[] =>
  throughputs.map((throughput, index) =>
    at(50, { trial: index + 1, measurement: aMeasurement({ throughput }), ...step }),
  );

/** Targets with steps of their own. */
const targets = (steps: readonly StepResult[], scenario: Partial<Scenario> = {}): Given =>
  given(steps, {
    targets: [...new Set(steps.map(({ target }) => target))].map((name) => ({ name, server: "url", options: {} })),
    ...scenario,
  });
/** A target whose answers have so many bytes. */
const answers = (target: string, bytes: object, measurement: MeasurementOverrides = {}, step = {}): StepResult => {
  const scaled = Object.entries(bytes).map(([key, count]) => [key, Number(count) * 15_000]);
  const latency = aLatency({ mean: target.charCodeAt(0) / 10, p99: target.charCodeAt(0) + 0.123 });
  const measured = aMeasurement({ latency, ...measurement });
  return aStep({ target, measurement: { ...measured, bytes: Object.fromEntries(scaled) }, ...step });
};
/** Groups of backends, each of one backend that is like any other unless told otherwise. */
const backendsOf = (...backends: readonly object[]): readonly object[] =>
  backends.map((one) => ({ name: null, server: "single", options: {}, count: 1, weight: 1, ...one }));
/** A target that balances, of a program with so many workers. */
const balancerOf = (name: string, server: string, workers: number | undefined): Target => {
  return { name, server, options: { backends: backendsOf({ count: 2 }), ...defined({ workers }) } };
};
/** A program with one worker, and with four. */
const oneAndFour = (name: string): readonly Target[] => [1, 4].map((count) => balancerOf(name + count, name, count));
/** A run of these targets, before its first step. */
const unmeasured = (...all: readonly Target[]): Given => given([], { targets: all });
/** Programs that balance, with their workers, beside a single server; each used so many cores. */
const balancers = (
  workers: Readonly<Record<string, number | undefined>>,
  cores: Readonly<Record<string, number>> = {},
  scenario: Partial<Scenario> = {},
): Given =>
  given(
    Object.keys(workers).map((target) => {
      const balancer = [aProcessUsage({ name: target, cpu: cores[target] ?? 0.9 })];
      return aStep({ target, usage: aUsage({ balancer }) });
    }),
    {
      targets: [
        { name: "single", server: "single", options: { workers: 9 } },
        ...Object.entries(workers).map(([name, own]) => balancerOf(name, name, own)),
      ],
      ...scenario,
    },
  );
const SMALL = { received: 162, body: 12 };
const LARGE = { received: 1350, body: 1200 };

const UNLIKE = [answers("a", SMALL), answers("b", LARGE)];
/** Latencies as a clock gives them, to the microsecond; as `ab` prints them; and one for each cell of a table. */
const clocked = (seed: number, scaleMs = 10): LatencySummary => {
  const random = seededRandom(seed);
  const ms = (factor: number): number => Math.round(scaleMs * factor * (1 + random() / 10) * 1000) / 1000;
  return { min: ms(0.5), mean: ms(1), p50: ms(0.95), p75: ms(1.1), p90: ms(1.5), p95: ms(1.9), p99: ms(3), max: ms(9) };
};
const rounded: LatencySummary = { min: 5, p50: 10, p75: 11, p90: 15, p95: 19, p99: 30, max: 90 };
const TWELVE = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const single = (ms: number): LatencySummary => ({ min: ms, mean: ms, p50: ms, p90: ms, p99: ms, max: ms });
const table = (target: string, levels: readonly number[], latency: (load: number) => LatencySummary, trial = 1) =>
  levels.map((connections) => {
    const { histogram: _, ...measurement } = aMeasurement({ latency: latency(connections) });
    return at(connections, { target, trial, measurement });
  });
/** A table of one figure for each of twelve numbers of connections, as articles have it. */
const published = (target: string, first = 7.13): readonly StepResult[] =>
  table(target, TWELVE, (n) => single(n === 1 ? first : (clocked(n).p95 ?? 0)));

const levels = [100, 10_000].flatMap((requests) => [1, 50].map((connections) => ({ connections, requests })));
const MATRIX: RunShape = { scenario: { levels } };
/** Trials of two targets that overlap: the other one's median is `gain` above that of the reference. */
const noisy = (gain: number | ((connections: number) => number), shape: RunShape = {}): Result =>
  aPair(1, {
    speed: (trial, connections, target) => {
      const more = typeof gain === "number" ? gain : gain(connections);
      // The same speeds on both sides, each in an order of its own.
      const drawn = target === "balanced" ? 7 - trial : trial;
      return (1 + ((drawn * 7) % 5) / 10) * (target === "balanced" ? 1 + more : 1);
    },
    ...shape,
  });
/** Two targets, of which the second has a throughput of this part of the first's, judged by a margin of 5 %. */
const margin = (factor: number, shape: RunShape = {}): Result =>
  aPair(factor, { ...shape, scenario: { margin: 0.05, ...shape.scenario } });
const FEW = margin(0.5, { trials: 1 });
const died = found("TARGET_DIED", "error");
const BUSY = [found("MACHINE_SATURATED")];
const LOST = [found("REQUESTS_LOST", "error")];

/** Steps in which so many of 100 requests failed, of a run that is to stop where more than a tenth do. */
const stopping = (...steps: readonly (readonly [connections: number, failed: number, trial?: number])[]): Given =>
  given(
    steps.map(([connections, failed, trial = 1]) =>
      at(connections, { trial, measurement: aMeasurement({ requests: { ok: 100 - failed, non2xx: failed } }) }),
    ),
    { stopOn: ["errors>10%", "throughput<1"].map(parseThreshold), trials: 2 },
  );

const searched = (outcome: Partial<SearchOutcome> = {}, findings: readonly Finding[] = []): Given => ({
  ...asked(["errors<=0"], aStep({ findings })),
  search: [
    {
      target: "single",
      by: "connections",
      status: "found",
      held: 10,
      broken: 11,
      tried: [{ value: 10, decision: "held", held: 2, broken: 0, unclear: 0 }, BROKEN],
      beyond: null,
      ...outcome,
    },
  ],
});

/** A target with a balancer: a step at each of these numbers of connections, in which its backends were given and did this. */
const shared = (
  shares: Readonly<Record<string, BackendShare>>,
  {
    options = {},
    loads = [50, 100],
    ...step
  }: Partial<StepResult> & { options?: object; loads?: readonly number[] } = {},
): Given =>
  given(
    loads.map((connections) => at(connections, { ...step, measurement: aMeasurement({ backends: shares }) })),
    { targets: [{ name: "single", server: "balanced", options: { policy: "round-robin", ...options } }] },
  );
const told = (requests: number, ms: number, count = requests): BackendShare => ({
  requests,
  answered: { count, totalMs: count * ms },
});
const QUICK = { a: told(1000, 2), b: told(1000, 2.2) };
const LAME = { ...QUICK, c: told(1000, 60) };
const UNEVEN = { a: { requests: 900 }, b: { requests: 100 } };
const FULL = { usage: aUsage({ bottleneck: "machine", machine: 1 }) };

/** Steps of one process: MB of memory at the start, in the middle and at the end of each, of 1000 requests unless told otherwise. */
const remembering = (
  megabytes: readonly (readonly [start: number, middle: number, end: number])[],
  { pid = 7, requests: ok = 1000, ...step }: Partial<StepResult> & { pid?: number; requests?: number } = {},
): readonly StepResult[] =>
  megabytes.map(([start, middle, end]) => {
    const memory = { startBytes: start * 1e6, middleBytes: middle * 1e6, endBytes: end * 1e6 };
    const usage = aUsage({ backends: [aProcessUsage({ name: "backend-1", pid, memory })] });
    return at(50, { usage, measurement: aMeasurement({ requests: { ok } }), ...step });
  });
/** A run of such steps. */
const keeping = (...megabytes: Parameters<typeof remembering>[0]): Given => given(remembering(megabytes));
/** It keeps 100 kB for each request. */
const LEAK = [
  [60, 110, 160],
  [180, 230, 280],
  [300, 350, 400],
] as const;

/** The same of the last of four backends, of 200 000 requests to all of them. */
const amongFour = (backends?: Measurement["backends"]): Given =>
  given(
    remembering(LEAK, { requests: 200_000 }).map(({ usage, measurement = aMeasurement(), ...step }) => {
      const others = [1, 2, 3].map((at) => aProcessUsage({ name: `backend-${at}`, pid: at }));
      const last = { ...aProcessUsage(usage?.backends?.[0]), name: "backend-4" };
      return {
        ...step,
        usage: aUsage({ backends: [...others, last] }),
        measurement: { ...measurement, ...defined({ backends }) },
      };
    }),
  );

const PAIR = { target: "balanced", reference: "single" };
const compared = { ...PAIR, margin: 0.05 };
const INTERVAL = { low: expect.any(Number) as number, high: expect.any(Number) as number };

const broke = aFailedStep({ findings: [found("STEP_FAILED", "error")] });
const RULES: Readonly<Record<Exclude<RunCode, SearchCode>, Rule<Given>>> = {
  SINGLE_TRIAL: {
    warning: { "one trial": [{}, given([aStep()], { trials: 1 })] },
    silent: { two: given([aStep()], { trials: 2 }) },
  },
  NO_WARMUP: {
    info: { none: [{}, given([aStep()], { warmupMs: 0 })] },
    silent: { "a short one": given([aStep()], { warmupMs: 1 }) },
  },
  TRIALS_DISAGREE: {
    warning: {
      "throughputs that deviate by over a tenth of their mean": [
        {
          target: "single",
          levels: "50",
          connections: 50,
          trials: 3,
          low: 800,
          high: 1200,
          spread: 0.4,
          deviation: 0.2,
        },
        given(trials([1000, 800, 1200])),
      ],
      "several levels, by the worst": [
        { levels: "50, 100", ofLevels: 2, connections: 100, low: 1000, high: 2000 },
        given([...trials([1000, 1300]), ...trials([1000, 2000], { level: { connections: 100, durationMs: 3000 } })]),
      ],
    },
    silent: {
      "trials that agree": given(trials([1000, 910, 1090])),
      // Of many the lowest and the highest lie further apart.
      "many that deviate no more": given(trials([1000, 880, 1120, 950, 1050, 990, 1010, 1000, 940, 1060])),
      "a single trial": given(trials([1000])),
      "trials without any ok answer": given(trials([0, 0])),
      "a trial that was cut short": given([...trials([1000]), ...trials([0, 1], { state: "aborted" }).slice(1)]),
    },
  },
  BACKEND_DIFFERS: {
    warning: {
      "one that takes longer than the others, at every level": [
        {
          process: "c",
          ms: 60,
          othersMs: 2.1,
          share: 1 / 3,
          policy: "round-robin",
          target: "single",
          levels: "50, 100",
        },
        shared(LAME),
      ],
      "one at a single level, with time left": [{ process: "c", levels: "50" }, shared(LAME, { loads: [50] })],
      "one at both levels of a full machine": [{ process: "c", steps: 2 }, shared(LAME, FULL)],
      "a share that round robin does not make": [
        { process: "b", share: near(0.1), due: 0.5, policy: "round-robin" },
        shared(UNEVEN),
      ],
    },
    info: {
      "one that has other work by the scenario": [
        { process: "c", ms: 60 },
        shared(LAME, { options: { backends: backendsOf({ count: 2 }, { options: { handler: "sleep:60ms" } }) } }),
      ],
    },
    silent: {
      "backends that are alike": shared({ ...QUICK, c: told(1000, 3) }),
      "twice the time where that is under a millisecond more": shared({
        ...QUICK,
        a: told(1000, 0.2),
        b: told(1000, 0.6),
      }),
      "few answers": shared({ ...QUICK, c: told(49, 60) }, { options: { policy: "least-connections" } }),
      "one level of two": given([
        ...shared(LAME, { loads: [50] }).steps,
        ...shared({ ...QUICK, c: told(1000, 2) }, { loads: [100] }).steps,
      ]),
      "one step on a full machine": shared(LAME, { ...FULL, loads: [50] }),
      "a backend that a fault has made slow": shared(LAME, { faults: [doneFault("slow", 1000)] }),
      "a share by chance": shared({ a: { requests: 30 }, b: { requests: 18 } }),
      "a policy that goes by load": shared(UNEVEN, { options: { policy: "least-connections" } }),
      "shares by weight": shared(UNEVEN, {
        options: { backends: backendsOf({ name: "a", weight: 9 }, { name: "b" }) },
      }),
    },
  },
  MEMORY_GROWS: {
    warning: {
      "a process that keeps something of each request": [
        {
          target: "single",
          process: "backend-1",
          requestBytes: 100_000,
          fromBytes: 60e6,
          toBytes: 400e6,
          requests: 3000,
        },
        given(remembering(LEAK)),
      ],
      "one long step": [{ requestBytes: 100_000 }, keeping([60, 110, 160])],
      "most starts": [
        { lives: 2, of: 3 },
        given([
          ...remembering(LEAK, { pid: 7 }),
          ...remembering(LEAK, { pid: 8, trial: 2 }),
          ...remembering([[60, 61, 60]], { pid: 9, trial: 3 }),
        ]),
      ],
      "a rate that is kept up": [{}, given(remembering(LEAK, { level: { rate: 300 } }))],
      "one of four backends, by the requests that it got": [
        { process: "backend-4", requestBytes: 2000, requests: 150_000 },
        amongFour({ "backend-4": { requests: 60_000, received: 50_000 } }),
      ],
      "one of four, by a quarter where none tells its requests": [
        { process: "backend-4", requestBytes: 2000, requests: 150_000 },
        amongFour(),
      ],
    },
    silent: {
      "a heap that finds its size": keeping([60, 100, 150], [150, 152, 150], [150, 150, 151], [151, 150, 150]),
      "what each level needs more, at its beginning": keeping([60, 100, 100], [150, 200, 200], [250, 400, 401]),
      "memory that is given back between steps": keeping(LEAK[0], LEAK[0], LEAK[0]),
      "a little for each request, of a balancer, which gets all of them": given(
        remembering(LEAK, { requests: 250_000 }).map(({ usage = aUsage(), ...step }) => ({
          ...step,
          usage: aUsage({ balancer: usage.backends ?? [] }),
        })),
      ),
      "a little in all": keeping([60, 80, 100]),
      "a little for each request": given(remembering(LEAK, { requests: 1_000_000 })),
      "one start of three": given([
        ...remembering(LEAK, { pid: 7 }),
        ...[8, 9].flatMap((pid) => remembering([[60, 61, 60]], { pid })),
      ]),
      "a rate that was not kept up": given(remembering(LEAK, { level: { rate: 1000 } })),
      "steps with faults": given(remembering(LEAK, { faults: [doneFault("kill", 1000)] })),
    },
  },
  CORES_DIFFER: {
    warning: {
      "another number of workers than any other program": [
        { target: "haproxy", other: "nginx", workers: 1, otherWorkers: 4 },
        balancers({ nginx: 4, haproxy: 1 }),
      ],
      "more workers than the one process of ours": [
        { target: "nginx", other: "balanced", workers: 2, otherWorkers: 1 },
        balancers({ balanced: undefined, nginx: 2 }),
      ],
      "other workers than the reference": [
        { target: "nginx", other: "haproxy" },
        balancers({ nginx: 4, haproxy: 1 }, {}, { reference: "haproxy" }),
      ],
      "other workers than two of another program, once": [
        { target: "haproxy", other: "nginx" },
        unmeasured(balancerOf("nginx", "nginx", 1), balancerOf("haproxy", "haproxy", 2), balancerOf("own", "nginx", 1)),
      ],
      "more cores than workers": [
        { target: "haproxy", workers: 1, cores: 1.8, levels: "50" },
        balancers({ nginx: 1, haproxy: 1 }, { haproxy: 1.8 }),
      ],
    },
    silent: {
      "as many workers, and cores within reach of these": balancers(
        { nginx: 2, haproxy: 2 },
        { nginx: 2.4, haproxy: 2 },
      ),
      "one program with several numbers of workers": unmeasured(...oneAndFour("nginx")),
      "programs each of which has a counterpart": unmeasured(...oneAndFour("nginx"), ...oneAndFour("haproxy")),
      "a balancer beside a server without backends": balancers({ nginx: 1 }, { nginx: 3 }),
      "a program that does not tell": balancers({ nginx: 1, own: undefined }, { own: 3 }),
    },
  },
  BYTES_DIFFER: {
    warning: {
      "other bodies, with the bytes of both": [
        { target: "go", other: "node", reason: "body", received: 1350, body: 1200, otherReceived: 162, otherBody: 12 },
        targets([answers("node", SMALL), answers("go", LARGE)]),
      ],
      "an engine that counts bodies alone, with the engines": [
        { reason: "counting", engine: "ab", otherEngine: "autocannon" },
        targets([answers("a", SMALL), answers("b", { received: 12, body: 12 }, {}, { engine: "ab" })]),
      ],
      "other than the reference": [{ target: "a", other: "b" }, targets(UNLIKE, { reference: "b" })],
    },
    info: {
      "a longer head": [{ reason: "head" }, targets([answers("a", SMALL), answers("b", { received: 900, body: 12 })])],
    },
    silent: {
      "a single target": targets([answers("a", LARGE)]),
      "targets that answer alike": targets([answers("a", SMALL), answers("b", SMALL)]),
      "many failures": targets([answers("a", SMALL), answers("b", LARGE, { requests: { ok: 15_000, non2xx: 500 } })]),
      "steps that were cut short": targets([answers("a", SMALL), answers("b", LARGE, {}, { state: "aborted" })]),
      "a handful of answers": targets([answers("a", SMALL), answers("b", LARGE, { requests: { ok: 9 } })]),
      "a target that was not measured": targets([answers("a", SMALL), aFailedStep({ target: "b" })]),
    },
  },
  IDENTICAL_FIGURES: {
    warning: {
      "a table that is another's, without a histogram": [
        { target: "go", other: "node", levels: "1, 20, 50", connections: 1, copied: 3, figures: 24 },
        targets([...table("node", [1, 20, 50], clocked), ...table("go", [1, 20, 50], clocked)]),
      ],
      "a single row that was copied to another level": [
        { target: "a", other: "a", levels: "50" },
        targets([...table("a", [1], () => clocked(1)), ...table("a", [50], () => clocked(1))]),
      ],
      figures: [{ target: "go", other: "node", figures: 12 }, targets([...published("node"), ...published("go")])],
    },
    silent: {
      // Single figures agree by chance.
      "single figures, one of which differs": targets([...published("node"), ...published("go", 7.14)]),
      "measurements of the same thing": given([1, 2, 3].flatMap((n) => table("a", [50], () => clocked(n), n))),
      "rounded figures that agree": targets(["a", "b"].flatMap((name) => table(name, [1, 2, 3], () => rounded))),
      "runs that took no time": targets(["a", "b"].flatMap((name) => table(name, [1, 2], () => single(0)))),
      "a handful of requests": targets(["a", "b"].flatMap((name) => table(name, [1, 2], () => single(0.123)))),
      "steps without a measurement": targets(["a", "b"].map((target) => aFailedStep({ target }))),
    },
  },
  WITHIN_NOISE: {
    info: {
      "a gain that is none that can be told": [
        { ...PAIR, kind: "connections", metric: "throughput", trials: 6, higher: "1, 50, 100", highest: near(0.1) },
        noisy(0.1, { connections: [1, 50, 100] }),
      ],
      "gains and losses apart, each with the largest": [
        { higher: "50, 100", highest: near(0.1), lower: "1", lowest: near(-0.15) },
        noisy((n) => (n === 1 ? -0.15 : n / 1000), { connections: [1, 50, 100] }),
      ],
      "too few trials, as many as were measured": [{ trials: 2 }, noisy(0.1, { trials: 2, scenario: { trials: 5 } })],
      "the mean latency of an open loop, whose throughput was asked for": [
        { kind: "rate", metric: "mean", higher: "500" },
        noisy(-0.1, { scenario: { levels: [{ rate: 500, durationMs: 3000 }] } }),
      ],
      "several numbers of requests": [{ higher: "1, 50", higherRequests: "100, 10000" }, noisy(0.1, MATRIX)],
    },
    silent: {
      "a single trial, of which SINGLE_TRIAL speaks": noisy(0.1, { trials: 1 }),
      "no difference": noisy(0),
      "a negligible one": noisy(0.01),
      "one that the trials do tell": margin(2, { scenario: { margin: null } }),
      "no reference": noisy(0.1, { scenario: { reference: null } }),
      "figures that are doubtful for another reason": noisy(0.1, { findings: () => BUSY }),
    },
  },
  STOPPED_EARLY: {
    info: {
      "the lowest level at which a rule was met, and how many were left out": [
        { target: "single", rule: "errors>10%", metric: "errors", actual: 0.2, connections: 1, trial: 1, skipped: 2 },
        stopping([1, 20]),
      ],
      "levels measured in some trials": [{ trial: 2, skipped: 2 }, stopping([1, 0], [50, 0], [100, 0], [1, 20, 2])],
      "the lowest of several": [{ connections: 50, actual: 0.11 }, stopping([100, 50], [50, 11], [50, 30, 2], [1, 10])],
    },
    silent: { "nothing left out": stopping([1, 0], [50, 0], [100, 90]), "a rule just not met": stopping([1, 10]) },
  },
  THRESHOLD_FAILED: {
    error: {
      "the worst value, and where it was": [
        { threshold: "p99<50ms", metric: "p99", actual: 90, levels: "50, 100", steps: 2, connections: 100, ...FIRST },
        asked(["p99<50ms"], slow(50, 65), slow(100, 90), slow(1, 20)),
      ],
      "requests that a fault cost, which are many": [
        { threshold: "lost<300", actual: 350, levels: "500" },
        asked(["lost<300", "recovery<1s"], faulty([30, 35])),
      ],
      "no recovery, which is the worst": [
        { threshold: "recovery<1s", metric: "recovery", levels: "500", steps: 2, trial: 2 },
        asked(["recovery<1s"], faulty([30, 60]), faulty([30, 100], 2)),
      ],
      "errors among the requests that came to an end": [
        { actual: 0.01 },
        asked(["errors<1%"], counted({ ok: 990, dropped: 10, inFlight: 500 })),
      ],
    },
    silent: {
      "requests that faults may cost": asked(["lost<=350", "recovery<=500ms"], faulty([30, 35])),
      "one that holds": asked(["p99<50ms", "errors<1%"], aStep()),
      "one that is just met": asked(["errors<=1%"], counted({ ok: 990, dropped: 10 })),
      "a search, which goes by it": searched(),
    },
  },
  THRESHOLD_INCONCLUSIVE: {
    warning: {
      "a doubtful figure at several levels": [
        { because: "TOO_SHORT", levels: "50, 100" },
        asked(["p99<50ms"], withFinding(50, "TOO_SHORT"), withFinding(100, "TOO_SHORT")),
      ],
      "no measurement": [{ because: "STEP_FAILED" }, asked(["p99<50ms"], broke)],
      "no ok answer": [{ because: "ALL_FAILED" }, asked(["p99<50ms"], counted({ ok: 0, inFlight: 50 }))],
      "a share in time that a generator at its limit made smaller": [
        { threshold: "within>99%", because: "GENERATOR_SATURATED", actual: 0.98 },
        asked(["within>99%"], inTime(0.98, found("GENERATOR_SATURATED"))),
      ],
      "a share in time that connections left waiting make larger": [
        { threshold: "within>99%", because: "CONNECTIONS_STARVED" },
        asked(["within>99%"], inTime(1, found("CONNECTIONS_STARVED"))),
      ],
      "a percentile that a program does not tell": [
        { threshold: "p999<50ms", because: "FIGURE_NOT_TOLD" },
        asked(["p999<50ms"], aStep({ measurement: aMeasurement({ latency: rounded }) })),
      ],
    },
    silent: {
      "a share in time that misses because requests failed": asked(
        ["within>99%"],
        inTime(0.5, found("NON_2XX", "warning", { share: 0.5 })),
      ),
      "a share in time that misses as requests could not leave": asked(
        ["within>99%"],
        inTime(0.5, found("LEVEL_NOT_REACHED", "warning", { unsent: 60 })),
      ),
    },
  },
  WORSE_THAN_REFERENCE: {
    error: {
      "throughput, with the figures of the worst level": [
        { ...compared, ...INTERVAL, metric: "throughput", change: near(-0.4), levels: "50, 100", connections: 50 },
        margin(1, {
          connections: [1, 50, 100],
          speed: (trial, n, name) => steady(name === "single" || n === 1 ? 1 : n === 50 ? 0.6 : 0.8)(trial),
        }),
      ],
      latency: [{ metric: "p50", change: near(2 / 3) }, margin(0.6)],
      "failed requests, by a margin of their own": [
        { metric: "errors", change: near(0.02), margin: 0.001 },
        margin(1, { failed: (_trial, _connections, target) => (target === "single" ? 0 : 0.02) }),
      ],
      "death where the reference did not die": [
        { metric: "deaths", died: 3, trials: 3, levels: "50", connections: 50 },
        margin(1, {
          trials: 3,
          connections: [1, 50],
          findings: (_, n, of) => (of !== "single" && n > 1 ? [died] : []),
        }),
      ],
    },
    silent: {
      "nothing worse": margin(1),
      "no margin": margin(0.5, { scenario: { margin: null } }),
      // While a run goes on, a margin decides nothing.
      "a run under way": { ...margin(0.5), finishedAt: null },
    },
  },
  COMPARISON_INCONCLUSIVE: {
    warning: {
      "one trial": [{ ...compared, because: "SINGLE_TRIAL", trialsNeeded: 4, levels: "50" }, FEW],
      "a doubt": [{ because: "MACHINE_SATURATED", levels: "50" }, margin(0.5, { findings: () => BUSY })],
      "much noise": [
        { because: "WITHIN_NOISE" },
        margin(1, { speed: (trial, _, target) => (trial % 2 === Number(target === "single") ? 1 : 2) }),
      ],
    },
    silent: { "a margin that is kept": margin(1), "no margin": margin(0.5, { trials: 3, scenario: { margin: null } }) },
  },
};

testRules(RULES, (given) => judgeResult(given).findings);

it("IDENTICAL_FIGURES takes each step of 300 targets a few times, not once for each other target", () => {
  let reads = 0;
  const steps = Array.from({ length: 300 }, (_, index) => {
    const { measurement = aMeasurement(), ...step } = at(50, { target: `${index}` });
    const latency = clocked(index);
    const get = () => ((reads += 1), { ...measurement, latency });
    return Object.defineProperty(step, "measurement", { get, enumerable: true }) as StepResult;
  });
  expect(findIdenticalFigures(steps)).toEqual([]);
  expect(reads).toBeLessThan(10 * steps.length);
});

describe("BYTES_DIFFER, whichever side differs,", () => {
  it.each<[string, object, object, string | undefined]>([
    ["bodies, of which one was counted without its head", { received: 1200, body: 1200 }, SMALL, "body"],
    ["an engine that counts nothing", { received: 0, body: 12 }, SMALL, "counting"],
    ["transfer rates of which only the sum is known", { received: 162 }, { received: 2430 }, "unknown"],
    ["a header that a balancer adds", SMALL, { received: 220, body: 12 }, undefined],
    ["what one tells of the whole, and the other of the body", { body: 12 }, { received: 162 }, undefined],
    ["the heads of gRPC, which are compressed", { received: 46, body: 12 }, { received: 60, body: 12 }, undefined],
  ])("says of %s", (_, one, other, reason) => {
    const reasonOf = (a: object, b: object): unknown =>
      argsOf(targets([answers("a", a), answers("b", b)]), "BYTES_DIFFER")[0]?.["reason"];
    expect([reasonOf(one, other), reasonOf(other, one)]).toEqual([reason, reason]);
  });
});

describe("the status", () => {
  const [P99, STRICT, ERRORS] = ["p99<50ms", "p99<15ms", "errors<1%"];
  const lost = withFinding(50, "REQUESTS_LOST", "error");
  const short = withFinding(50, "TOO_SHORT");
  const unseen = aStep({ state: "aborted", measurement: aMeasurement({ requests: { sent: 1, ok: 0, inFlight: 1 } }) });

  const MILD = [found("NON_2XX"), found("INTERRUPTED", "info")];
  const missing = margin(1, { trials: 3, scenario: { thresholds: [parseThreshold("p99<1ms")] } });

  const failing = counted({ ok: 989, non2xx: 11 });
  const MISCOUNTED = { figure: "errors", because: "closed-uncounted" };
  const miscounted = {
    ...counted({ ok: 900, non2xx: 100 }),
    findings: [found("FIGURE_DOUBTFUL", "warning", MISCOUNTED)],
  };
  const saturated = withFinding(50, "GENERATOR_SATURATED");
  const twoWays = (["NON_2XX", "TIMEOUTS"] as const).map((code) => found(code, "warning", { share: 0.0006 }));

  it.each<[Verdict["status"], string, Given & { readonly complete?: boolean }]>([
    ["pass", "nothing was found", given([aStep()])],
    ["pass", "only warnings are there", given([at(50, { findings: MILD })])],
    ["pass", "nothing is worse by the margin", margin(1)],
    ["fail", "one does not hold and another cannot be judged", asked([P99, STRICT], short, at(100))],
    ["fail", "a target is worse", margin(0.5)],
    ["fail", "there are too few trials for the margin and a threshold is missed", missing],
    ["inconclusive", "a step has an error", given([aStep(), lost])],
    ["inconclusive", "a threshold that does not hold rests on a short run", asked([STRICT], short)],
    ["inconclusive", "nothing was measured", given([])],
    ["inconclusive", "no request came to an end", given([unseen])],
    ["inconclusive", "it goes on", { ...asked([P99], aStep()), finishedAt: null }],
    ["inconclusive", "there are too few trials for the margin", margin(0.5, { trials: 3 })],
    ["inconclusive", "numbers are false, though it is worse", margin(0.5, { findings: () => LOST })],
    ["inconclusive", "over 1 % failed at a level, and no threshold is about errors", given([at(1), failing])],
    ["inconclusive", "over 1 % failed before the first fault", given([faulty([10, 35])])],
    ["pass", "over 1 % failed from the first fault on", given([faulty([30, 35])])],
    ["pass", "1 % failed, and no threshold is about errors", given([counted({ ok: 990, non2xx: 10 })])],
    ["pass", "a threshold says that more may fail", asked(["errors<2%"], failing)],
    ["pass", "it was to stop where more fail", stopping([1, 0], [50, 9])],
    ["inconclusive", "it was cut short", { ...given([aStep()]), complete: false }],
    ["fail", "it was cut short and has failed already", { ...asked(["p99<1ms"], aStep()), complete: false }],
    ["inconclusive", "a latency may be missed by the generator alone", asked([STRICT], saturated)],
    ["inconclusive", "a throughput may hold without the generator's limit", asked(["throughput>5000"], saturated)],
    ["fail", "a throughput does not hold even with the generator's limit", asked(["throughput<5000"], saturated)],
    ["fail", "errors that a program counts too low are too many", asked([ERRORS], miscounted)],
    ["inconclusive", "two ways to fail add up to a share", asked([P99], at(50, { findings: twoWays }))],
    ["fail", "a throughput is just not below what it has to be below", asked(["throughput<5000"], at(50))],
    ["pass", "a throughput is just what it has to be at least", asked(["throughput>=5000"], at(50))],
  ])("is %s when %s", (status, _, result) => {
    expect(judgeResult(result).status).toBe(status);
  });
});

describe("a search", () => {
  const OPEN = { held: 10, broken: null } as const;
  const overloaded = [found("ALL_FAILED", "error"), found("TARGET_DIED", "error")];

  it.each<[string, Given, Verdict["status"], readonly string[]]>([
    ["that found a limit", searched(), "pass", ["info LIMIT_FOUND"]],
    ["in which all held", searched({ status: "unbounded", ...OPEN }), "inconclusive", ["warning LIMIT_NOT_FOUND"]],
    ["cut short", searched({ status: "unfinished", ...OPEN }), "inconclusive", ["warning LIMIT_NOT_FOUND"]],
    ["of which nothing can be told", searched({ status: "unclear" }), "inconclusive", ["warning LIMIT_NOT_FOUND"]],
    ["of the generator", searched(doubted), "inconclusive", ["warning LIMIT_DOUBTFUL", "info LIMIT_FOUND"]],
    ["in which nothing held", searched({ status: "nothing-held", held: null }), "fail", ["error NOTHING_HELD"]],
    ["with false numbers", searched({}, LOST), "inconclusive", ["error REQUESTS_LOST", "info LIMIT_FOUND"]],
    [
      "in which too much load made a target fail, or die",
      searched({}, overloaded),
      "pass",
      ["warning ALL_FAILED", "warning TARGET_DIED", "info LIMIT_FOUND"],
    ],
  ])("%s has its status and its finding", (_, result, status, expected) => {
    const verdict = judgeResult(result);
    expect(verdict.status).toBe(status);
    expect(verdict.findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual(expected);
  });

  it("says which load held, and why the next did not", () => {
    const limit = { target: "single", held: 10, broken: 11, because: "errors<=0" };
    expect(argsOf(searched(), "LIMIT_FOUND")).toMatchObject([{ ...limit, connections: 10 }]);
    expect(argsOf(searched({ by: "rate" }), "LIMIT_FOUND")).toMatchObject([{ ...limit, rate: 10 }]);
  });
});

describe("thresholds", () => {
  const MET = ["throughput>0", "mean<1s", "p99<50ms", "errors<1%"];
  const NO_ERRORS = MET.slice(0, 3);
  it.each<[FindingCode, Severity, FindingArgs, readonly string[], (readonly string[])?]>([
    ["TOO_SHORT", "warning", {}, ["throughput", "mean", "p99"]],
    ["ALL_FAILED", "error", {}, ["throughput", "mean", "p99"]],
    ["LITTLES_LAW", "error", {}, ["throughput", "mean", "p99"]],
    ["INTERRUPTED", "info", {}, ["throughput", "mean", "p99", "errors"]],
    ["REQUESTS_LOST", "error", {}, ["throughput", "mean", "p99", "errors"]],
    ["FD_LIMIT", "error", {}, ["throughput", "mean", "p99", "errors"]],
    ["TLS_NOT_VERIFIED", "info", {}, []],
    // The waiting time of some is in no latency.
    ["CONNECTIONS_STARVED", "warning", {}, ["mean", "p99"]],
    // More throughput and less latency than was measured: what is met is met.
    ["GENERATOR_SATURATED", "warning", {}, []],
    ["MACHINE_SATURATED", "warning", {}, []],
    // As many failures as a threshold allows.
    ["NON_2XX", "warning", { share: 0.005 }, []],
    ["FIGURE_DOUBTFUL", "warning", { figure: "errors", because: "other-lengths" }, ["errors"]],
    ["FIGURE_DOUBTFUL", "warning", { figure: "errors", because: "closed-uncounted" }, ["errors"]],
    ["TIMEOUTS", "warning", {}, ["mean", "p99"], NO_ERRORS],
    ["TIMEOUTS", "warning", { share: 0.0011 }, ["mean", "p99"], NO_ERRORS],
    // Failures leave percentiles as they are up to one in a thousand, and the throughput of ok responses always.
    ["TIMEOUTS", "warning", { share: 0.001 }, ["mean"], NO_ERRORS],
  ])("with %s (%s) %j leave open: %j", (code, severity, args, open, thresholds = MET) => {
    const result = asked(thresholds, withFinding(50, code, severity, args));
    expect(argsOf(result, "THRESHOLD_INCONCLUSIVE").map(({ metric }) => metric)).toEqual(open);
  });
});

describe("the findings of a verdict", () => {
  /** What becomes of findings of one code, the first at 1 connection, the second at 2, ... */
  const group = (code: FindingCode, ...each: readonly FindingArgs[]): readonly FindingArgs[] =>
    argsOf(given(each.map((args, index) => withFinding(index + 1, code, "warning", args))), code);

  it("are one for each code and target, with levels, steps and the figures of the worst, the gravest first", () => {
    const step = (target: string, connections: number, trial: number, share: number): StepResult =>
      at(connections, {
        target,
        trial,
        findings: [found("INTERRUPTED", "info"), found("NON_2XX", "warning", { share, count: share * 100 })],
      });
    const steps = [step("a", 1000, 1, 0.2), step("a", 250, 1, 0.1), step("a", 250, 2, 0.4), step("b", 1000, 2, 0.3)];
    const { findings: all } = judgeResult(given([...steps, withFinding(50, "ALL_FAILED", "error")]));
    const findings = all.filter(({ code }) => code !== "PEAK");
    const order = findings.map(({ code, args }) => `${code} ${args["target"]}`).join(", ");
    expect(order).toBe("ALL_FAILED single, NON_2XX a, NON_2XX b, INTERRUPTED a, INTERRUPTED b");
    const worst = { share: 0.4, count: 40, connections: 250, trial: 2 };
    expect(findings[1]?.args).toEqual({ ...worst, target: "a", levels: "250, 1000", steps: 3 });
  });

  it.each<[FindingCode, FindingArgs, FindingArgs]>([
    ["TOO_SHORT", { elapsedMs: 300, minimumMs: 1000 }, { elapsedMs: 100, minimumMs: 1000 }],
    ["TOO_SHORT", { elapsedMs: 3000, minimumMs: 3200 }, { elapsedMs: 3000, minimumMs: 60_000 }],
    ["LEVEL_NOT_REACHED", { asked: 50, opened: 40 }, { asked: 50, opened: 0 }],
    ["LEVEL_NOT_REACHED", { rate: 100, planned: 300, unsent: 3 }, { rate: 100, planned: 300, unsent: 90 }],
    ["LITTLES_LAW", { asked: 50, computed: 60 }, { asked: 50, computed: 30 }],
  ])("of %s name the worst: not %j but %j", (code, mild, bad) => {
    expect(group(code, mild, bad, mild)).toMatchObject([{ ...bad, levels: "1, 2, 3", connections: 2 }]);
  });

  it.each<[FindingCode, FindingArgs, FindingArgs]>([
    ["REQUESTS_LOST", { sent: 5, accounted: 4 }, { completed: 5, counted: 4 }],
    ["LEVEL_NOT_REACHED", { rate: 9, planned: 9, unsent: 1 }, { rate: 9, latenessMs: 200 }],
  ])("of %s stay apart for %j and %j", (code, one, other) => {
    expect(group(code, one, other).map(({ levels }) => levels)).toEqual(["1", "2"]);
  });

  it("add up the requests of all steps beside those of the worst, where they count some", () => {
    const failed = (count: number, finished: number) => ({
      count,
      sent: finished + 10,
      finished,
      share: count / finished,
      status: "503",
    });
    const each = [failed(7, 34), failed(113, 326)];
    const all = { allCount: 120, allSent: 380, allFinished: 360, allShare: 1 / 3 };
    expect(group("NON_2XX", ...each)).toMatchObject([{ ...each[1], ...all, allStatus: "503" }]);
    const [mixed] = group("NON_2XX", ...each.map((args, index) => ({ ...args, status: `50${index}` })));
    expect(mixed).not.toHaveProperty("allStatus");
    const [none] = group("ALL_FAILED", { sent: 30, inFlight: 1 }, { sent: 40, inFlight: 2 });
    expect(none).toMatchObject({ allSent: 70, allInFlight: 3 });
  });

  it("say of failures that are quick when a target would seem to get better as it breaks", () => {
    const quick = (connections: number, non2xx: number, p50 = 15): StepResult => {
      const { histogram: _, ...measurement } = aMeasurement({
        requests: { ok: 1000, non2xx },
        latency: aLatency({ p50 }),
        ...(non2xx === 0 ? {} : { failedLatency: aLatency({ mean: 0.5, p50: 0.4, p66: 0.5, p75: 0.6, max: 0.9 }) }),
      });
      const step = at(connections, { measurement });
      return { ...step, findings: judgeStep(step, aScenario(), null) };
    };
    const lighter = (...steps: readonly StepResult[]) =>
      argsOf(given([...steps, quick(300, 2000)]), "FAST_FAILURES").at(-1);
    expect(lighter(quick(100, 0), quick(200, 0))).toMatchObject({ connections: 300, lighter: 200, lighterP50: 15 });
    expect(lighter(quick(200, 0, 0.3))).not.toHaveProperty("lighter");
    expect(lighter(quick(200, 1))).not.toHaveProperty("lighter");
  });
});
