import { describe, expect, it } from "vitest";
import type { Finding, FindingArgs, FindingCode } from "../model/finding.js";
import type { BackendShare, LatencySummary, Measurement } from "../model/measurement.js";
import type { Pressure } from "../model/pressure.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Usage, WorkerShare } from "../model/usage.js";
import type { Scenario } from "../model/scenario.js";
import { defined } from "../stats/defined.js";
import { createLatencyHistogram, encodeHistogram } from "../stats/histogram.js";
import { doneFault, slicesOf } from "../test-support/faulty-steps.js";
import {
  aFailedStep,
  aLatency,
  aMeasurement,
  anEnvironment,
  aProcessUsage,
  aRequest,
  aScenario,
  aStep,
  aUsage,
  aWorker,
} from "../test-support/fixtures.js";
import type { MeasurementOverrides } from "../test-support/fixtures.js";
import { aRampScenario, aRampStep } from "../test-support/ramps.js";
import { judgeStep } from "./judge-step.js";
import type { ConclusionCode } from "./conclusion-rows.js";
import { near, type ResponseCode, type Rule, type RunCode, testRules } from "./test-support/finding-rules.js";

interface Case {
  readonly step?: Partial<StepResult>;
  readonly measurement?: MeasurementOverrides;
  /** In place of the measurement of a faultless step: it has nothing but this. */
  readonly only?: Measurement;
  readonly scenario?: Partial<Scenario>;
  readonly environment?: Partial<Environment>;
}

function judge({ step, measurement, only, scenario, environment }: Case): readonly Finding[] {
  const measured = only ?? (measurement && aMeasurement(measurement));
  const given = aStep({ ...step, ...defined({ measurement: measured }) });
  return judgeStep(given, aScenario(scenario), anEnvironment(environment));
}

/** Codes that are found in a step; running gives three more. */
type StepCode = Exclude<
  FindingCode,
  RunCode | ResponseCode | ConclusionCode | "START_REPEATED" | "STEP_REPEATED" | "TLS_NOT_VERIFIED"
>;

type Change = Partial<StepResult>;
type Requests = NonNullable<MeasurementOverrides["requests"]>;
const seen = (measurement: MeasurementOverrides): Case => ({ measurement });
const sent = (requests: Requests): Case => seen({ requests });
const late = (mean: number, unsent: number): Case =>
  seen({ schedule: { rate: 100, planned: 300, unsent, lateness: { mean, p99: 3 * mean, max: 4 * mean } } });
const during = (step: Partial<StepResult>): Case => ({ step });
const warmed = (durationMs: number, steady: boolean | null): Case => during({ warmup: { durationMs, steady } });
const failedStep = (code: string, message = ""): Case => ({ step: { state: "failed", error: { code, message } } });
/** A step in which a backend is killed after three seconds, and what its slices have from then on, or from another one on. */
const killed = (what: Parameters<typeof slicesOf>[0], measurement: MeasurementOverrides = {}): Case => ({
  step: { level: { rate: 500 }, faults: [doneFault("kill", 3000), doneFault("start", 5000)] },
  measurement: { ...measurement, slices: slicesOf(what) },
});
const KILL = { fault: "kill backend-2 at 3s" };

/** A step of two workers, whose target was seen on this machine unless usage says otherwise. */
const byWorkers = (worker: Partial<WorkerShare>, usage: Partial<Usage> = {}, more: Change = {}): Case =>
  during({
    usage: aUsage({ generator: [], ...usage }),
    workers: [aWorker(), aWorker({ name: "gen2", ...worker })],
    ...more,
  });
const elsewhere: Partial<Usage> = { backends: [], machine: 1, steal: 0.3 };
const REFUSAL = aRequest({ expectStatus: "503" });
/** So many connections, all of which were opened once. */
const connected = (count: number) => ({ connections: { asked: count, opened: count, established: count } });
/** Backends that were given so many requests, and that accepted so many connections. */
const accepting = (requests: readonly number[], accepted: readonly number[]): Record<string, BackendShare> =>
  Object.fromEntries(
    requests.map((count, index) => {
      const connections = { before: 10, accepted: accepted[index] ?? 0, open: 10, active: 0 };
      return [`backend-${index + 1}`, { requests: count, connections }];
    }),
  );
/** A balancer with answers of these statuses, and so many requests at its backend. */
const refusing = (statusCodes: Record<string, number>, given: number, requests: Requests = {}): Case => {
  const { "200": good = 0, OK = 0, ...others } = statusCodes;
  const non2xx = requests.ok === undefined ? Object.values(others).reduce((sum, count) => sum + count, 0) : 0;
  const counts = { ok: good + OK, non2xx, ...requests };
  return seen({ requests: counts, statusCodes, backends: { a: { requests: given } } });
};
const errors = (code: string, count: number): MeasurementOverrides => ({
  requests: { connectErrors: count },
  errorCodes: { [code]: count },
});
const generator = (cpu: number, more: object = {}): Partial<StepResult> => ({
  usage: aUsage({ generator: [aProcessUsage({ cpu, ...more })] }),
});

