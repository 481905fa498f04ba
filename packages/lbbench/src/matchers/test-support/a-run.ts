import { judgeResult } from "../../judge/judge-result.js";
import { judgeStep } from "../../judge/judge-step.js";
import type { Result, StepKey, StepResult } from "../../model/result.js";
import type { Scenario } from "../../model/scenario.js";
import { createFixedSweep } from "../../plan/fixed-sweep.js";
import { aScenario } from "../../test-support/fixtures.js";
import { createSampleResult } from "../../testing/sample-result.js";
import { fakeMeasurement, type FakeOutcome } from "../../testing/fake-measurement.js";

/** What a run is to have seen; what is left out is one faultless target at 10 and 50 connections, in five trials of 3 s. */
export interface RunShape {
  /** What each target was like in a step, by its name. */
  readonly targets?: Readonly<Record<string, (key: StepKey) => FakeOutcome>>;
  readonly scenario?: Partial<Scenario>;
  /** Changes a step before it is judged. */
  readonly change?: (step: StepResult) => StepResult;
  readonly result?: Partial<Result>;
}

const FAULTLESS = (): FakeOutcome => ({});
const JITTER = 0.002;

/** Builds a run that never was, judged as a real one; no two trials of it are alike. */
export function aRun({ targets = { single: FAULTLESS }, scenario: given, change, result }: RunShape = {}): Result {
  const names = Object.keys(targets);
  const scenario = aScenario({
    targets: names.map((name) => ({ name, server: "single", options: {} })),
    levels: [10, 50].map((connections) => ({ connections, durationMs: 3000 })),
    trials: 5,
    ...given,
  });
  const sample = createSampleResult();
  const steps: StepResult[] = [];
  const planner = createFixedSweep(scenario);
  for (let key = planner.next(steps); key !== undefined; key = planner.next(steps)) {
    const at = names.indexOf(key.target);
    const seen = targets[key.target]?.(key) ?? {};
    const latencyMs = (seen.latencyMs ?? 10) * (1 + JITTER * key.trial + (JITTER / 3) * at);
    const measured = fakeMeasurement(key, { ...seen, latencyMs, slowerUs: steps.length + 1 });
    // Half of the latencies that are made up lie well below this, so that the median jumps with their number.
    const latency = measured.latency && { ...measured.latency, p50: latencyMs * 0.9 };
    const measurement = { ...measured, ...(latency === undefined ? {} : { latency }) };
    const raw: StepResult = { ...key, engine: "fake", state: "completed", measurement, findings: [] };
    const step = change?.(raw) ?? raw;
    steps.push({ ...step, findings: judgeStep(step, scenario, sample.environment) });
  }
  const run: Result = { ...sample, startedAt: `2026-01-01T00:00:0${names.length}.000Z`, scenario, steps, ...result };
  return { ...run, verdict: result?.verdict ?? judgeResult(run) };
}

/** A target that takes so many times as long as one that is faultless. */
export function slower(factor: number): () => FakeOutcome {
  return () => ({ latencyMs: 10 * factor });
}
