import type { ChildPool } from "../child/pool.js";
import type { UnjudgedStep } from "../judge/step-rule.js";
import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { Scenario } from "../model/scenario.js";
import type { Usage } from "../model/usage.js";
import type { Engine, EngineRun, Load, RunningServer } from "../plugin.js";
import { watchForDeath, type DeathWatch } from "./death-watch.js";
import { shareDifference } from "./share-difference.js";
import { stepUsage } from "./step-usage.js";
import type { StepPhase } from "./sweep-event.js";
import { startUsageSampler, type UsageSampler, type UsageWindow } from "./usage-sampler.js";

/** What a running target is measured with. */
export interface MeasureContext {
  readonly scenario: Scenario;
  /** The engine of the target. */
  readonly engine: Engine;
  /** Folder in which relative paths of options begin. */
  readonly folder: string;
  readonly children: ChildPool;
  /** Ends the load early; what was counted is kept. */
  readonly signal: AbortSignal;
  readonly onPhase: (phase: StepPhase) => void;
  readonly onProgress: (progress: { readonly sent: number; readonly done: number; readonly share: number }) => void;
}

/** What came of a step, before it is judged. */
export type StepOutcome = Pick<UnjudgedStep, "state" | "error" | "measurement" | "usage">;

interface Measured {
  readonly measurement: Measurement;
  readonly usage: Usage;
  readonly targetGone: boolean;
}

/** Warms a running target up and measures it; rejects with what the engine says, unless that is because the target died. */
export async function measureTarget(load: Load, server: RunningServer, context: MeasureContext): Promise<StepOutcome> {
  const death = watchForDeath(server);
  const signal = AbortSignal.any([context.signal, death.signal]);
  try {
    if (context.scenario.warmupMs > 0) {
      context.onPhase("warming up");
      await warmUp(load, context, signal);
    }
    if (context.signal.aborted) return { state: "aborted" };
    if (death.how() !== undefined) return diedOf(death);
    context.onPhase("measuring");
    const { measurement, usage, targetGone } = await measure(load, server, context, signal);
    if (mayHaveDied(measurement, server)) await death.awaitNews();
    if (death.how() !== undefined) return { ...diedOf(death), measurement, usage };
    if (targetGone) {
      const message = `nothing answered any more for ${load.timeoutMs} ms`;
      return { state: "failed", error: { code: "TARGET_DIED", message }, measurement, usage };
    }
    return { state: context.signal.aborted ? "aborted" : "completed", measurement, usage };
  } catch (error) {
    if (death.how() === undefined || context.signal.aborted) throw error;
    return diedOf(death);
  }
}

function diedOf(death: DeathWatch): Required<Pick<StepOutcome, "state" | "error">> {
  return { state: "failed", error: { code: "TARGET_DIED", message: death.how() ?? "it ended" } };
}

/** The news of a death can be slower than its consequences: the lost connections may already have been counted. */
function mayHaveDied({ requests }: Measurement, { processes }: RunningServer): boolean {
  return processes.length > 0 && requests.resets + requests.dropped + requests.connectErrors > 0;
}

async function warmUp(
  load: Load,
  { engine, children, folder, scenario }: MeasureContext,
  signal: AbortSignal,
): Promise<void> {
  const level = { connections: load.level.connections, durationMs: scenario.warmupMs };
  await engine.run({ ...load, level, atEnd: "drain" }, { signal, children, folder });
}

async function measure(
  load: Load,
  server: RunningServer,
  context: MeasureContext,
  signal: AbortSignal,
): Promise<Measured> {
  const sharesBefore = await server.backends?.();
  const { run, window } = await runSampled(load, server, context, signal);
  const sharesAfter = await server.backends?.().catch(() => undefined);
  return {
    measurement:
      sharesBefore === undefined || sharesAfter === undefined
        ? run.measurement
        : { ...run.measurement, backends: shareDifference(sharesBefore, sharesAfter) },
    usage: stepUsage(window, run.generators),
    targetGone: run.targetGone,
  };
}

async function runSampled(
  load: Load,
  server: RunningServer,
  { engine, children, folder, onProgress }: MeasureContext,
  signal: AbortSignal,
): Promise<{ readonly run: EngineRun; readonly window: UsageWindow | undefined }> {
  let sampler: Promise<UsageSampler> | undefined;
  let window: UsageWindow | undefined;
  try {
    const run = await engine.run(load, {
      signal,
      children,
      folder,
      onStart: async () => {
        sampler ??= startUsageSampler(server.processes);
        await sampler;
      },
      onProgress: ({ sent, done, elapsedMs }) =>
        onProgress({ sent, done, share: doneShare(load.level, done, elapsedMs) }),
    });
    window = await (await sampler)?.stop();
    return { run, window };
  } finally {
    if (window === undefined) await (await sampler)?.stop();
  }
}

function doneShare(level: Level, done: number, elapsedMs: number): number {
  const share = level.requests === undefined ? elapsedMs / (level.durationMs ?? elapsedMs) : done / level.requests;
  return Math.min(1, share);
}