/** Long enough that connecting explains next to nothing: 50 connections, 100 s, 10 ms, faultless with 500 000 ok. */
const long = (requests: Requests = { ok: 500_000 }, more: MeasurementOverrides = {}, step: Change = {}): Case => ({
  step: { level: { connections: 50, durationMs: 100_000 }, ...step },
  measurement: { elapsedMs: 100_000, requests, ...more },
});
/** Of 50 connections that were held so many were lost, each of which was opened anew. */
const held = (closed: number, reset: number, givenUp: number, step: Change = {}): Case => {
  const hold = { atStart: 50, alive: 50, established: 50 + closed + reset + givenUp, lost: { closed, reset, givenUp } };
  return { scenario: { hold: { everyMs: 4000 } }, step, measurement: { hold } };
};
const missing = { ok: 300_000 };
const mean = (ms: number, max?: number): LatencySummary => aLatency({ mean: ms, ...defined({ max }) });
/** A ramp of 50.5 users on average, each of whom gets 100 answers a second that take so long. */
const ramp = (p50?: number, more: Partial<Parameters<typeof aRampStep>[0]> = {}): Case => ({
  step: aRampStep({ at: (users) => ({ ok: users * 100, ...(p50 === undefined ? {} : { p50 }) }), ...more }),
  scenario: aRampScenario(),
});
const idle = { step: { usage: aUsage({ generator: [] }) } };

/** Of 1000 connections 300 are served all the time, and 700 wait with their first request until the end. */
const starved = (measurement: MeasurementOverrides = {}, step: Partial<StepResult> = {}): Case => ({
  step: { level: { connections: 1000, durationMs: 3000 }, ...step },
  measurement: {
    ...connected(1000),
    requests: { ok: 18_000, inFlight: 1000 },
    latency: aLatency({ mean: 50, max: 2900 }),
    ...measurement,
  },
});
/** 160 connections for a second that begins with their first requests. */
const opened = (measurement: MeasurementOverrides, step: Partial<StepResult> = {}): Case => ({
  step: { level: { connections: 160, durationMs: 1000 }, ...step },
  measurement: { elapsedMs: 1000, ...connected(160), ...measurement },
});
/** As {@link starved}, of a load that was at work before. */
const filled = (fill: Partial<typeof FILL>, measurement: MeasurementOverrides = {}, elapsedMs = 3000): Case => ({
  ...starved({ elapsedMs, fill: { ...FILL, ...fill }, ...measurement }),
  step: { level: { connections: 1000, durationMs: 500 } },
});
const FILL = { tookMs: 900, users: 1000, answered: 1000, carried: 1000, carriedMs: 0 };
/** A single connection to a quick target, whose generator takes a third of the time. */
const single = (ok: number, durationMs: number): Case => ({
  step: { level: { connections: 1, durationMs }, ...generator(0.35) },
  measurement: {
    elapsedMs: durationMs,
    ...connected(1),
    requests: { ok },
    latency: aLatency({ mean: 0.06, max: 4 }),
  },
});

/** What ab or wrk tells: few counts, no connections, no seconds, no histogram. */
const driven = (overrides: Partial<Measurement> = {}): Measurement => ({
  startedAt: "2026-11-05T10:00:00.000Z",
  elapsedMs: 3000,
  connections: { asked: 50 },
  requests: { sent: 15_000, ok: 15_000, non2xx: 0 },
  statusCodes: {},
  errorCodes: {},
  throughput: 5000,
  bytes: {},
  latency: { min: 4, p50: 9.8, p75: 11, p90: 13, p95: 15, p99: 20, max: 31 },
  timeline: [],
  program: { name: "ab", version: "2.3", command: ["ab", "http://127.0.0.1/"], output: "This is ApacheBench" },
  ...overrides,
});
/** What wrk2 says of 1000 connections at 100 requests/s for 3 s, which it prints as wrk does. */
const idling: Case = {
  step: { level: { connections: 1000, durationMs: 3000 } },
  only: driven({
    connections: { asked: 1000 },
    requests: { sent: 300, ok: 300, non2xx: 0 },
    program: { name: "wrk", version: null, command: null, output: "Running 3s test" },
  }),
};
const { latency: _latency, ...untold } = driven();

const ports: Partial<Environment> = { portRange: [40_000, 40_999] };
const pressure = (overrides: Partial<Pressure>): Change => {
  const timeWait = { before: 0, most: 10 };
  return { pressure: { ports: 1000, portsNeeded: 100, timeWait, socketsMost: 100, descriptors: [], ...overrides } };
};
const taken = (process: "generator" | "balancer", count: number): Case => ({
  step: pressure({ portsTaken: [{ process, destination: "127.0.0.1:8080", taken: count }] }),
});
const NO_PORT = { ...errors("EADDRNOTAVAIL", 7), connections: { opened: 0, established: 0 } };
const reconnecting = (ok: number): Case => ({
  scenario: { keepAlive: false, warmupMs: 0 },
  measurement: { requests: { ok } },
  environment: ports,
});
const use = (role: "generator" | "balancer" | "backend", most: number, limit: number | null) =>
  ({ name: `${role}-1`, role, most, limit }) as const;
