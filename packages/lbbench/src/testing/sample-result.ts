import { judgeResult } from "../judge/judge-result.js";
import { judgeStep } from "../judge/judge-step.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { createPlanner } from "../plan/planner.js";
import { stepUsage } from "../system/usage.js";
import { fakeMeasurement } from "./fake-engine.js";
import { SAMPLE_ENVIRONMENT, sampleScenario, type SampleShape } from "./sample-scenario.js";
import { defined } from "../stats/defined.js";

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
    measurement: { ...measurement, ...defined({ backends: balanced ? backends : undefined }) },
    usage: stepUsage({ machine: 0.6, windowMs: measurement.elapsedMs, processes }, [generator]),
  };
  return { ...step, findings: judgeStep(step, scenario, SAMPLE_ENVIRONMENT) };
}
