import type { ChildPool } from "../system/fork.js";
import type { UnjudgedStep } from "../judge/step-rule.js";
import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { BackendShare, BackendTurns, Measurement } from "../model/measurement.js";
import type { Pressure } from "../model/pressure.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { LiveUsage, Usage, WatchedProcess } from "../model/usage.js";
import type { Engine, EngineRun, GeneratorProcess, Load, RunningServer, LoadProgress } from "../plugin.js";
import { checkEngineRun } from "./check-engine-run.js";
import { watchForDeath, type DeathWatch } from "./death-watch.js";
import {
  type DestinationWatch,
  foreseeStep,
  type Foresight,
  type PressureSampler,
  type SeenPressure,
  startPressureSampler,
} from "../system/ports.js";
import { shareDifference } from "./share-difference.js";
import { type Probes, startUsageSampler, stepUsage, type UsageSampler, type UsageWindow } from "../system/usage.js";
import type { StepPhase } from "./sweep-event.js";
import { within } from "./within.js";

/** What a running target is measured with. */
export interface MeasureContext {
  readonly scenario: Scenario;
  readonly environment: Environment;
  /** Steps of the same target that were executed before. */
  readonly earlier: readonly StepResult[];
  /** The engine of the target. */
  readonly engine: Engine;
  /** Folder in which relative paths of options begin. */
  readonly folder: string;
  readonly children: ChildPool;
  /** Asks Node processes of the target how busy their event loops are; without it that is not known. */
  readonly probes?: Probes;
  /** Without it nobody looks who has ports taken: where the system does not tell of its sockets. */
  readonly destinations?: DestinationWatch | undefined;
  /** Ends the load early; what was counted is kept. */
  readonly signal: AbortSignal;
  readonly onPhase: (phase: StepPhase) => void;
  /** Hears, before any load of the step, of what it may run out of. */
  readonly onWarning?: (finding: Finding) => void;
  readonly onProgress: (progress: LoadProgress & { readonly share: number }) => void;
  /** Hears about once a second what the processes of each role used. */
  readonly onUsage?: (usage: LiveUsage) => void;
}

/** What came of a step, before it is judged. */
export type StepOutcome = Pick<UnjudgedStep, "state" | "error" | "measurement" | "usage" | "pressure">;

interface Measured {
  readonly measurement: Measurement;
  readonly usage: Usage;
  readonly pressure?: Pressure;
  readonly targetGone: boolean;
}