const descriptors = (...uses: readonly ReturnType<typeof use>[]): Case => ({ step: pressure({ descriptors: uses }) });

/** Every value from 10 to 20 ms as often as any other, and failures that take a twentieth of that. */
const EVEN = aLatency({ min: 10, mean: 15, p50: 15, p66: 16.6, p75: 17.5, p80: 18, p90: 19, p95: 19.5, max: 20 });
const QUICK = Object.fromEntries(Object.entries({ ...EVEN }).map(([name, ms]) => [name, ms / 20])) as typeof EVEN;
const quick = (requests: Requests, more: MeasurementOverrides = {}): Case => {
  const histogram = createLatencyHistogram();
  for (let us = 10_000; us < 20_000; us += 10) histogram.recordValue(us);
  const measurement = { latency: EVEN, failedLatency: QUICK, histogram: encodeHistogram(histogram), requests, ...more };
  return seen(measurement);
};

/** A closed loop of so many seconds, all alike but for what is changed of one. */
const seconds = (count: number, change: (second: number) => object = () => ({}), more: Change = {}): Case => ({
  step: { level: { connections: 50, durationMs: count * 1000 }, ...more },
  measurement: {
    elapsedMs: count * 1000,
    requests: { ok: count * 5000 },
    timeline: Array.from({ length: count }, (_, second) => {
      return { second, sent: 5000, ok: 5000, failed: 0, p50: 9, p99: 20, max: 31, ...change(second) };
    }),
  },
});
/** The server hangs for 300 ms once in 5 seconds. */
const freezing = (second: number): object => (second % 5 === 3 ? { ok: 3500, max: 312 } : {});

const withoutHistogram = ({ measurement, ...rest }: Case): Case => {
  const { histogram: _, ...only } = aMeasurement(measurement);
  return { ...rest, only };
};

/** A rule of requests that failed in one way, and not of those that have another outcome. */
const counting = (args: FindingArgs, fires: Requests, silent: Requests): Rule<Case> => ({
  warning: { "requests that failed so": [args, sent(fires)] },
  silent: { others: sent(silent) },
});

