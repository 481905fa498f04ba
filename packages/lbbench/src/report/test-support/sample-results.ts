import type { Level } from "../../model/level.js";
import type { Measurement } from "../../model/measurement.js";
import type { Result, StepResult } from "../../model/result.js";
import {
  aFailedStep,
  aLatency,
  aMeasurement,
  aProcessUsage,
  aResult,
  aScenario,
  aUsage,
} from "../../test-support/fixtures.js";
import { defined } from "../../stats/defined.js";

/** What {@link aSweep} varies. */
interface SweepShape {
  readonly targets?: readonly string[];
  readonly connections?: readonly number[];
  readonly trials?: number;
  /** Replaces a step, or keeps it by returning it. */
  readonly change?: (step: StepResult) => StepResult;
}

const REQUESTS = 1000;

/**
 * Builds the result of a sweep whose figures rise, level off and fall as those of real servers do: two targets, six
 * levels and one trial unless asked otherwise; every target after the first has a balancer and four backends.
 */
export function aSweep(shape: SweepShape = {}): Result {
  const { targets = ["single", "balanced"], connections = [1, 50, 100, 250, 500, 1000], trials = 1 } = shape;
  const levels = connections.map((value) => ({ connections: value, requests: REQUESTS }));
  const steps = levels.flatMap((level) =>
    targets.flatMap((target, index) =>
      Array.from({ length: trials }, (_, trial) => measuredStep(target, index, level, trial + 1)),
    ),
  );
  return aResult({
    scenario: aScenario({
      name: "sample",
      targets: targets.map((name, index) => ({ name, server: index === 0 ? "single" : "balanced", options: {} })),
      reference: targets.length > 1 ? (targets[0] ?? null) : null,
      levels,
      trials,
    }),
    steps: shape.change === undefined ? steps : steps.map(shape.change),
  });
}

/** Replaces a step by one of the same place that failed without a measurement. */
export function failed(step: StepResult): StepResult {
  const { target, level, trial } = step;
  return aFailedStep({ target, level, trial });
}

/** Replaces a step by one in which the share `ratio` of the requests got a 503, and half as many a reset. */
export function withFailures(step: StepResult, ratio: number): StepResult {
  const non2xx = Math.round(REQUESTS * ratio);
  const resets = Math.min(REQUESTS - non2xx, Math.round((REQUESTS * ratio) / 2));
  const ok = REQUESTS - non2xx - resets;
  const { latency, ...measurement } = aMeasurement({
    elapsedMs: step.measurement?.elapsedMs ?? 1000,
    requests: { ok, non2xx, resets },
    statusCodes: { "503": non2xx, ...defined({ "200": ok > 0 ? ok : undefined }) },
  });
  return { ...step, measurement: ok > 0 && latency !== undefined ? { ...measurement, latency } : measurement };
}

/** Replaces figures of a step, where it has a measurement. */
export function withFigures(step: StepResult, figures: Partial<Measurement>): StepResult {
  return step.measurement === undefined ? step : { ...step, measurement: { ...step.measurement, ...figures } };
}

/** Gives the backends of every target these weights. */
export function weighed(result: Result, weights: Readonly<Record<string, number>>): Result {
  const group = { server: "single", options: {}, count: 1 };
  const backends = Object.entries(weights).map(([name, weight]) => ({ ...group, name, weight }));
  const targets = result.scenario.targets.map((target) => ({ ...target, options: { backends } }));
  return { ...result, scenario: { ...result.scenario, targets } };
}

function measuredStep(target: string, index: number, level: Level, trial: number): StepResult {
  const { connections = 0 } = level;
  const wobble = 1 + 0.04 * Math.sin(connections + 7 * trial + 3 * index);
  const capacity = (9000 + 2500 * index) * wobble;
  const throughput = (capacity * connections) / (connections + 12 + 8 * index) / (1 + connections / 6000);
  const mean = (connections / throughput) * 1000;
  const times = (factor: number): number => Number((mean * factor).toFixed(3));
  const low = { min: times(0.5), mean: times(1), p50: times(0.93) };
  const elapsedMs = (REQUESTS / throughput) * 1000;
  return {
    target,
    level,
    trial,
    engine: "autocannon",
    state: "completed",
    measurement: aMeasurement({
      elapsedMs,
      requests: { ok: REQUESTS },
      throughput,
      connections: { asked: connections, opened: connections, established: connections },
      latency: aLatency({ ...low, p90: times(1.5), p99: times(3), max: times(9) }),
      ...defined({ backends: index === 0 ? undefined : backendShares() }),
    }),
    usage: usageOf(index, throughput / 12_000),
    findings: [],
  };
}

function backendShares(): NonNullable<NonNullable<StepResult["measurement"]>["backends"]> {
  return Object.fromEntries([1, 2, 3, 4].map((id) => [`backend-${id}`, { requests: REQUESTS / 4, errors: 0 }]));
}

function usageOf(index: number, load: number): NonNullable<StepResult["usage"]> {
  const generator = [aProcessUsage({ name: "generator-1", cpu: 0.6 * load, eventLoopUtilization: 0.7 * load })];
  return index === 0
    ? aUsage({ generator, backends: [aProcessUsage({ name: "backend-1", cpu: load })], bottleneck: "backend" })
    : aUsage({
        generator,
        balancer: [aProcessUsage({ name: "balancer", cpu: Math.min(1, load * 1.2), eventLoopUtilization: load })],
        backends: [1, 2, 3, 4].map((id) => aProcessUsage({ name: `backend-${id}`, cpu: load / 3 })),
        bottleneck: "balancer",
      });
}
