import { createChildPool } from "../system/fork.js";
import { createTeardown } from "../system/teardown.js";
import { judgeResult } from "../judge/judge-result.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Planner } from "../plan/planner.js";
import type { Engine, Server } from "../plugin.js";
import { startProbeHub } from "../system/probe.js";
import { captureEnvironment } from "./environment.js";
import { guardListener } from "./guard-listener.js";
import { watchDestinations } from "../system/ports.js";
import { runStep, type StepContext } from "./run-step.js";
import { createStartTarget, type StartTarget } from "./start-target.js";
import type { SweepListener } from "./sweep-event.js";

/** What a sweep is run with beside its scenario. */
export interface SweepRun {
  readonly tool: Result["tool"];
  readonly command: string | null;
  readonly planner: Planner;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly servers: ReadonlyMap<string, Server>;
  /** Folder in which relative paths of options begin. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly onEvent: SweepListener;
  /** A result of the same scenario to go on from: its completed steps are kept, and when and how it was begun. */
  readonly earlier?: Result;
  /** Called with the result so far after every step, and at the end. */
  readonly save: (result: Result) => Promise<void>;
}

/**
 * Executes the steps of a planner one by one; resolves with the result, which is partial when the signal was aborted.
 *
 * Where nothing is missing nothing is started. Rejects with a `StartError`, before any load is sent, when a target cannot be started or reached.
 */
export async function runSweep(scenario: Scenario, run: SweepRun): Promise<Result> {
  const { earlier } = run;
  const now = new Date().toISOString();
  const environment = earlier?.environment ?? (await captureEnvironment());
  const steps: StepResult[] = (earlier?.steps ?? []).filter(({ state }) => state === "completed");
  const isWhole = run.planner.next(steps) === undefined;
  const resumedAt = earlier === undefined ? [] : [...(earlier.resumedAt ?? []), ...(isWhole ? [] : [now])];
  const assemble = (finishedAt: string | null): Result => ({
    version: 1,
    tool: run.tool,
    startedAt: earlier?.startedAt ?? now,
    finishedAt,
    ...(resumedAt.length === 0 ? {} : { resumedAt }),
    complete: finishedAt !== null && isComplete(run.planner, steps),
    command: earlier?.command ?? run.command,
    scenario,
    environment,
    steps: [...steps],
    ...judge({ scenario, steps, finishedAt }, run.planner),
  });
  const { emit, rethrow, signal: listenerFailed } = guardListener(run.onEvent);
  const signal = AbortSignal.any([run.signal, listenerFailed]);
  const teardown = createTeardown();
  try {
    const children = createChildPool("generator");
    teardown.add(children.close);
    const probes = await startProbeHub();
    teardown.add(probes.close);
    let total = run.planner.total(steps);
    emit({ type: "start", scenario, environment, total });
    emit({ type: "partial", result: assemble(null) });
    const startTarget = createStartTarget(scenario, { servers: run.servers, folder: run.folder, env: probes.env });
    if (!isWhole) await checkTargets(scenario, startTarget, emit, signal);
    const { engines, folder } = run;
    const shared = {
      scenario,
      environment,
      destinations: environment.network && watchDestinations(environment.network),
      engines,
      folder,
      children,
      probes,
      signal,
      startTarget,
    };
    for (let key = nextStep(run, steps, signal); key !== undefined; key = nextStep(run, steps, signal)) {
      const index = steps.length;
      emit({ type: "step", step: key, index });
      const step = await runStep(key, { ...shared, history: steps, ...listenTo(key, emit) });
      steps.push(step);
      const partial = assemble(null);
      await run.save(partial);
      emit({ type: "step-done", step, index });
      emit({ type: "partial", result: partial });
      const before = total;
      total = run.planner.total(steps);
      if (total !== before) emit({ type: "plan", total });
    }
  } finally {
    await teardown.run();
  }
  rethrow();
  const result = assemble(isWhole ? (earlier?.finishedAt ?? now) : new Date().toISOString());
  await run.save(result);
  emit({ type: "done", result });
  rethrow();
  return result;
}

function judge(
  result: Pick<Result, "scenario" | "steps" | "finishedAt">,
  planner: Planner,
): Pick<Result, "search" | "verdict"> {
  const search = planner.search?.(result.steps);
  const found = search === undefined ? {} : { search };
  return { ...found, verdict: judgeResult({ ...result, ...found }) };
}

function nextStep(
  { planner }: SweepRun,
  steps: readonly StepResult[],
  signal: AbortSignal,
): ReturnType<Planner["next"]> {
  return signal.aborted ? undefined : planner.next(steps);
}

function isComplete(planner: Planner, steps: readonly StepResult[]): boolean {
  return planner.next(steps) === undefined && steps.every(({ state }) => state !== "aborted");
}

async function checkTargets(
  scenario: Scenario,
  startTarget: StartTarget,
  emit: SweepListener,
  signal: AbortSignal,
): Promise<void> {
  for (const { name } of scenario.targets) {
    if (signal.aborted) return;
    emit({ type: "check", target: name });
    try {
      const server = await startTarget(name, signal);
      await server.stop();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function listenTo(
  step: StepKey,
  emit: SweepListener,
): Pick<StepContext, "onPhase" | "onProgress" | "onUsage" | "onWarning"> {
  return {
    onPhase: (phase) => emit({ type: "phase", step, phase }),
    onWarning: (finding) => emit({ type: "warning", step, finding }),
    onProgress: (progress) => emit({ type: "progress", step, ...progress }),
    onUsage: (usage) => emit({ type: "usage", step, usage }),
  };
}
