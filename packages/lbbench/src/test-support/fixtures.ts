import { loadValue } from "../stats/load.js";
import { SAMPLE_ENVIRONMENT, SAMPLE_REQUEST, sampleScenario } from "../testing/sample-scenario.js";
import type { Level } from "../model/level.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { NetworkSettings } from "../model/pressure.js";
import type { Environment, Result, StepResult } from "../model/result.js";
import type { RequestSpec, Scenario, Workers } from "../model/scenario.js";
import type { ProcessUsage, Usage, WorkerShare } from "../model/usage.js";
import { defined } from "../stats/defined.js";

/** Builds a request: GET of `/`, any body, a status of 2xx expected. */
export function aRequest(overrides: Partial<RequestSpec> = {}): RequestSpec {
  return { ...SAMPLE_REQUEST, ...overrides };
}

/** Builds a scenario: one target, levels of 1, 50 and 100 connections for 3 s, 1 trial, keep-alive, no thresholds. */
export function aScenario(overrides: Partial<Scenario> = {}): Scenario {
  return {
    ...sampleScenario({ targets: 1, connections: [1, 50, 100], trials: 1 }),
    targets: [{ name: "single", server: "single", options: {} }],
    reference: null,
    request: aRequest(),
    engine: { name: "autocannon", generators: 1, options: {} },
    thresholds: [],
    ...overrides,
  };
}

/** Builds the latencies of {@link aMeasurement}: mean 10 ms. */
export function aLatency(overrides: Partial<LatencySummary> = {}): LatencySummary {
  return {
    min: 4,
    mean: 10,
    stddev: 2.5,
    p50: 9.8,
    p66: 10.5,
    p75: 11,
    p80: 11.5,
    p90: 13,
    p95: 15,
    p98: 18,
    p99: 20,
    p999: 28,
    max: 31,
    ...overrides,
  };
}

/** What {@link aMeasurement} lets a test change; counts, connections and bytes are changed field by field. */
export type MeasurementOverrides = Partial<Omit<Measurement, "requests" | "connections" | "bytes">> & {
  readonly requests?: Partial<Measurement["requests"]>;
  readonly connections?: Partial<Measurement["connections"]>;
  readonly bytes?: Partial<Measurement["bytes"]>;
};

const NO_FAILURES = { non2xx: 0, mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, inFlight: 0 };

/**
 * Builds a faultless measurement: 50 connections for 3 s, 15 000 ok answers of 10 ms on average, which is what Little's
 * law asks for. `sent` follows from the other counts and `throughput` from `ok`, unless they are given.
 */
export function aMeasurement(overrides: MeasurementOverrides = {}): Measurement {
  const { requests, connections, bytes, ...rest } = overrides;
  const counts = { ok: 15_000, ...NO_FAILURES, ...requests };
  const { sent: _, ...outcomes } = { sent: 0, ...counts };
  const sent = requests?.sent ?? Object.values(outcomes).reduce((total, count) => total + count, 0);
  const elapsedMs = overrides.elapsedMs ?? 3000;
  return {
    startedAt: "2026-11-05T10:00:00.000Z",
    elapsedMs,
    connections: { asked: 50, opened: 50, established: 50, ...connections },
    requests: { ...counts, sent },
    statusCodes: counts.ok > 0 ? { "200": counts.ok } : {},
    errorCodes: {},
    throughput: elapsedMs > 0 ? (counts.ok / elapsedMs) * 1000 : 0,
    bytes: { received: counts.ok * 160, body: counts.ok * 12, sent: sent * 90, ...bytes },
    ...defined({ latency: counts.ok > 0 ? aLatency() : undefined }),
    // 15 000 values of 9.8 ms.
    histogram: "HISTFAAAACd4nJNpmSzMwMDAysDAwMjAwMDMAAGMYJLfyQHGn+i84RUjAEkCBFI=",
    timeline: [],
    ...rest,
  };
}

