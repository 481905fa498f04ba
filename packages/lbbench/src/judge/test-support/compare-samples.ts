import type { Finding, FindingArgs, FindingCode } from "../../model/finding.js";
import type { Measurement } from "../../model/measurement.js";
import type { Result, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import { loadValue } from "../../stats/load.js";
import { doneFault, slicesOf } from "../../test-support/faulty-steps.js";
import { aLatency, aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import type { Margins } from "../metrics.js";
import { judgeResult } from "../judge-result.js";
import { judgeStep } from "../judge-step.js";
import { defined } from "../../stats/defined.js";

/** What the defaults allow. */
export const MARGINS: Margins = { margin: 0.05, errorMargin: 0.001 };

/** What {@link aRun} varies. */
export interface RunShape {
  readonly targets?: readonly string[];
  readonly connections?: readonly number[];
  readonly trials?: number;
  readonly scenario?: Partial<Scenario>;
  /** Factor of the throughput of a trial, which counts from 1; by default they differ by 1 % from one to the next. */
  readonly speed?: (trial: number, connections: number, target: string) => number;
  /** Share of the requests that get no good answer. */
  readonly failed?: (trial: number, connections: number, target: string) => number;
  readonly findings?: (trial: number, connections: number, target: string) => readonly Finding[];
  /** Everything else of the result. */
  readonly result?: Partial<Result>;
}

/** Speeds of trials that differ by 1 % from one to the next, times a factor. */
export function steady(factor = 1): (trial: number) => number {
  return (trial) => factor * (1 + trial / 100);
}

const REQUESTS = 10_000;
const SAMPLE_STARTED_AT = aResult().startedAt;

/** Replaces steps of a run. */
export function changed(run: Result, change: (step: StepResult) => StepResult): Result {
  return { ...run, steps: run.steps.map(change) };
}

/** Replaces figures of what was measured in a run. */
export function remeasured(run: Result, change: Remeasure): Result {
  return changed(run, (step) => {
    const { measurement = aMeasurement() } = step;
    return { ...step, measurement: { ...measurement, ...change(measurement, step) } };
  });
}

/** Figures in place of those of a step. */
export type Remeasure = (measurement: Measurement, step: StepResult) => Partial<Measurement>;

/** Gives the steps of a run, and the run, the findings that it has in truth. */
export function judged(run: Result): Result {
  const { scenario, environment } = run;
  const told = changed(run, (step) => ({ ...step, findings: judgeStep(step, scenario, environment) }));
  return { ...told, verdict: judgeResult(told) };
}

/**
 * Builds the result of a closed loop: by default one target, 50 connections, 6 trials. p50 follows from the throughput as
 * Little's law has it, p99 is three times that.
 */
export function aRun(shape: RunShape = {}): Result {
  const { targets = ["single"], connections = [50], trials = 6, speed = steady() } = shape;
  const { failed = () => 0, findings = () => [] } = shape;
  const scenario = aScenario({
    targets: targets.map((name) => ({ name, server: "single", options: {} })),
    levels: connections.map((value) => ({ connections: value, durationMs: 3000 })),
    trials,
    ...shape.scenario,
  });
  // Two runs never agree in every digit; one that was started at the same time is the same run.
  const slowerMs = (shape.result?.startedAt ?? SAMPLE_STARTED_AT) === SAMPLE_STARTED_AT ? 0 : 0.001;
  const steps = scenario.levels.flatMap((level) =>
    scenario.targets.flatMap(({ name }) =>
      Array.from({ length: trials }, (_, index): StepResult => {
        const place = [index + 1, loadValue(level), name] as const;
        const throughput = 1000 * speed(...place);
        const p50 = (loadValue(level) / throughput) * 1000;
        const sent = level.requests ?? REQUESTS;
        const non2xx = Math.round(sent * failed(...place));
        const ok = sent - non2xx;
        const { latency, ...measurement } = aMeasurement({
          throughput: ok === 0 ? 0 : throughput,
          elapsedMs: (Math.max(ok, 1) / throughput) * 1000,
          requests: { ok, non2xx },
          latency: aLatency({ mean: p50, p50, p90: 2 * p50, p99: 3 * p50, max: 3 * p50 + slowerMs }),
        });
        return aStep({
          target: name,
          level,
          trial: index + 1,
          measurement: { ...measurement, ...defined({ latency: ok === 0 ? undefined : latency }) },
          findings: findings(...place),
        });
      }),
    ),
  );
  return aResult({ scenario, steps, ...shape.result });
}

/** A warning in every step, or in those of one target, up to a trial. */
export const warned = (code: FindingCode, of?: string, args: FindingArgs = {}, upTo = Infinity): RunShape => ({
  findings: (trial, _, target) =>
    trial <= upTo && (of === undefined || of === target) ? [{ code, severity: "warning", args }] : [],
});

/** Builds a run of two targets, of which the second, `balanced`, has a throughput of this part of that of `single`. */
export function aPair(factor: number, shape: RunShape = {}): Result {
  return aRun({
    targets: ["single", "balanced"],
    speed: (trial, _, target) => steady(target === "single" ? 1 : factor)(trial),
    ...shape,
    scenario: { reference: "single", ...shape.scenario },
  });
}

/** Ten seconds at 500 requests a second. */
export const AT_RATE: RunShape = { scenario: { levels: [{ rate: 500, durationMs: 10_000 }] } };

/** What a fault costs: requests, and slices in which half of the answers do not come. */
export interface Faulty {
  readonly lost?: number;
  readonly outage?: number;
}

/** Has a backend killed after three seconds in every step of a run. */
export function withFault({ lost = 0, outage = 0 }: Faulty, run: Result): Result {
  const slices = slicesOf([
    [30, 31, { resets: lost }],
    [30, 30 + outage, { ok: 25 }],
  ]);
  const faults = [doneFault("kill", 3020)];
  return changed(
    remeasured(run, () => ({ slices })),
    (step) => ({ ...step, faults }),
  );
}
