/** The loop: executes the steps of the planner one by one, and keeps each. */
import { performance } from "node:perf_hooks";
import { judgeResult } from "../judge/judge-result.js";
import { judgeTrial } from "../judge/judge-trial.js";
import type { Result, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Planner } from "../plan/planner.js";
import type { Server } from "../plugin.js";
import { createChildPool } from "../system/fork.js";
import { startProbeHub } from "../system/probe.js";
import { succeeds } from "../system/settle.js";
import { createTeardown } from "../system/teardown.js";
import { captureEnvironment } from "./environment.js";
import { planFaults } from "./faults.js";
import { insist } from "../config/config-error.js";
import { isSecure } from "../stats/url-address.js";
import { refuseHold } from "./hold.js";
import { failStep, runStep, type StepContext } from "./run-step.js";
import type { SweepEvent, SweepListener } from "./sweep-event.js";
import { createTargets, rethrowNamed } from "./targets.js";
import type { Crew } from "../workers/crew.js";
import { defined } from "../stats/defined.js";
import type { Address } from "../stats/url-address.js";

/** What a sweep is run with beside its scenario. */
export interface SweepContext extends Pick<StepContext, "engines" | "folder" | "signal"> {
  readonly tool: Result["tool"];
  readonly command: string | null;
  readonly planner: Planner;
  readonly servers: ReadonlyMap<string, Server>;
  readonly onEvent: SweepListener;
  /** An earlier result of the same scenario to resume: its completed steps and its start are kept. */
  readonly earlier?: Result;
  /** Called with the result so far after every step, and at the end. With very many steps it is called so seldom that it takes 3 % of the time. */
  readonly save: (result: Result) => Promise<void>;
}

/**
 * Executes the steps of a planner one by one; resolves with the result, which is incomplete if the signal was aborted.
 *
 * Starts nothing if no step is missing. Rejects with a `StartError`, before any load is sent, if a target cannot be started or reached.
 */
export async function runSweep(scenario: Scenario, run: SweepContext): Promise<Result> {
  const { earlier, planner } = run;
  const begun = new Date();
  const now = begun.toISOString();
  const begunMs = performance.now();
  // The wall clock may be set during the run, so the duration is not read from it.
  const endNow = (): string => new Date(begun.getTime() + performance.now() - begunMs).toISOString();
  const environment = earlier?.environment ?? (await captureEnvironment());
  const steps: StepResult[] = (earlier?.steps ?? []).filter(({ state }) => state === "completed");
  const isWhole = planner.next(steps) === undefined;
  const resumedAt = earlier === undefined ? [] : [...(earlier.resumedAt ?? []), ...(isWhole ? [] : [now])];
  const assemble = (finishedAt: string | null): Result => {
    const found = defined({ search: planner.search?.(steps) });
    const isDone = finishedAt !== null && planner.next(steps) === undefined;
    const complete = isDone && steps.every(({ state }) => state !== "aborted");
    return {
      version: 1,
      tool: run.tool,
      startedAt: earlier?.startedAt ?? now,
      finishedAt,
      ...defined({ resumedAt: resumedAt.length === 0 ? undefined : resumedAt }),
      complete,
      command: earlier?.command ?? run.command,
      scenario,
      environment,
      steps: [...steps],
      ...found,
      verdict: judgeResult({ scenario, steps, finishedAt, complete, ...found }),
    };
  };
  const listener = guardListener(run.onEvent);
  const { emit } = listener;
  const signal = AbortSignal.any([run.signal, listener.signal]);
  emit({ type: "start", scenario, environment, total: planner.total(steps) });
  emit({ type: "partial", result: assemble(null) });
  if (!isWhole) await executeSteps(scenario, { ...run, environment, steps, emit, signal }, () => assemble(null));
  if (listener.signal.aborted) await run.save(assemble(null));
  listener.signal.throwIfAborted();
  const result = assemble(isWhole ? (earlier?.finishedAt ?? now) : endNow());
  await run.save(result);
  emit({ type: "done", result });
  listener.signal.throwIfAborted();
  return result;
}

/** Storing the result so far may take a second in all, and more than that only up to this share of the time of the run. */
const SHARE = 0.03;
const FREE_MS = 1000;