/** Builds the usage of one process: a fifth of a core. */
export function aProcessUsage(overrides: Partial<ProcessUsage> = {}): ProcessUsage {
  return { name: "generator-1", pid: 4711, cpu: 0.2, rssBytes: 80_000_000, ...overrides };
}

/** Builds the usage of a step in which nothing was busy. */
export function aUsage(overrides: Partial<Usage> = {}): Usage {
  return {
    generator: [aProcessUsage({ eventLoopUtilization: 0.25 })],
    backends: [aProcessUsage({ name: "backend-1", pid: 4712 })],
    machine: 0.3,
    windowMs: 3000,
    bottleneck: "none",
    ...overrides,
  };
}

/** Builds the choice of three workers that the user starts. */
export function aCrew(overrides: Partial<Workers> = {}): Workers {
  return {
    from: "wait",
    count: 3,
    listen: { host: "127.0.0.1", port: 5557 },
    waitMs: 60_000,
    retryLost: false,
    ...overrides,
  };
}

/** Builds what one of two workers did of {@link aStep}, with a fifth of a core of 4. */
export function aWorker(overrides: Partial<WorkerShare> = {}): WorkerShare {
  return {
    name: "gen1",
    host: "gen1",
    share: 25,
    sent: 7500,
    cpu: 0.2,
    machineCpu: 0.1,
    cores: 4,
    rssBytes: 80_000_000,
    eventLoopUtilization: 0.25,
    startSkewMs: 0,
    ...overrides,
  };
}

const LEVEL: Level = { connections: 50, durationMs: 3000 };

/** Builds a completed step of target `single` at 50 connections, with {@link aMeasurement} and {@link aUsage}. */
export function aStep(overrides: Partial<StepResult> = {}): StepResult {
  const level = overrides.level ?? LEVEL;
  const connections = loadValue(level);
  return {
    target: "single",
    level,
    trial: 1,
    engine: "autocannon",
    state: "completed",
    measurement: aMeasurement({
      connections: { asked: connections, opened: connections, established: connections },
      // As many answers of 10 ms as so many connections give in 3 s.
      requests: { ok: connections * 300 },
    }),
    usage: aUsage(),
    findings: [],
    ...overrides,
  };
}

/** Builds a failed step without a measurement. */
export function aFailedStep(overrides: Partial<StepResult> = {}): StepResult {
  return {
    target: "single",
    level: LEVEL,
    trial: 1,
    engine: "autocannon",
    state: "failed",
    error: { code: "TARGET_DIED", message: "exited with code 1" },
    findings: [],
    ...overrides,
  };
}

/** Builds the description of a machine with 8 cores and 65 536 descriptors per process. */
export function anEnvironment(overrides: Partial<Environment> = {}): Environment {
  return { ...SAMPLE_ENVIRONMENT, cores: 8, os: "linux", node: "20.19.0", ...overrides };
}

/** What Linux allows by default. */
export const NETWORK: NetworkSettings = {
  ephemeralPorts: 28_232,
  tcpTwReuse: 2,
  tcpTwReuseDelayMs: 1000,
  tcpTimestamps: true,
  somaxconn: 4096,
  tcpMaxSynBacklog: 2048,
};

/** Builds a finished result with one step for each target and level of its scenario, unless steps are given. */
export function aResult(overrides: Partial<Result> = {}): Result {
  const scenario = overrides.scenario ?? aScenario();
  const steps = scenario.targets.flatMap(({ name }) =>
    scenario.levels.flatMap((level) =>
      Array.from({ length: scenario.trials }, (_, index) => aStep({ target: name, level, trial: index + 1 })),
    ),
  );
  return {
    version: 1,
    tool: { name: "lbbench", version: "0.1.0" },
    startedAt: "2026-11-05T10:00:00.000Z",
    finishedAt: "2026-11-05T10:01:00.000Z",
    complete: true,
    command: "lbbench sweep --connections 1,50,100",
    scenario,
    environment: anEnvironment(),
    steps,
    verdict: { status: "pass", findings: [] },
    ...overrides,
  };
}
