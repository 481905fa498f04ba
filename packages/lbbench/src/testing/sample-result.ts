import { resolveRequest } from "../config/requests.js";
import { judgeResult } from "../judge/judge-result.js";
import { judgeStep } from "../judge/judge-step.js";
import type { Environment, Result, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { createPlanner } from "../plan/planner.js";
import { stepUsage } from "../system/usage.js";
import { fakeMeasurement } from "./fake-engine.js";

/** What {@link createSampleResult} can vary. */
export interface SampleShape {
  /** How many there are; 2 by default. All but the first stand behind a balancer. */
  readonly targets?: number;
  /** Levels; 1, 50, 100 and 500 by default. */
  readonly connections?: readonly number[];
  /** 2 by default. */
  readonly trials?: number;
}

/** Creates the result of a sweep that never was: two targets, four levels, two trials; overload at the highest level. */
export function createSampleResult(shape: SampleShape = {}): Result {
  const scenario = sampleScenario(shape);
  const steps: StepResult[] = [];
  const planner = createPlanner(scenario);
  for (let key = planner.next(steps); key !== undefined; key = planner.next(steps)) {
    steps.push(sampleStep(key, scenario));
  }
  return {
    version: 1,
    tool: { name: "lbbench", version: "0.0.0" },
    startedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: "2026-01-01T00:01:00.000Z",
    complete: true,
    command: "lbbench sweep -c 1,50,100,500",
    scenario,
    environment: SAMPLE_ENVIRONMENT,
    steps,
    verdict: judgeResult({ scenario, steps }),
  };
}

/** The scenario of {@link createSampleResult}. */
export function sampleScenario({ targets = 2, connections = [1, 50, 100, 500], trials = 2 }: SampleShape): Scenario {
  return {
    name: "sample",
    targets: Array.from({ length: targets }, (_, index) =>
      index === 0
        ? { name: "single", server: "single", options: { handler: "hello", port: 0 } }
        : { name: `balanced | <${index * 4}>`, server: "balanced", options: { backends: index * 4 } },
    ),
    reference: "single",
    levels: connections.map((value) => ({ connections: value, durationMs: 3000 })),
    trials,
    request: resolveRequest({ headers: { Accept: "*/*" } }),
    mix: null,
    httpVersion: "1.1",
    warmupMs: 500,
    restart: "trial",
    timeoutMs: 10_000,
    keepAlive: true,
    arrival: null,
    ramp: null,
    engine: { name: "fake", generators: 1, options: {} },
    thresholds: [{ source: "p99<1s", metric: "p99", operator: "<", value: 1000 }],
    margin: null,
    errorMargin: 0.001,
    stopOn: [],
    order: "interleaved",
    seed: 1,
    search: null,
  };
}

/** A machine with 4 cores and 65 536 descriptors for each process. */
export const SAMPLE_ENVIRONMENT: Environment = {
  cpuModel: "Sample CPU",
  cores: 4,
  memoryBytes: 16_000_000_000,
  os: "Linux x64",
  kernel: "6.1.0",
  node: "v20.19.0",
  fdLimit: 65_536,
  portRange: [32_768, 60_999],
  loadAverage: 0.1,
};

function sampleStep(key: StepKey, scenario: Scenario): StepResult {
  const index = scenario.targets.findIndex(({ name }) => name === key.target);
  const balanced = index > 0;
  const isOverload = key.level.connections === scenario.levels.at(-1)?.connections;
  const measurement = fakeMeasurement(key, {
    capacity: balanced ? 8000 + index * 1000 : 4000 + key.trial * 50,
    slowerUs: 10 * key.trial + 5 * index,
    requests: isOverload ? { non2xx: 120 } : {},
  });
  const share = { requests: Math.ceil(measurement.requests.sent / 4), errors: 0 };
  const backends = Object.fromEntries([1, 2, 3, 4].map((one) => [`backend-${one}`, share]));
  const balancer = { name: "balancer", pid: 20, role: "balancer", cpu: 0.7, rssBytes: 70_000_000 } as const;
  const backend = { name: "backend-1", pid: 21, role: "backend", cpu: 0.5, rssBytes: 60_000_000 } as const;
  const generator = { name: "generator-1", pid: 10, cpu: 0.4, rssBytes: 80_000_000, eventLoopUtilization: 0.45 };
  const processes = balanced ? [balancer, backend] : [backend];
  const step = {
    ...key,
    engine: scenario.engine.name,
    state: "completed" as const,
    measurement: { ...measurement, ...(balanced ? { backends } : {}) },
    usage: stepUsage({ machine: 0.6, windowMs: measurement.elapsedMs, processes }, [generator]),
  };
  return { ...step, findings: judgeStep(step, scenario, SAMPLE_ENVIRONMENT) };
}
