/** The load of a step, what is done to its target meanwhile, and all that is watched. */
import type { DoneFault } from "../model/fault.js";
import type { BackendTurns, Measurement } from "../model/measurement.js";
import type { Environment, StepKey } from "../model/result.js";
import type { EngineContext, EngineRun, GeneratorProcess, Load, LoadProgress, RunningServer } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { SLICE_MS } from "../stats/faults.js";
import { startPressureSampler, type SeenPressure } from "../system/ports.js";
import { startUsageSampler, type Probes, type UsageWindow } from "../system/usage.js";
import { sharesBetween, sharesBySlice, watchShares, type ToldShares } from "./backend-shares.js";
import { startClock, startFaults, type Clock, type PlannedFault } from "./faults.js";
import type { SweepListener } from "./sweep-event.js";
import { within } from "./targets.js";

/** Lets the engine of the step send a load; ends it early when the step is aborted or its target dies. */
export type SendLoad = (load: Load, listener: Pick<EngineContext, "onProgress" | "onStart">) => Promise<EngineRun>;

/** What is to be measured. */
export interface StepLoad {
  readonly key: StepKey;
  readonly load: Load;
  readonly server: RunningServer;
  readonly send: SendLoad;
  /** What is done to the target meanwhile. */
  readonly plan: readonly PlannedFault[];
}

/** With what it is measured. */
export interface StepWatch {
  readonly environment: Environment;
  readonly probes?: Probes;
  /** Aborted when the run is interrupted. */
  readonly interrupted: AbortSignal;
  /** Aborted when it is, or when the target has died. */
  readonly signal: AbortSignal;
  readonly emit: SweepListener;
}

/** What was seen of a step. */
export interface SeenStep {
  readonly run: EngineRun;
  readonly measurement: Measurement;
  readonly window: UsageWindow | undefined;
  readonly pressure: SeenPressure | undefined;
  /** Absent where none were asked for. */
  readonly faults: readonly DoneFault[] | undefined;
}

/** Something that goes on while a load is sent. */
interface Watcher<Seen> {
  /**
   * Ends it, and tells what was seen.
   *
   * @param startedAt when the measurement began (ISO 8601); `undefined` where there is none.
   */
  readonly stop: (startedAt: string | undefined) => Promise<Seen>;
}

/**
 * Sends the load, does the faults, and watches what the processes of the step use, what they run out of and what backends are given. A load
 * that fills begins to be measured when it is at work. Rejects as the engine does, with nothing left running.
 */
export async function measureStep(step: StepLoad, watch: StepWatch): Promise<SeenStep> {
  const { key, load, server } = step;
  const { emit, signal } = watch;
  const isFilled = load.atStart === "fill";
  /** What was picked until measuring begins is none of it. */
  let before: Told = [undefined, undefined];
  const begin = async (): Promise<void> => {
    emit({ type: "phase", step: key, phase: "measuring" });
    before = await askBalancer(server, signal);
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
  const [shares = [], window, pressure, faults] = await stop(run.measurement.startedAt);
  const picks = picksOf(run.measurement, [before, await askBalancer(server)], shares);
  return { run, measurement: { ...run.measurement, ...picks }, window, pressure, faults };
}

function shareDone(
  { level }: Load,
  { elapsedMs, lastsMs = level.durationMs ?? elapsedMs, done }: LoadProgress,
): number {
  return Math.min(1, level.requests === undefined ? elapsedMs / lastsMs : done / level.requests);
}

/** What watches a step, as far as it has begun. */
interface Watchers {
  clock?: Clock;
  usage?: Promise<Watcher<UsageWindow>>;
  pressure?: Watcher<SeenPressure>;
  shares?: Watcher<readonly ToldShares[]>;
  faults?: Watcher<readonly DoneFault[]>;
}

/** Begins to watch, and then to do the faults. */
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
    stop: startPressureSampler([...beside, ...processes], load.url, environment.network, pidsOf),
  };
  if (plan.length === 0) return;
  const clock = startClock();
  watchers.clock = clock;
  const stopShares = watchShares(server, SLICE_MS, clock);
  watchers.shares = {
    stop: async (startedAt) => {
      const told = stopShares();
      return startedAt === undefined ? [] : told.map((one) => ({ ...one, atMs: clock.since(startedAt, one.atMs) }));
    },
  };
  const faults = startFaults(plan, clock, { onDone: (fault) => emit({ type: "fault", step: key, fault }), look });
  watchers.faults = {
    stop: async (startedAt) => {
      await faults.end(!interrupted.aborted);
      return startedAt === undefined ? [] : faults.told(startedAt);
    },
  };
}

/** How long a balancer is waited for: one whose policy does not return never answers. */
const ANSWER_LIMIT_MS = 5000;

/** What a balancer tells: requests by backend, and turns since it was last asked. What is not told is no reason for the step to fail. */
async function askBalancer(
  server: RunningServer,
  signal?: AbortSignal,
): Promise<readonly [shares: ToldShares["shares"] | undefined, turns: BackendTurns | undefined]> {
  return Promise.all([
    within(ANSWER_LIMIT_MS, (async () => server.backends?.())(), signal),
    within(ANSWER_LIMIT_MS, (async () => server.turns?.())(), signal),
  ]);
}

type Told = Awaited<ReturnType<typeof askBalancer>>;

/** What each backend was given between two answers of a balancer, in slices too where there are some, and which turns were kept. */
function picksOf(
  { slices }: Measurement,
  [[first, earlier], [last, turns]]: readonly [before: Told, after: Told],
  meanwhile: readonly ToldShares[],
): Pick<Measurement, "backends" | "turns" | "slices"> {
  // Before the start and after the end there is nothing to count.
  const told = [
    ...(first === undefined ? [] : [{ atMs: Number.NEGATIVE_INFINITY, shares: first }]),
    ...meanwhile,
    ...(last === undefined ? [] : [{ atMs: Number.POSITIVE_INFINITY, shares: last }]),
  ];
  const hasShares = told.length > 1;
  const sliceTimes = slices && { ms: slices.ms, count: slices.sent.length };
  return defined({
    backends: hasShares ? sharesBetween(told) : undefined,
    slices: hasShares && sliceTimes ? { ...slices, backends: sharesBySlice(told, sliceTimes) } : undefined,
    turns: earlier && turns,
  });
}
