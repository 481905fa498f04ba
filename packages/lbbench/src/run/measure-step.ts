/** Measures a step: the load, the faults that are done meanwhile, and everything that is watched. */
import type { DoneFault } from "../model/fault.js";
import type { BackendTurns, Measurement } from "../model/measurement.js";
import type { Environment, StepKey } from "../model/result.js";
import type { EngineContext, EngineRun, GeneratorProcess, Load, LoadProgress, RunningServer } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { startPressureSampler } from "../system/ports.js";
import { within } from "../system/settle.js";
import { startUsageSampler, type Probes } from "../system/usage.js";
import {
  askShares,
  inFlightBySlice,
  ownBetween,
  sharesBetween,
  sharesBySlice,
  watchShares,
  type ToldShares,
} from "./backend-shares.js";
import { lookBeforeHold, withMemoryBefore } from "./hold.js";
import { startClock, startFaults, type PlannedFault } from "./faults.js";
import type { SweepListener } from "./sweep-event.js";
import { connectedTo } from "../stats/url-address.js";

/** Lets the engine of the step send a load; ends it early when the step is aborted or its target dies. */
export type SendLoad = (load: Load, listener: Pick<EngineContext, "onProgress" | "onStart">) => Promise<EngineRun>;

/** The part of a scenario that a step measures. */
export interface StepLoad {
  readonly key: StepKey;
  readonly load: Load;
  readonly server: RunningServer;
  readonly send: SendLoad;
  /** Aborted when the run is interrupted, or when the target dies. */
  readonly signal: AbortSignal;
  /** Faults to do meanwhile. */
  readonly plan: readonly PlannedFault[];
}

/** What steps are watched with, and who hears of them. */
export interface StepWatch {
  readonly environment: Environment;
  /** Asks Node processes of the target how busy their event loops are. */
  readonly probes?: Probes;
  /** Ends the load early when the run is interrupted; what was counted is kept. */
  readonly signal: AbortSignal;
  /** Called with phases, progress and usage, and before any load with what the target may run out of. */
  readonly emit: SweepListener;
}

/**
 * Sends the load and does the faults. Meanwhile it watches what the processes use, what they run out of and which backend gets how much.
 * A load that fills is measured from when it is at work. Rejects as the engine does, with nothing left running.
 */
export async function measureStep(step: StepLoad, watch: StepWatch) {
  const { key, load, server, signal } = step;
  const { emit } = watch;
  const isFilled = load.atStart === "fill";
  const memory = load.hold === undefined ? undefined : await lookBeforeHold(server.processes, signal);
  /** What the server tells when measuring begins: requests until then do not count. */
  let before: Told = [undefined, undefined];
  const begin = async (): Promise<void> => {
    emit({ type: "phase", step: key, phase: "measuring" });
    before = await askServer(server, signal);
  };
  if (!isFilled) await begin();
  signal.throwIfAborted();
  let starting: Promise<Watchers> | undefined;
  let watchers: Watchers | undefined;
  const onStart = async (generators: readonly GeneratorProcess[]): Promise<void> => {
    if (isFilled) await begin();
    starting = startWatchers(step, watch, generators);
    watchers = await starting;
  };
  const onProgress = (progress: LoadProgress): void => {
    watchers?.clock.adjust(progress.elapsedMs);
    emit({ type: "progress", step: key, ...progress, share: shareDone(load, progress) });
  };
  let run: EngineRun;
  try {
    run = await step.send(load, { onStart, onProgress });
  } catch (error) {
    await starting?.then(({ stop }) => stop(undefined)).catch(() => {});
    throw error;
  }
  const { shares, window, pressure, faults } = (await (await starting)?.stop(run.measurement.startedAt)) ?? UNSEEN;
  const picks = picksOf(run.measurement, [before, await askServer(server)], shares);
  return {
    run,
    measurement: { ...run.measurement, ...picks },
    window: window && memory ? withMemoryBefore(window, memory) : window,
    pressure,
    faults,
  };
}

/** Of an engine that never tells that it begins. */
const UNSEEN = { shares: [], window: undefined, pressure: undefined, faults: undefined };

