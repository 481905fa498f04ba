import type { ChildPool } from "../child/pool.js";
import { attributeBottleneck } from "../judge/bottleneck.js";
import { judgeStep } from "../judge/judge-step.js";
import type { UnjudgedStep } from "../judge/step-rule.js";
import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { Environment, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Usage } from "../model/usage.js";
import type { Engine, GeneratorUsage, Load, RunningServer } from "../plugin.js";
import { shareDifference } from "./share-difference.js";
import type { StartTarget } from "./start-target.js";
import type { StepPhase } from "./sweep-event.js";
import { startUsageSampler, type UsageSampler, type UsageWindow } from "./usage-sampler.js";

/** What every step of a sweep is run with. */
export interface StepContext {
  readonly scenario: Scenario;
  readonly environment: Environment;
  readonly engine: Engine;
  readonly children: ChildPool;
  readonly startTarget: StartTarget;
  /** Ends the step early; what was counted is kept. */
  readonly signal: AbortSignal;
  readonly onPhase: (phase: StepPhase) => void;
  readonly onProgress: (progress: { readonly sent: number; readonly done: number; readonly share: number }) => void;
}

interface Measured {
  readonly measurement: Measurement;
  readonly usage: Usage;
  readonly targetGone: boolean;
}

/** Starts the target, warms up, measures and stops what was started; never rejects: what goes wrong is in the step. */
export async function runStep(key: StepKey, context: StepContext): Promise<StepResult> {
  const step = await executeStep(key, context);
  return { ...step, findings: judgeStep(step, context.scenario, context.environment) };
}

async function executeStep(key: StepKey, context: StepContext): Promise<UnjudgedStep> {
  const base = { ...key, engine: context.engine.name };
  let server: RunningServer | undefined;
  try {
    context.onPhase("starting");
    server = await context.startTarget(key.target, context.signal);
    return { ...base, ...(await measureServer(key.level, server, context)) };
  } catch (error) {
    if (context.signal.aborted) return { ...base, state: "aborted" };
    return { ...base, state: "failed", error: { code: errorCode(error), message: errorMessage(error) } };
  } finally {
    context.onPhase("stopping");
    await server?.stop();
  }
}

async function measureServer(
  level: Level,
  server: RunningServer,
  context: StepContext,
): Promise<Pick<UnjudgedStep, "state" | "error" | "measurement" | "usage">> {
  const { scenario } = context;
  let death: string | undefined;
  const died = new AbortController();
  void server.died.then((how) => {
    death = how;
    died.abort();
  });
  const signal = AbortSignal.any([context.signal, died.signal]);
  const load: Load = {
    url: requestUrl(server, scenario),
    level,
    request: scenario.request,
    timeoutMs: scenario.timeoutMs,
    keepAlive: scenario.keepAlive,
    generators: scenario.engine.generators,
    atEnd: "cut",
  };
  if (scenario.warmupMs > 0) {
    context.onPhase("warming up");
    await warmUp(load, scenario.warmupMs, context, signal);
  }
  if (context.signal.aborted) return { state: "aborted" };
  if (death !== undefined) return { state: "failed", error: { code: "TARGET_DIED", message: death } };
  context.onPhase("measuring");
  const { measurement, usage, targetGone } = await measure(load, server, context, signal);
  // The news of a death may be on its way when its consequences have already been measured.
  await new Promise(setImmediate);
  if (death !== undefined) {
    return { state: "failed", error: { code: "TARGET_DIED", message: death }, measurement, usage };
  }
  if (targetGone) {
    const message = `nothing answered any more for ${scenario.timeoutMs} ms`;
    return { state: "failed", error: { code: "TARGET_DIED", message }, measurement, usage };
  }
  return { state: context.signal.aborted ? "aborted" : "completed", measurement, usage };
}

async function warmUp(
  load: Load,
  warmupMs: number,
  { engine, children }: StepContext,
  signal: AbortSignal,
): Promise<void> {
  const level = { connections: load.level.connections, durationMs: warmupMs };
  await engine.run({ ...load, level, atEnd: "drain" }, { signal, children });
}

async function measure(
  load: Load,
  server: RunningServer,
  context: StepContext,
  signal: AbortSignal,
): Promise<Measured> {
  let sampler: UsageSampler | undefined;
  const sharesBefore = await server.backends?.();
  const { measurement, generators, targetGone } = await context.engine.run(load, {
    signal,
    children: context.children,
    onStart: async () => {
      sampler = await startUsageSampler(server.processes);
    },
    onProgress: ({ sent, done, elapsedMs }) =>
      context.onProgress({ sent, done, share: doneShare(load.level, done, elapsedMs) }),
  });
  const window = await sampler?.stop();
  const sharesAfter = await server.backends?.().catch(() => undefined);
  const usage = toUsage(window, generators);
  return {
    measurement:
      sharesBefore === undefined || sharesAfter === undefined
        ? measurement
        : { ...measurement, backends: shareDifference(sharesBefore, sharesAfter) },
    usage,
    targetGone,
  };
}

function toUsage(window: UsageWindow | undefined, generators: readonly GeneratorUsage[]): Usage {
  const processes = window?.processes ?? [];
  const ofRole = (role: string) =>
    processes.filter((one) => one.role === role).map(({ name, pid, cpu, rssBytes }) => ({ name, pid, cpu, rssBytes }));
  const balancer = ofRole("balancer");
  const backends = ofRole("backend");
  const usage = {
    generator: generators,
    ...(balancer.length === 0 ? {} : { balancer }),
    ...(backends.length === 0 ? {} : { backends }),
    machine: window?.machine ?? 0,
    windowMs: window?.windowMs ?? 0,
  };
  return { ...usage, bottleneck: attributeBottleneck(usage) };
}

/** A target that is a URL brings its own path; the others get that of the request. */
function requestUrl(server: RunningServer, { request }: Scenario): string {
  const url = new URL(server.url);
  return url.pathname === "/" && url.search === "" ? new URL(request.path, url).href : url.href;
}

function doneShare(level: Level, done: number, elapsedMs: number): number {
  const share = level.requests === undefined ? elapsedMs / (level.durationMs ?? elapsedMs) : done / level.requests;
  return Math.min(1, share);
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "STEP_FAILED";
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