/** Executes the steps that are missing, and adds each to `steps`; `assemble` makes the result so far. */
async function executeSteps(
  scenario: Scenario,
  run: Omit<SweepContext, "onEvent"> & Pick<StepContext, "environment" | "emit"> & { readonly steps: StepResult[] },
  assemble: () => Result,
): Promise<void> {
  const { planner, engines, servers, folder, signal, environment, steps, emit, save } = run;
  const first = steps.length;
  const teardown = createTeardown();
  let hasFailed = false;
  try {
    const crew = await gather(scenario, emit, signal);
    const children = crew ?? createChildPool("generator");
    teardown.add(children.close);
    if (signal.aborted) return;
    const probes = await startProbeHub();
    teardown.add(probes.close);
    const targets = createTargets(scenario, { servers, folder, env: probes.env });
    teardown.add(async () => {
      for (const [name, error] of await targets.close()) {
        const last = steps.findLastIndex(({ target }) => target === name);
        const step = steps[last];
        if (step === undefined || last < first) rethrowNamed(name, error);
        steps[last] = failStep(step, error, { scenario, environment });
      }
    });
    const urls: string[] = [];
    for (const { name } of scenario.targets) {
      if (signal.aborted) return;
      emit({ type: "check", target: name });
      const server = await targets.check(name, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (server === undefined) continue;
      planFaults(scenario.faults, name, server.parts);
      refuseHold(scenario, environment, server.url);
      urls.push(server.url);
    }
    refuseTls(scenario, urls);
    const shared = { scenario, environment, engines, folder, children, probes, targets, signal, emit };
    const beganMs = performance.now();
    let keptMs = 0;
    let total = planner.total(steps);
    for (let key = planner.next(steps); key !== undefined && !signal.aborted; key = planner.next(steps)) {
      const index = steps.length;
      emit({ type: "step", step: key, index });
      const life = lifeOf(key, scenario, steps);
      const measure = async (): Promise<StepResult> => runStep(key, { ...shared, life, history: steps });
      const step = await measureAgain(await measure(), measure, { scenario, crew, signal });
      steps.push(step);
      // Judging and writing takes longer with each step.
      const atMs = performance.now();
      const partial = keptMs > FREE_MS + SHARE * (atMs - beganMs) ? undefined : assemble();
      if (partial !== undefined) await save(partial);
      keptMs += performance.now() - atMs;
      emit({ type: "step-done", step, index });
      if (partial !== undefined) emit({ type: "partial", result: partial });
      const before = total;
      total = planner.total(steps);
      if (total !== before) emit({ type: "plan", total });
    }
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    // What has failed first says more than what cannot be stopped after it.
    await teardown.undo().catch((error: unknown) => {
      if (!hasFailed) throw error;
    });
  }
}

/** Gathers the workers of a scenario; `undefined` without workers, and if the signal aborts before they have come. */
async function gather(
  { engine: { workers } }: Scenario,
  emit: SweepListener,
  signal: AbortSignal,
): Promise<Crew | undefined> {
  if (workers === undefined) return undefined;
  const { gatherCrew } = await import("../workers/crew.js");
  const onListening = ({ host, port }: Address, token?: string): void =>
    emit({ type: "workers", workers, host, port, ...defined({ token }) });
  const onRefused = (worker: string): void => emit({ type: "worker-refused", worker });
  return gatherCrew(workers, { onListening, onRefused }, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
}

/** Measures a step that lost a worker once more, if that was asked for and all workers come again; else the step stays as it is. */
async function measureAgain(
  first: StepResult,
  measure: () => Promise<StepResult>,
  { scenario, crew, signal }: Readonly<{ scenario: Scenario; crew: Crew | undefined; signal: AbortSignal }>,
): Promise<StepResult> {
  const { error } = first;
  if (scenario.engine.workers?.retryLost !== true || error?.code !== "WORKER_LOST") return first;
  if (crew !== undefined && !(await succeeds(crew.complete(signal)))) return first;
  const step = await measure();
  const repeated = { code: "STEP_REPEATED", severity: "info", args: { message: error.message } } as const;
  return { ...step, findings: [...step.findings, repeated] };
}

/** Throws a `ConfigError` where a scenario says how TLS is spoken, and no target at these URLs speaks it. */
function refuseTls({ tls }: Scenario, urls: readonly string[]): void {
  insist(
    tls === undefined || urls.some(isSecure) || urls.length === 0,
    `tls (--tls-resume, --tls-version, --sni, --cert): expected a target that speaks TLS, got ${urls[0]}. ` +
      'Give the target "tls": true where it is started by lbbench, or leave it out.',
  );
}

/**
 * Which life of its target a step is part of. In a sweep and a ramp a life is a trial. In a search, which does all trials of a level before
 * the next level, a target is started again after a level that did not hold: the overload must not decide about the next level.
 */
function lifeOf({ target, trial }: StepKey, { search, thresholds }: Scenario, steps: readonly StepResult[]): number {
  if (search === null) return trial;
  return steps.filter((step) => step.target === target && judgeTrial(step, thresholds).outcome !== "held").length;
}

/** Wraps a listener so that it never throws: `signal` aborts with what it has thrown, or what its promise rejects with, and it is not called again. */
function guardListener(listen: SweepListener): { readonly emit: SweepListener; readonly signal: AbortSignal } {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    emit: (event: SweepEvent) => {
      if (signal.aborted) return;
      try {
        const told: unknown = listen(event);
        if (told instanceof Promise) told.catch((error: unknown) => controller.abort(error));
      } catch (error) {
        controller.abort(error);
      }
    },
    signal,
  };
}
