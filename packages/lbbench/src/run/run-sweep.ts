import { createChildPool } from "../child/pool.js";
import { createTeardown } from "../child/teardown.js";
import { judgeResult } from "../judge/judge-result.js";
import type { Environment, Result, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Planner } from "../plan/planner.js";
import type { Engine, Server } from "../plugin.js";
import { captureEnvironment } from "./environment.js";
import { runStep, type StepContext } from "./run-step.js";
import { createStartTarget, retryOnce, type StartTarget } from "./start-target.js";
import type { SweepListener } from "./sweep-event.js";

/** What a sweep is run with beside its scenario. */
export interface SweepRun {
  readonly tool: Result["tool"];
  readonly command: string | null;
  readonly planner: Planner;
  readonly engine: Engine;
  readonly servers: ReadonlyMap<string, Server>;
  readonly signal: AbortSignal;
  readonly onEvent: SweepListener;
  /** Called with the result so far after every step, and at the end. */
  readonly save: (result: Result) => Promise<void>;
}

/**
 * Executes the steps of a planner one by one; resolves with the result, which is partial when the signal was aborted.
 *
 * Rejects with a `StartError`, before any load is sent, when a target cannot be started or reached.
 */
export async function runSweep(scenario: Scenario, run: SweepRun): Promise<Result> {
  const startedAt = new Date().toISOString();
  const environment = await captureEnvironment();
  const steps: StepResult[] = [];
  const assemble = (finishedAt: string | null): Result => ({
    version: 1,
    tool: run.tool,
    startedAt,
    finishedAt,
    complete: finishedAt !== null && run.planner.next(steps) === undefined && !run.signal.aborted,
    command: run.command,
    scenario,
    environment,
    steps: [...steps],
    verdict: judgeResult({ scenario, steps }),
  });
  const teardown = createTeardown();
  try {
    const children = createChildPool("generator");
    teardown.add(children.close);
    run.onEvent({ type: "start", scenario, environment, total: run.planner.total });
    const startTarget = createStartTarget(scenario, run.servers);
    await checkTargets(scenario, startTarget, run);
    const context = { scenario, environment, engine: run.engine, children, signal: run.signal };
    for (let key = nextStep(run, steps); key !== undefined; key = nextStep(run, steps)) {
      const index = steps.length;
      run.onEvent({ type: "step", step: key, index });
      const step = await runStep(key, stepContext(context, key, startTarget, run));
      steps.push(step);
      await run.save(assemble(null));
      run.onEvent({ type: "step-done", step, index });
    }
  } finally {
    await teardown.run();
  }
  const result = assemble(new Date().toISOString());
  await run.save(result);
  run.onEvent({ type: "done", result });
  return result;
}

function nextStep({ planner, signal }: SweepRun, steps: readonly StepResult[]): ReturnType<Planner["next"]> {
  return signal.aborted ? undefined : planner.next(steps);
}

async function checkTargets(scenario: Scenario, startTarget: StartTarget, run: SweepRun): Promise<void> {
  for (const { name } of scenario.targets) {
    if (run.signal.aborted) return;
    run.onEvent({ type: "check", target: name });
    try {
      const server = await startTarget(name, run.signal);
      await server.stop();
    } catch (error) {
      if (!run.signal.aborted) throw error;
    }
  }
}

function stepContext(
  shared: { readonly scenario: Scenario; readonly environment: Environment } & Pick<
    StepContext,
    "engine" | "children" | "signal"
  >,
  step: Parameters<typeof runStep>[0],
  startTarget: StartTarget,
  { onEvent }: SweepRun,
): StepContext {
  return {
    ...shared,
    startTarget: retryOnce(startTarget),
    onPhase: (phase) => onEvent({ type: "phase", step, phase }),
    onProgress: (progress) => onEvent({ type: "progress", step, ...progress }),
  };
}