const RULES: Readonly<Record<StepCode, Rule<Case>>> = {
  TARGET_DIED: {
    error: { "a target that exited": [{ message: "exited with code 1" }, during(aFailedStep())] },
    silent: { "a step that failed for another reason": failedStep("NOT_READY") },
  },
  STEP_FAILED: {
    error: { "a target that was not ready": [{ code: "NOT_READY", message: "no" }, failedStep("NOT_READY", "no")] },
    silent: { "a target that died": during(aFailedStep()), "an interruption": during({ state: "aborted" }) },
  },
  WORKER_LOST: {
    error: { "a worker that fell silent": [{ message: "gone" }, failedStep("WORKER_LOST", "gone")] },
    silent: { "another failure": failedStep("NOT_READY") },
  },
  WORKERS_DIFFER: {
    error: { "a worker of another version": [{ message: "0.9.0" }, failedStep("WORKERS_DIFFER", "0.9.0")] },
    silent: { "another failure": failedStep("WORKER_LOST") },
  },
  FAULT_NOT_APPLIED: {
    error: {
      "a process that is gone": [
        { ...KILL, fault: "kill backend-2 at 0", message: "no reason is known" },
        during({ faults: [doneFault("kill", null)] }),
      ],
    },
    silent: { "a fault that took effect": killed([]) },
  },
  FAULT_SURVIVED: {
    info: { "nothing lost": [KILL, killed([])] },
    silent: {
      "a request lost": killed([[30, 31, { resets: 1 }]]),
      "requests that wait until the end": killed([[30, 100, { ok: 25 }]]),
      "a backend that had no request before": killed([[0, 100, { given: [50, 0] }]]),
      "a step without faults": seen({}),
    },
  },
  FAULT_LOST: {
    info: {
      "requests lost": [
        { ...KILL, count: 20, sent: 5000, share: 0.004, recoveryMs: 200 },
        killed([[30, 32, { ok: 40, resets: 10 }]], { requests: { ok: 4980, resets: 20 } }),
      ],
    },
    silent: { "nothing lost": killed([]) },
  },
  NOT_RECOVERED: {
    warning: { "no end of it": [{ ...KILL, lookedMs: 7000 }, killed([[30, 100, { ok: 40, resets: 10 }]])] },
    silent: { "an end of it": killed([[30, 32, { ok: 40, resets: 10 }]]) },
  },
  BACKEND_NOT_USED_AGAIN: {
    warning: {
      "one that gets nothing": [
        { ...KILL, process: "backend-2", lookedMs: 5000 },
        killed([[30, 100, { given: [50, 0] }]]),
      ],
    },
    silent: { "one that gets its share": killed([[30, 55, { given: [50, 0] }]]) },
  },
  INTERRUPTED: {
    info: { "a step that was stopped": [{}, during({ state: "aborted" })] },
    silent: { "a failed step": during(aFailedStep()) },
  },
  REQUESTS_LOST: {
    error: {
      "outcomes that do not add up": [{ sent: 15_001, accounted: 15_000 }, sent({ sent: 15_001 })],
      "a balancer that passed on fewer than came back": [
        { completed: 15_000, counted: 14_999 },
        seen({ backends: { a: { requests: 7500, errors: 0 }, b: { requests: 7499, errors: 0 } } }),
      ],
    },
    silent: {
      "requests in flight": sent({ inFlight: 50 }),
      "a balancer that counted more": seen({ backends: { a: { requests: 15_050, errors: 3 } } }),
      "answers that the balancer made itself": seen({
        requests: { ok: 10_000, non2xx: 5000 },
        statusCodes: { "200": 10_000, "502": 5000 },
        backends: { a: { requests: 10_000, errors: 0 } },
      }),
    },
  },
  BACKENDS_NOT_REUSED: {
    warning: {
      "a pool that is too small for the connections": [
        { accepted: 3001, requests: 15_000, share: 3001 / 15_000 },
        seen({ backends: accepting([10_000, 5000], [3000, 1]) }),
      ],
    },
    silent: {
      "connections that are used again": seen({ backends: accepting([7500, 7500], [1500, 1500]) }),
      "a handful of requests": seen({ ...connected(1), backends: accepting([99], [99]) }),
      "a handful for each connection of a client": seen({ backends: accepting([499], [499]) }),
      "clients that close theirs": {
        measurement: { backends: accepting([15_000], [15_000]) },
        scenario: { keepAlive: false },
      },
      "backends that do not all count": seen({ backends: { ...accepting([7500], [7500]), other: { requests: 7500 } } }),
      "a server without backends": seen({ server: accepting([15_000], [15_000])["backend-1"] as BackendShare }),
    },
  },
  BALANCER_REFUSED: {
    warning: {
      "answers that no backend gave": [
        { count: 5000, sent: 15_000, share: 5000 / 15_000, status: "503" },
        refusing({ "200": 10_000, "503": 4990, "502": 10 }, 10_000),
      ],
      "what the balancer counts as given to a full backend, which has counted for itself": [
        { count: 5000 },
        seen({
          requests: { ok: 10_000, non2xx: 5000 },
          statusCodes: { "200": 10_000, "503": 5000 },
          backends: { a: { requests: 15_000, received: 10_000 } },
        }),
      ],
      "a part of the refusals": [{ count: 4000 }, refusing({ "200": 10_000, "503": 5000 }, 11_000)],
      "calls of gRPC": [{ status: "UNAVAILABLE" }, refusing({ OK: 10_000, UNAVAILABLE: 500 }, 10_000)],
    },
    silent: {
      "answers of the backends": refusing({ "200": 10_000, "503": 5000 }, 15_000),
      "requests that were sent to a second backend": refusing({ "200": 10_000, "503": 5000 }, 17_000),
      "a few that were under way": refusing({ "200": 10_000, "503": 5000 }, 14_991),
      "what a cache answered": refusing({ "200": 10_000, "503": 100 }, 5000),
      "another status": refusing({ "200": 10_000, "404": 5000 }, 10_000),
      "a status that is expected": {
        ...refusing({ "503": 15_000 }, 10_000, { ok: 15_000 }),
        scenario: { request: REFUSAL },
      },
      "a load with faults": {
        ...killed([]),
        measurement: { ...refusing({ "200": 10_000, "503": 5000 }, 10_000).measurement, slices: slicesOf([]) },
      },
      "a server without backends": seen({ requests: { ok: 10_000, non2xx: 5000 }, statusCodes: { "503": 5000 } }),
    },
  },
  ALL_FAILED: {
    error: {
      "nothing but failures": [{ sent: 900, inFlight: 0 }, sent({ ok: 0, non2xx: 900 })],
      "no answer in the whole time": [{ sent: 50, inFlight: 50 }, sent({ ok: 0, inFlight: 50 })],
    },
    silent: {
      "a single ok answer": sent({ ok: 1, non2xx: 900 }),
      "no request sent": sent({ ok: 0 }),
      "an interruption": { step: { state: "aborted" }, measurement: { requests: { ok: 0, inFlight: 50 } } },
    },
  },
  NON_2XX: {
    warning: {
      "with the most frequent status": [
        { count: 300, sent: 15_000, share: 0.02, expected: "2xx", status: "503" },
        seen({ requests: { ok: 14_700, non2xx: 300 }, statusCodes: { "200": 14_700, "404": 100, "503": 200 } }),
      ],
    },
    silent: { "expected errors": { ...seen({ statusCodes: { "503": 15_000 } }), scenario: { request: REFUSAL } } },
  },
  CONNECT_ERRORS: {
    warning: {
      "with the code of connecting, not of closing": [
        { count: 4, sent: 15_004, code: "ECONNREFUSED" },
        { measurement: { ...errors("", 4), errorCodes: { ECONNRESET: 9, EPIPE: 8, HPE_INVALID: 7, ECONNREFUSED: 4 } } },
      ],
    },
    silent: { "resets alone": seen({ requests: { resets: 3 }, errorCodes: { ECONNRESET: 3 } }) },
  },
  BODY_MISMATCH: {
    warning: {
      "requests that failed so": [{ count: 1 }, sent({ ok: 14_999, mismatched: 1 })],
      "answers in another protocol, by their code": [
        { count: 4, code: "ERR_HTTP2_NOT_SPOKEN" },
        seen({ requests: { mismatched: 4 }, errorCodes: { ECONNRESET: 9, ERR_HTTP2_NOT_SPOKEN: 4 } }),
      ],
    },
    silent: { others: sent({ non2xx: 1 }) },
  },
  // What was open at the end neither failed nor was answered.
  CONNECTIONS_RESET: counting(
    { count: 2, sent: 20, finished: 8, share: 0.25 },
    { ok: 6, resets: 2, inFlight: 12 },
    { dropped: 2 },
  ),
  REQUESTS_DROPPED: counting({ count: 3 }, { dropped: 3 }, { resets: 3 }),
  TIMEOUTS: counting({ count: 5, timeoutMs: 10_000 }, { timedOut: 5 }, { inFlight: 5 }),
  REQUESTS_FAILED: counting({ count: 6 }, { unclassified: 6 }, { resets: 6 }),
  FIGURE_NOT_TOLD: {
    info: { "a program that tells no latency": [{ program: "ab", figure: "latency", ok: 15_000 }, { only: untold }] },
    silent: {
      one: { only: driven() },
      "no ok answer": { only: { ...untold, requests: { sent: 9, ok: 0, non2xx: 9 } } },
    },
  },
  FIGURE_DOUBTFUL: {
    warning: {
      "a figure that seems to be another": [
        { program: "ab", figure: "errors", because: "closed-uncounted" },
        { only: driven({ doubts: [{ figure: "errors", because: "closed-uncounted" }] }) },
      ],
    },
    silent: { "a program that is believed": { only: driven({ doubts: [] }) } },
  },
  FAST_FAILURES: {
    info: {
      // 800 of 1600: the 600 failed ones and 200 of 1000 that lie evenly between 10 and 20 ms.
      "quick failures, with the median of all answers": [
        { count: 600, answers: 1600, share: 0.375, p50: 15, failedP50: 0.75, mean: 15, mixedP50: near(12, 1) },
        quick({ ok: 1000, non2xx: 600 }),
      ],
      "their mean": [{ mixedMean: near((1000 * 15 + 600 * 0.75) / 1600, 6) }, quick({ ok: 1000, non2xx: 600 })],
      // 200 of the 800 that failed have no answer, and may be the quickest: 600 of 1600 are sure of all below a millisecond.
      "failures without an answer, of which less is sure": [
        { count: 600, mixedP50: near(12, 1) },
        quick({ ok: 1000, non2xx: 600, resets: 200 }),
      ],
      // Nothing is known below the median of the good ones, so it is only sure that half of all are not above that.
      "no histogram": [{ mixedP50: QUICK.p66 as number }, withoutHistogram(quick({ ok: 100, non2xx: 900 }))],
    },
    silent: {
      "nothing failed": quick({ ok: 1000 }),
      "too few failed to be seen": quick({ ok: 1000, non2xx: 20 }),
      "failures as slow": quick({ ok: 1000, non2xx: 600 }, { failedLatency: EVEN }),
      "failures that were no answers": quick({ ok: 1000, resets: 600 }),
    },
  },
  PORTS_EXHAUSTED: {
    error: {
      "no free port": [
        { process: "generator", count: 7, first: 40_000, last: 40_999 },
        { measurement: errors("EADDRNOTAVAIL", 7), environment: ports },
      ],
      "no free port on the machine of a worker": [
        { process: "generator", count: 7 },
        { measurement: NO_PORT, ...byWorkers({}, {}, pressure({})) },
      ],
      "not one connection, and ports taken": [
        { count: 7 },
        { measurement: NO_PORT, step: pressure({ timeWait: { before: 990, most: 990 } }) },
      ],
    },
    warning: {
      "ports of the generator that are taken": [
        { process: "generator", taken: 801, ports: 1000, destination: "127.0.0.1:8080" },
        taken("generator", 801),
      ],
      "a rate without keep-alive": [{ process: "generator", needed: 801, ports: 1000 }, reconnecting(751)],
    },
    silent: {
      "another error": { measurement: errors("ECONNREFUSED", 1) },
      "not one connection with ports in plenty": { measurement: NO_PORT, step: pressure({}) },
      "sockets that are not the step's": { step: pressure({ timeWait: { before: 5000, most: 9000 }, portsTaken: [] }) },
      "what this machine has for workers": { ...reconnecting(751), ...byWorkers({}) },
    },
  },
  FD_LIMIT: {
    error: {
      "a generator that ran out": [
        { code: "EMFILE", count: 6, process: "generator", fdLimit: 512 },
        {
          measurement: errors("EMFILE", 6),
          ...descriptors(use("generator", 100, 512)),
          environment: { fdLimit: 1024 },
        },
      ],
      "the whole system": [{ code: "ENFILE", count: 6 }, { measurement: errors("ENFILE", 6) }],
    },
    warning: {
      "the process that came closest": [
        { process: "balancer-1", role: "balancer", used: 950, fdLimit: 1000 },
        descriptors(use("generator", 810, 1000), use("balancer", 950, 1000), use("backend", 2000, 20_000)),
      ],
      "too many users of a ramp": [
        { connections: 70_000, needed: 70_064, fdLimit: 65_536 },
        ramp(undefined, { users: 70_000 }),
      ],
    },
    silent: {
      "what this machine allows, for workers": {
        ...byWorkers({}, {}, { level: { connections: 1000, durationMs: 3000 } }),
        environment: { fdLimit: 1024 },
      },
      "a limit that suffices": { environment: { fdLimit: 114 } },
      "80 %, and no limit": descriptors(use("generator", 800, 1000), use("backend", 9000, null)),
    },
  },
  LITTLES_LAW: {
    error: {
      "latencies 20 % too long": [{ asked: 50, computed: 60, kind: "connections" }, long({ ok: 600_000 })],
      "a fifth of the time missing": [{ computed: 40 }, long({ ok: 400_000 })],
      "failed answers counted": [{ computed: 40 }, long({ ok: 300_000, non2xx: 200_000 }, { failedLatency: mean(5) })],
      // 50 users on average over the first 99 s, and 100 for one second more.
      "of a ramp by its mean of users": [{ kind: "users", asked: near(50.5, 6), computed: near(60.6, 6) }, ramp(12)],
      "a ramp cut short, of the users who had come": [{ asked: near(10.5, 6) }, ramp(15, { durationMs: 20_000 })],
    },
    silent: {
      "a faultless run": long(),
      "users that share connections": long({ ok: 500_000 }, connected(4)),
      "time missing within the tolerance": long({ ok: 460_000 }),
      "quick failures that complete the sum": long({ ok: 300_000, non2xx: 400_000 }, { failedLatency: mean(5) }),
      "connections done with their share": long(missing, {}, { level: { connections: 50, requests: 300_000 } }),
      "a saturated generator": long(missing, {}, generator(0.96)),
      "timeouts, which end after the last answer": long({ ...missing, timedOut: 4000 }, { failedLatency: mean(10) }),
      reconnects: long(missing, { connections: { established: 10_000 } }),
      "a level that was not reached": long(missing, { connections: { opened: 30 } }),
      "an interrupted step": long(missing, {}, { state: "aborted" }),
      "fewer than ten requests per connection": long({ ok: 499 }, { latency: mean(100, 200) }),
      "time that is the generator's": single(1_000_000, 100_000),
      "connections that took a second to be made": sent({ ok: 10_000 }),
      "a sound ramp": ramp(),
      // A tenth, half a user, and the second of each: 6.55 of 50.5.
      "time missing that connecting explains in a ramp": ramp(8.75, idle),
    },
  },
  CONNECTIONS_STARVED: {
    warning: {
      "connections that were not served": [{ asked: 1000, answered: 300 }, starved()],
      // As one busy event loop leaves them: 1.7 answers of each connection in 3 s.
      "too few requests for an error, that tell it all the same": [
        { asked: 1000, answered: near(79.3, 1) },
        starved({ requests: { ok: 1700, inFlight: 1000 }, latency: aLatency({ mean: 140, max: 2900 }) }),
      ],
      // A pool of 10 places with 100 ms each, asked by 160 connections for a second, whose start is part of it.
      "fewer answers than connections": [
        { asked: 160, answered: near(49.5, 0) },
        opened({ requests: { ok: 90, inFlight: 160 }, latency: aLatency({ mean: 550, max: 1000 }) }),
      ],
      "connections without an answer when measuring began": [
        { asked: 1000, answered: 10 },
        filled({ answered: 10 }, { requests: { ok: 59_000, inFlight: 1000 } }),
      ],
      "an eighth of a load that was at work": [
        { asked: 1000, answered: near(833.3, 1) },
        filled({}, { requests: { ok: 50_000, inFlight: 1000 } }),
      ],
    },
    silent: {
      "all served": starved({ requests: { ok: 59_000, inFlight: 1000 } }),
      "nothing that was ok": opened({ requests: { ok: 0, non2xx: 90, inFlight: 160 } }),
      "an interrupted step": opened({ requests: { ok: 90, inFlight: 160 } }, { state: "aborted" }),
      // Each is answered in 0.9 to 1.1 s, however many there are.
      "a target that takes as long as the measurement": opened({
        requests: { ok: 80, inFlight: 160 },
        latency: aLatency({ min: 900, mean: 950, max: 1000 }),
      }),
      "connections that a program lets idle": idling,
      "a few that had to wait": starved({ requests: { ok: 49_000, inFlight: 1000 } }),
      // All in turn, at a rate of 567 in 3 s: a mean of 1.25 s, and 1000 that wait at the end, half of that on average.
      "a slow target that serves all in turn": starved({
        requests: { ok: 1700, inFlight: 1000 },
        latency: aLatency({ mean: 1245, max: 1765 }),
      }),
      "a load that was at work, each with three answers": filled(
        {},
        { requests: { ok: 2900, inFlight: 1000 }, latency: aLatency({ mean: 990 }) },
      ),
    },
  },
  LEVEL_NOT_REACHED: {
    warning: {
      "requests that could not leave": [{ rate: 100, planned: 300, unsent: 1 }, late(0, 1)],
      "requests that left late": [{ rate: 100, latenessMs: 10.5 }, late(10.5, 0)],
      "a connection that was not opened": [{ asked: 50, opened: 49 }, seen({ connections: { opened: 49 } })],
    },
    silent: {
      "requests in time": late(9.5, 0),
      "connections that each send ten, in time": { ...late(50, 0), step: { level: { rate: 100, perConnection: 10 } } },
      "an interrupted step": { step: { state: "aborted" }, measurement: { connections: { opened: 3 } } },
    },
  },
  CONNECTIONS_LOST: {
    warning: {
      "idle connections that the server closed": [
        { lost: 33, closed: 30, reset: 2, givenUp: 1, established: 83, everyMs: 4000 },
        held(30, 2, 1),
      ],
    },
    info: { "those that a fault has ended": [{ lost: 50, closed: 50 }, held(50, 0, 0, { faults: [] })] },
    silent: {
      "connections that all live": held(0, 0, 0),
      "busy connections": seen({ connections: { established: 83 } }),
    },
  },
  KEEPALIVE_REFUSED: {
    info: {
      "a connection for each answer": [
        { established: 15_050, opened: 50, answers: 15_000 },
        seen({ connections: { established: 15_050 } }),
      ],
    },
    silent: {
      "no keep-alive wanted": { scenario: { keepAlive: false }, measurement: { connections: { established: 15_000 } } },
      "others opened when some had ended, where not all could be open at a time": seen({
        requests: { ok: 300, connectErrors: 50 },
        connections: { opened: 40, established: 90 },
      }),
      "a connection closed after 1000 requests": seen({ connections: { established: 65 } }),
      reconnecting: seen({ requests: { ok: 0, dropped: 900, resets: 100 }, connections: { established: 1050 } }),
    },
  },
  TOO_SHORT: {
    warning: {
      "less than a second": [{ elapsedMs: 949, minimumMs: 1000 }, seen({ elapsedMs: 949, requests: { ok: 4000 } })],
      "fewer than two answers of each connection": [
        { elapsedMs: 3000, minimumMs: 4000 },
        filled({}, { requests: { ok: 1500, inFlight: 1000 }, latency: aLatency({ mean: 1900 }) }),
      ],
      "fewer of each connection whose start is part of it": [
        { elapsedMs: 1000, minimumMs: near(3555.6, 0), cutOff: 1 },
        opened({ requests: { ok: 90, inFlight: 160 }, latency: aLatency({ mean: 550, max: 1000 }) }),
      ],
      "too few answers in half a second": [
        { elapsedMs: 500, minimumMs: near(950, 0) },
        filled({ users: 1, answered: 1, carried: 1 }, { requests: { ok: 20, inFlight: 1 } }, 500),
      ],
    },
    silent: {
      "a second less the moment that the first takes": seen({ elapsedMs: 951, requests: { ok: 5000 } }),
      "two answers of each connection": opened({ requests: { ok: 320, inFlight: 160 } }),
      "all requests of a run of so many": opened(
        { requests: { ok: 160 } },
        { level: { connections: 160, requests: 160 } },
      ),
      "connections that a program lets idle": idling,
      "streams of events": opened({ requests: { ok: 0, inFlight: 160 }, events: { count: 900, first: {} } }),
      "half a second of a load that was at work": filled({}, { requests: { ok: 50_000, inFlight: 1000 } }, 500),
    },
  },
  GENERATOR_SATURATED: {
    warning: {
      "the busiest of several": [
        { process: "generator-2", cpu: 0.99 },
        during({ usage: aUsage({ generator: [aProcessUsage(), aProcessUsage({ name: "generator-2", cpu: 0.99 })] }) }),
      ],
      "an event loop that never waits": [
        { process: "generator-1", cpu: 0.7, eventLoopUtilization: 0.97 },
        { step: generator(0.7, { eventLoopUtilization: 0.97 }) },
      ],
      "the full machine of a worker": [
        { worker: "gen2", host: "gen1", cpu: 0.2, eventLoopUtilization: 0.25, machineCpu: 0.95 },
        byWorkers({ machineCpu: 0.95 }, elsewhere),
      ],
    },
    silent: {
      "a short window": during({ usage: aUsage({ windowMs: 199, generator: [aProcessUsage({ cpu: 1 })] }) }),
      "some time left": { step: generator(0.94) },
      "workers with some time left": byWorkers({ cpu: 0.94, eventLoopUtilization: 0.94, machineCpu: 0.94 }),
      "a busy backend": during({ usage: aUsage({ backends: [aProcessUsage({ cpu: 1 })] }) }),
    },
  },
  MACHINE_SATURATED: {
    warning: {
      "cores of a target that others load": [{ machine: 0.95 }, byWorkers({}, { machine: 0.95 })],
      "all cores busy": [{ machine: 0.95 }, during({ usage: aUsage({ machine: 0.95 }) })],
      // Of the 6 cores' time that the host left of 8.
      "and the part of their time that the target had": [
        { machine: 1, ofTarget: near(0.75, 9), headroom: near(4 / 3, 9) },
        during({
          usage: aUsage({
            machine: 1,
            steal: 0.25,
            balancer: [aProcessUsage({ cpu: 0.5 })],
            backends: [aProcessUsage({ cpu: 2.5 }), aProcessUsage({ cpu: 1.5 })],
          }),
        }),
      ],
      // One thread, and two of which each had half a core.
      "of which its threads could not use all": [
        { ofTarget: near(0.225, 9), headroom: near(3 / 1.8, 9) },
        during({
          usage: aUsage({
            machine: 1,
            backends: [aProcessUsage({ cpu: 0.8, busiestThread: 0.8 }), aProcessUsage({ cpu: 1, busiestThread: 0.5 })],
          }),
        }),
      ],
    },
    silent: {
      "a machine without generator and target": byWorkers({}, elsewhere),
      "cores with some time left": during({ usage: aUsage({ machine: 0.94 }) }),
      "a short window": during({ usage: aUsage({ windowMs: 199, machine: 1 }) }),
    },
  },
  HOST_BUSY: {
    warning: { "a twentieth of the time taken": [{ steal: 0.05 }, during({ usage: aUsage({ steal: 0.05 }) })] },
    silent: { less: during({ usage: aUsage({ steal: 0.049 }) }) },
  },
  NOT_WARM: {
    warning: { "a warm-up that met its limit": [{ warmupMs: 15_000 }, warmed(15_000, false)] },
    silent: { "one that ended steady": warmed(2000, true), "one of a fixed time": warmed(500, null) },
  },
  DRIFT: {
    warning: {
      "a throughput that falls by half, the first second left out": [
        { change: -0.5 },
        seconds(7, (second) => ({ ok: second === 0 ? 10 : second < 4 ? 6000 : 3000 })),
      ],
      "one that rises": [{ change: near(3 / 11, 6) }, seconds(7, (second) => ({ ok: 1000 * (9 + second) }))],
    },
    silent: {
      "fewer than six seconds after the first": seconds(6, (second) => ({ ok: second < 3 ? 6000 : 3000 })),
      "a change that is small": seconds(9, (second) => ({ ok: second < 5 ? 5000 : 5200 })),
      "a rate, which is asked for": seconds(9, (at) => ({ ok: at < 5 ? 50 : 30 }), {
        level: { rate: 50, durationMs: 9000 },
      }),
      "a ramp": ramp(),
    },
  },
  STALLS: {
    warning: {
      "a pause of 300 ms every five seconds": [{ seconds: 2, of: 9, worstMs: 312, usualMs: 31 }, seconds(10, freezing)],
      "a second without answers": [
        { seconds: 1, least: 0, usual: 5000 },
        seconds(5, (at) => (at === 2 ? { ok: 0 } : {})),
      ],
    },
    silent: {
      "slow answers in every second": seconds(10, () => ({ max: 900 })),
      "a pause of less than 100 ms": seconds(10, (second) => ({ max: second === 3 ? 99 : 2 })),
      "the first second, in which connections are made": seconds(10, (second) => ({ max: second === 0 ? 1030 : 31 })),
      "three seconds after the first": seconds(4, freezing),
      "a few answers a second": seconds(10, (second) => ({ ok: second % 3 })),
    },
  },
};