/** Warms a running target up and measures it; rejects with what the engine says, unless that is because the target died. */
export async function measureTarget(load: Load, server: RunningServer, context: MeasureContext): Promise<StepOutcome> {
  const death = watchForDeath(server);
  const signal = AbortSignal.any([context.signal, death.signal]);
  try {
    const { portsNeeded, findings } = await foreseeStep({ ...context, load, server });
    for (const finding of findings) context.onWarning?.(finding);
    if (context.scenario.warmupMs !== 0) {
      context.onPhase("warming up");
      await warmUp(load, context, signal);
    }
    if (context.signal.aborted) return { state: "aborted" };
    if (death.how() !== undefined) return diedOf(death);
    context.onPhase("measuring");
    const { targetGone, ...measured } = await measure(load, server, { ...context, portsNeeded }, signal);
    if (mayHaveDied(measured.measurement, server)) await death.awaitNews();
    if (death.how() !== undefined) return { ...diedOf(death), ...measured };
    if (targetGone) {
      const message = `nothing answered any more for ${load.timeoutMs} ms`;
      return { state: "failed", error: { code: "TARGET_DIED", message }, ...measured };
    }
    return { state: context.signal.aborted ? "aborted" : "completed", ...measured };
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
  const { resets = 0, dropped = 0, connectErrors = 0, unclassified = 0 } = requests;
  return processes.length > 0 && resets + dropped + connectErrors + unclassified > 0;
}

/** Of a warm-up that is to end by itself. */
const LEAST_WARMUP_MS = 1000;

async function warmUp(
  load: Load,
  { engine, children, folder, scenario }: MeasureContext,
  signal: AbortSignal,
): Promise<void> {
  const { requests: _requests, ...ofKind } = load.level;
  const level = { ...ofKind, durationMs: scenario.warmupMs === "auto" ? LEAST_WARMUP_MS : scenario.warmupMs };
  await engine.run({ ...load, level, ...firstUsers(load, level), atEnd: "drain" }, { signal, children, folder });
}

/** A ramp is there to see what more users do, so only those that it begins with warm the target up. */
function firstUsers({ ramp }: Load, level: Level): Pick<Load, "level" | "ramp"> | undefined {
  return ramp && { level: { ...level, users: ramp.from }, ramp: { from: ramp.from, riseMs: 0, steps: null } };
}

async function measure(
  load: Load,
  server: RunningServer,
  context: MeasureContext & Pick<Foresight, "portsNeeded">,
  signal: AbortSignal,
): Promise<Measured> {
  // What it picked until now was not measured.
  const before = await askBalancer(server, signal);
  signal.throwIfAborted();
  const { run, window, pressure } = await runSampled(load, server, context, signal);
  const after = await askBalancer(server);
  return {
    measurement: {
      ...run.measurement,
      ...(before.shares === undefined || after.shares === undefined
        ? {}
        : { backends: shareDifference(before.shares, after.shares) }),
      ...(before.turns === undefined || after.turns === undefined ? {} : { turns: after.turns }),
    },
    usage: stepUsage(window, run.generators),
    ...(pressure === undefined ? {} : { pressure: { ...pressure, portsNeeded: context.portsNeeded } }),
    targetGone: run.targetGone,
  };
}

/** What a balancer tells of its backends; what is not told is not known, and no reason for the step to fail. */
interface Told {
  readonly shares: Readonly<Record<string, BackendShare>> | undefined;
  readonly turns: BackendTurns | undefined;
}

/** How long a balancer is waited for: one whose policy does not return never answers. */
const ANSWER_LIMIT_MS = 5000;

async function askBalancer(server: RunningServer, signal?: AbortSignal): Promise<Told> {
  const [shares, turns] = await Promise.all([
    within(ANSWER_LIMIT_MS, (async () => server.backends?.())(), signal),
    within(ANSWER_LIMIT_MS, (async () => server.turns?.())(), signal),
  ]);
  return { shares, turns };
}

interface Sampled {
  readonly run: EngineRun;
  readonly window: UsageWindow | undefined;
  readonly pressure: SeenPressure | undefined;
}

async function runSampled(
  load: Load,
  server: RunningServer,
  { engine, children, folder, environment, onProgress, onUsage, probes, destinations }: MeasureContext,
  signal: AbortSignal,
): Promise<Sampled> {
  let sampler: Promise<UsageSampler> | undefined;
  let pressureSampler: Promise<PressureSampler> | undefined;
  // Both, whatever becomes of one of them: each has a timer.
  const stopSamplers = () =>
    Promise.allSettled([stopOf<UsageWindow>(sampler), stopOf<SeenPressure>(pressureSampler)] as const);
  let run: EngineRun;
  try {
    const told = await engine.run(load, {
      signal,
      children,
      folder,
      onStart: async (generators) => {
        pressureSampler ??= startPressureSampler({
          watched: [...generators.map(toWatched), ...server.processes],
          url: load.url,
          settings: environment.network,
          destinations,
        });
        await pressureSampler;
        const listener = onUsage && { beside: generators.map(toWatched), onUsage };
        sampler ??= startUsageSampler(server.processes, probes, listener);
        await sampler;
      },
      onProgress: (progress) =>
        onProgress({ ...progress, share: doneShare(load.level, progress.done, progress.elapsedMs) }),
    });
    run = checkEngineRun(told, engine.name);
  } catch (error) {
    await stopSamplers();
    throw error;
  }
  const [window, pressure] = await stopSamplers();
  return { run, window: valueOf(window), pressure: valueOf(pressure) };
}

async function stopOf<T>(starting: Promise<{ readonly stop: () => Promise<T> }> | undefined): Promise<T | undefined> {
  return (await starting)?.stop();
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

function toWatched({ pid, name }: GeneratorProcess): WatchedProcess {
  return { pid, name, role: "generator", tree: false };
}

function doneShare(level: Level, done: number, elapsedMs: number): number {
  const share = level.requests === undefined ? elapsedMs / (level.durationMs ?? elapsedMs) : done / level.requests;
  return Math.min(1, share);
}
