/** Measures a step: the load, the faults that are done meanwhile, and everything that is watched. */
import type { DoneFault } from "../model/fault.js";
import type { BackendTurns, Measurement } from "../model/measurement.js";
import type { Environment, StepKey } from "../model/result.js";
import type { EngineContext, EngineRun, GeneratorProcess, Load, LoadProgress, RunningServer } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { startPressureSampler, type SeenPressure } from "../system/ports.js";
import { startUsageSampler, type Probes, type UsageWindow } from "../system/usage.js";
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
import { startClock, startFaults, type Clock, type PlannedFault } from "./faults.js";
import type { SweepListener } from "./sweep-event.js";
import { within } from "./targets.js";
import { connectedTo } from "../stats/url-address.js";

/** Lets the engine of the step send a load; ends it early when the step is aborted or its target dies. */
export type SendLoad = (load: Load, listener: Pick<EngineContext, "onProgress" | "onStart">) => Promise<EngineRun>;

/** The part of a scenario that a step measures. */
export interface StepLoad {
  readonly key: StepKey;
  readonly load: Load;
  readonly server: RunningServer;
  readonly send: SendLoad;
  /** Faults to do meanwhile. */
  readonly plan: readonly PlannedFault[];
}

/** With what it is measured. */
export interface StepWatch {
  readonly environment: Environment;
  readonly probes?: Probes;
  /** Aborted when the run is interrupted. */
  readonly interrupted: AbortSignal;
  /** Aborted when the run is interrupted, or when the target has died. */
  readonly signal: AbortSignal;
  readonly emit: SweepListener;
}

/** What was measured, and what was seen meanwhile. */
export interface SeenStep {
  readonly run: EngineRun;
  readonly measurement: Measurement;
  readonly window: UsageWindow | undefined;
  readonly pressure: SeenPressure | undefined;
  /** Absent without faults. */
  readonly faults: readonly DoneFault[] | undefined;
}

/** Watches something while a load is sent. */
interface Watcher<Seen> {
  /**
   * Ends, and tells what it has seen.
   *
   * @param startedAt when the measurement began (ISO 8601); `undefined` if there is no measurement.
   */
  readonly stop: (startedAt: string | undefined) => Promise<Seen>;
}

/**
 * Sends the load and does the faults. Meanwhile it watches what the processes use, what they run out of and which backend gets how much.
 * A load that fills is measured from when it is at work. Rejects as the engine does, with nothing left running.
 */
export async function measureStep(step: StepLoad, watch: StepWatch): Promise<SeenStep> {
  const { key, load, server } = step;
  const { emit, signal } = watch;
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
  const watchers: Watchers = {};
  const onStart = async (generators: readonly GeneratorProcess[]): Promise<void> => {
    if (isFilled) await begin();
    await startWatchers(watchers, step, { watch, generators });
  };
  const onProgress = (progress: LoadProgress): void => {
    watchers.clock?.adjust(progress.elapsedMs);
    emit({ type: "progress", step: key, ...progress, share: shareDone(load, progress) });
  };
  const stop = async (startedAt: string | undefined) =>
    Promise.all([
      watchers.shares?.stop(startedAt),
      watchers.usage?.then((usage) => usage.stop(startedAt)),
      watchers.pressure?.stop(startedAt),
      watchers.faults?.stop(startedAt),
    ]);
  let run: EngineRun;
  try {
    run = await step.send(load, { onStart, onProgress });
  } catch (error) {
    await stop(undefined).catch(() => {});
    throw error;
  }
  const [shares = [], used, pressure, faults] = await stop(run.measurement.startedAt);
  const window = used && memory ? withMemoryBefore(used, memory) : used;
  const picks = picksOf(run.measurement, [before, await askServer(server)], shares);
  return { run, measurement: { ...run.measurement, ...picks }, window, pressure, faults };
}

function shareDone(
  { level }: Load,
  { elapsedMs, lastsMs = level.durationMs ?? elapsedMs, done }: LoadProgress,
): number {
  return Math.min(1, level.requests === undefined ? elapsedMs / lastsMs : done / level.requests);
}

/** The watchers of a step that have begun. */
interface Watchers {
  clock?: Clock;
  usage?: Promise<Watcher<UsageWindow>>;
  pressure?: Watcher<SeenPressure>;
  shares?: Watcher<readonly ToldShares[]>;
  faults?: Watcher<readonly DoneFault[]>;
}

/** Starts the watchers, and then the faults. */
async function startWatchers(
  watchers: Watchers,
  { key, load, server, plan }: StepLoad,
  { watch, generators }: { readonly watch: StepWatch; readonly generators: readonly GeneratorProcess[] },
): Promise<void> {
  const { emit, environment, probes, interrupted } = watch;
  const { processes, processesNow = () => processes } = server;
  const beside = generators.map(({ pid, name }) => ({ pid, name, role: "generator" as const, tree: false }));
  const sampling = startUsageSampler(processes, {
    ...defined({ probes }),
    beside,
    processesNow,
    onUsage: (usage) => emit({ type: "usage", step: key, usage }),
  });
  watchers.usage = sampling.then(({ end }) => ({ stop: end }));
  const { look, pidsOf } = await sampling;
  watchers.pressure = {
    stop: startPressureSampler(
      [...beside, ...processes],
      connectedTo(load.url, load.connectTo)?.port,
      environment.network,
      pidsOf,
    ),
  };
  const clock = startClock();
  watchers.clock = clock;
  const stopShares = watchShares(server, load.sliceMs ?? ASK_INTERVAL_MS, clock);
  watchers.shares = {
    stop: async (startedAt) => {
      const told = stopShares();
      return startedAt === undefined ? [] : told.map((one) => ({ ...one, atMs: clock.since(startedAt, one.atMs) }));
    },
  };
  if (plan.length === 0) return;
  const faults = startFaults(plan, clock, { onDone: (fault) => emit({ type: "fault", step: key, fault }), look });
  watchers.faults = {
    stop: async (startedAt) => {
      await faults.end(!interrupted.aborted);
      return startedAt === undefined ? [] : faults.told(startedAt);
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