function shareDone(
  { level }: Load,
  { elapsedMs, lastsMs = level.durationMs ?? elapsedMs, done }: LoadProgress,
): number {
  return Math.min(1, level.requests === undefined ? elapsedMs / lastsMs : done / level.requests);
}

type Watchers = Awaited<ReturnType<typeof startWatchers>>;

/** Starts to watch all that a load does to the server, and then the faults. */
async function startWatchers(
  { key, load, server, plan }: StepLoad,
  { emit, environment, probes, signal }: StepWatch,
  generators: readonly GeneratorProcess[],
) {
  const { processes, processesNow = () => processes } = server;
  const target = connectedTo(load.url, load.connectTo)?.port;
  const beside = generators.map(({ pid, name }) => ({ pid, name, role: "generator" as const, tree: false }));
  const usage = await startUsageSampler(processes, {
    ...defined({ probes }),
    beside,
    processesNow,
    onUsage: (used) => emit({ type: "usage", step: key, usage: used }),
  });
  const stopPressure = startPressureSampler([...beside, ...processes], target, environment.network, usage.pidsOf);
  const clock = startClock();
  const stopShares = watchShares(server, load.sliceMs ?? ASK_INTERVAL_MS, clock);
  const onDone = (fault: DoneFault): void => emit({ type: "fault", step: key, fault });
  const faults = plan.length === 0 ? undefined : startFaults(plan, clock, { onDone, look: usage.look });
  return {
    clock,
    /**
     * Ends all of that, and tells what was seen.
     *
     * @param startedAt when the measurement began (ISO 8601); `undefined` if there is no measurement.
     */
    stop: async (startedAt: string | undefined) => {
      const told = stopShares();
      const shares =
        startedAt === undefined ? [] : told.map((one) => ({ ...one, atMs: clock.since(startedAt, one.atMs) }));
      const [window, pressure] = await Promise.all([usage.end(), stopPressure(), faults?.end(!signal.aborted)]);
      return { shares, window, pressure, faults: startedAt === undefined ? undefined : faults?.told(startedAt) };
    },
  };
}

/** How often a server is asked for its counts where nothing needs them more often: often enough to see its connections. */
const ASK_INTERVAL_MS = 500;

/** How long to wait for a server's counts: a balancer whose policy does not return never answers. */
const ANSWER_LIMIT_MS = 5000;

/** Asks a server for its counts, and for the turns since it was last asked. A step does not fail if it does not answer. */
async function askServer(
  server: RunningServer,
  signal?: AbortSignal,
): Promise<readonly [counts: Omit<ToldShares, "atMs"> | undefined, turns: BackendTurns | undefined]> {
  return Promise.all([
    within(ANSWER_LIMIT_MS, askShares(server), signal),
    within(ANSWER_LIMIT_MS, (async () => server.turns?.())(), signal),
  ]);
}

type Told = Awaited<ReturnType<typeof askServer>>;

/** What a server and its backends counted between two answers, in slices too if there are any, and the turns. */
function picksOf(
  { slices }: Measurement,
  [[first, earlier], [last, turns]]: readonly [before: Told, after: Told],
  meanwhile: readonly ToldShares[],
): Pick<Measurement, "backends" | "server" | "turns" | "slices"> {
  // The first answer stands for all time before the start, the last one for all time after the end.
  const told = [
    ...(first === undefined ? [] : [{ atMs: Number.NEGATIVE_INFINITY, ...first }]),
    ...meanwhile,
    ...(last === undefined ? [] : [{ atMs: Number.POSITIVE_INFINITY, ...last }]),
  ];
  const hasShares = told.length > 1 && told.some(({ shares }) => Object.keys(shares).length > 0);
  const sliceTimes = slices && { ms: slices.ms, count: slices.sent.length };
  return defined({
    backends: hasShares ? sharesBetween(told) : undefined,
    server: ownBetween(told),
    slices:
      hasShares && sliceTimes
        ? { ...slices, backends: sharesBySlice(told, sliceTimes), ...inFlightBySlice(meanwhile, sliceTimes) }
        : undefined,
    turns: earlier && turns,
  });
}