testRules(RULES, judge);

describe("a step", () => {
  it.each<[string, Case]>([
    ["is faultless", {}],
    ["was measured by a program that tells little", { only: driven() }],
    ["was a ramp", ramp()],
  ])("that %s has no finding", (_, given) => {
    expect(judge(given)).toEqual([]);
  });

  it.each([
    ["autocannon", "wire"],
    ["./own.mjs", undefined],
  ])("whose generator was the limit, of the engine %s, names a faster engine: %s", (engine, faster) => {
    const [finding] = judge({ step: { ...generator(0.99), engine } });
    expect(finding?.code).toBe("GENERATOR_SATURATED");
    expect(finding?.args["fasterEngine"]).toBe(faster);
  });

  it("whose target used no time that was counted tells no share of it: a file cannot keep what is infinite", () => {
    const usage = aUsage({ machine: 1, backends: [aProcessUsage({ cpu: 0 })] });
    const found = judge(during({ usage })).find(({ code }) => code === "MACHINE_SATURATED");
    expect(found?.args).toEqual({ machine: 1 });
  });

  it("without usage or measurement, or without a word of the machine, is judged as far as it goes", () => {
    const { usage: _usage, ...unwatched } = aStep({
      level: { connections: 50, durationMs: 100_000 },
      measurement: aMeasurement({ elapsedMs: 100_000, requests: missing }),
    });
    expect(judgeStep(unwatched, aScenario(), null)).toEqual([]);
    const { measurement: _, ...unmeasured } = aStep({ state: "failed", error: { code: "A", message: "b" } });
    expect(judgeStep(unmeasured, aScenario(), anEnvironment()).map(({ code }) => code)).toEqual(["STEP_FAILED"]);
  });

  it("of which all requests failed says how, the gravest first", () => {
    const measurement = { requests: { ok: 0, non2xx: 90, dropped: 10 }, statusCodes: { "404": 90 } };
    expect(judge({ measurement }).map(({ code }) => code)).toEqual(["ALL_FAILED", "NON_2XX", "REQUESTS_DROPPED"]);
  });
});
