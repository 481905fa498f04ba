/** One step: its target is taken, warmed up and measured. */
import * as z from "zod";
import { checkCertificate } from "../engines/certificates.js";
import { urlWithPath } from "../engines/requests.js";
import { judgeStep } from "../judge/judge-step.js";
import type { UnjudgedStep } from "../judge/step-rule.js";
import type { DoneFault } from "../model/fault.js";
import type { Finding } from "../model/finding.js";
import type { BackendTurns, Measurement } from "../model/measurement.js";
import type { Level } from "../model/level.js";
import type { Environment, StepKey, StepResult } from "../model/result.js";
import type { Scenario, TargetEngine } from "../model/scenario.js";
import type { LiveUsage } from "../model/usage.js";
import type {
  Engine,
  EngineContext,
  EngineRun,
  GeneratorProcess,
  Load,
  LoadProgress,
  RunningServer,
} from "../plugin.js";
import { SLICE_MS } from "../stats/faults.js";
import { placeKey } from "../stats/identity.js";
import { measurementSchema, workerShare } from "../model/result-schema.js";
import { foreseeStep, startPressureSampler, type SeenPressure } from "../system/ports.js";
import { startUsageSampler, stepUsage, type Probes, type UsageSampler } from "../system/usage.js";
import { sharesBetween, sharesBySlice, watchShares, type ToldShares } from "./backend-shares.js";
import { planFaults, startClock, startFaults, type Clock, type PlannedFault, type RunningFaults } from "./faults.js";
import { faultOf } from "./server-context.js";
import type { SweepListener } from "./sweep-event.js";
import { deathOf, messageOf, within, type StopError, type TakenTarget, type Targets } from "./targets.js";
import { warmUp } from "./warm-up.js";

/** What every step of a run is executed with. */
export interface StepContext extends Pick<EngineContext, "children" | "folder"> {
  readonly scenario: Scenario;
  readonly environment: Environment;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly targets: Pick<Targets, "take" | "stop">;
  /** Which life of its target the step is part of; another one begins with a start. */
  readonly life: number;
  /** Steps that were executed before; they tell how much load to expect. */
  readonly history: readonly StepResult[];
  /** Asks Node processes of the target how busy their event loops are; without it that is not known. */
  readonly probes?: Probes;
  /** Ends the load early; what was counted is kept. */
  readonly signal: AbortSignal;
  /** Hears of its phases, its progress, what its processes use and, before any load, of what it may run out of. */
  readonly emit: SweepListener;
}

/** Fewer connections or cores leave no choice of how many processes send a load. */
const FEWEST_TO_SPLIT = 2;

type Outcome = Omit<UnjudgedStep, keyof StepKey | "engine">;
type Failure = NonNullable<StepResult["error"]>;

/** Takes the target, warms it up and measures it; never rejects: what goes wrong is in the step. A target that failed is stopped. */
export async function runStep(key: StepKey, context: StepContext): Promise<StepResult> {
  const { scenario, environment, targets, emit } = context;
  const choice = scenario.targets.find(({ name }) => name === key.target)?.engine ?? scenario.engine;
  const noticed: Finding[] = [];
  let outcome: Outcome;
  try {
    outcome = await executeStep(key, choice, context, noticed);
  } catch (error) {
    outcome = failedBy(errorOf(error));
  }
  if (outcome.state === "failed" && (await isInterrupted(context.signal))) outcome = abortedFrom(outcome);
  if (scenario.restart !== "trial" || outcome.state === "failed") {
    try {
      await targets.stop(key.target, () => emit({ type: "phase", step: key, phase: "stopping" }));
    } catch (error) {
      // What is left of it may disturb the steps to come, so this is worth more than a measurement that is complete.
      outcome = { ...outcome, ...failedBy(outcome.error ?? errorOf(error)) };
    }
  }
  const step = { ...key, engine: choice.name, ...outcome };
  return { ...step, findings: [...judgeStep(step, scenario, environment), ...noticed] };
}

/** What ends this process, as `timeout` does, may end the target first: then the news of that comes a moment later. */
async function isInterrupted(signal: AbortSignal): Promise<boolean> {
  await within(NEWS_LIMIT_MS, new Promise<never>(() => {}), signal);
  return signal.aborted;
}

function abortedFrom({ error: _error, ...outcome }: Outcome): Outcome {
  return { ...outcome, state: "aborted" };
}

/** A step whose target could not be stopped after it. */
export function failStep(
  step: StepResult,
  error: StopError,
  { scenario, environment }: Pick<StepContext, "scenario" | "environment">,
): StepResult {
  const { findings, ...rest } = step;
  const failed = { ...rest, ...failedBy(rest.error ?? errorOf(error)) };
  const judged = judgeStep(failed, scenario, environment);
  return {
    ...failed,
    findings: [...judged, ...findings.filter(({ code }) => judged.every((one) => one.code !== code))],
  };
}

function failedBy(error: Failure): { readonly state: "failed"; readonly error: Failure } {
  return { state: "failed", error };
}

function errorOf(error: unknown): Failure {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "STEP_FAILED";
  return { code, message: messageOf(error) };
}

async function executeStep(
  key: StepKey,
  { name, options }: TargetEngine,
  context: StepContext,
  noticed: Finding[],
): Promise<Outcome> {
  const { scenario, history, targets, life, emit } = context;
  const engine = context.engines.get(name);
  if (engine === undefined) {
    throw new Error(`There is no engine "${name}"; the scenario was not resolved with these plugins`);
  }
  const starting = { type: "phase", step: key, phase: "starting" } as const;
  const target = await targets.take(key.target, life, context.signal, () => emit(starting));
  if (target.restarted !== undefined) {
    noticed.push({ code: "START_REPEATED", severity: "info", args: { message: target.restarted } });
  }
  const isAuto = scenario.engine.generators === "auto" && engine.supports.generators !== false;
  // Trials of a level are alike: over how many processes its load is split is chosen once.
  const chosen = isAuto ? history.find((step) => step.generators && placeKey(step) === placeKey(key)) : undefined;
  const given = scenario.engine.generators === "auto" ? chosen?.generators : scenario.engine.generators;
  const { request, mix, httpVersion, insecure, timeoutMs, keepAlive, arrival, ramp } = scenario;
  const load: Load = {
    url: requestUrl(target.server, scenario),
    level: key.level,
    request,
    ...(mix === null ? {} : { mix }),
    httpVersion,
    ...(insecure && { insecure }),
    timeoutMs,
    keepAlive,
    ...(arrival === null || key.level.rate === undefined ? {} : { arrival }),
    ...(ramp === null || key.level.users === undefined ? {} : { ramp }),
    options,
    generators: given ?? 1,
    atEnd: "cut",
    ...(isFilled(key.level, engine, scenario) ? { atStart: "fill" } : {}),
  };
  if (new URL(load.url).protocol === "https:" && !engine.supports.tlsVerification && insecure !== true) {
    noticed.push({ code: "TLS_NOT_VERIFIED", severity: "info", args: { engine: engine.name } });
  }
  const signal = AbortSignal.any([context.signal, target.death]);
  const run: RunEngine = async (asked, listener) => {
    const given = { signal, children: context.children, folder: context.folder, ...listener };
    const came = checkEngineRun(await engine.run(asked, given), engine.name);
    checkCertificate(came.measurement, asked.url);
    return came;
  };
  const mayAddGenerators = isAuto && chosen === undefined && mayNeedGenerators(key, context);
  const { generators, ...outcome } = await measureTarget(key, load, target, run, mayAddGenerators, context, signal);
  return { ...outcome, ...(isAuto && generators !== undefined ? { generators } : {}) };
}

/** Whether more processes may send a load faster: not where fewer connections have shown that something else is the limit. */
function mayNeedGenerators({ target, level }: StepKey, { environment, history }: StepContext): boolean {
  const { connections } = level;
  if (environment.cores < FEWEST_TO_SPLIT) return false;
  if (connections === undefined) return true;
  const isLimited = ({ level: lighter, usage, ...step }: StepResult): boolean =>
    step.target === target &&
    lighter.connections !== undefined &&
    lighter.connections < connections &&
    ["backend", "balancer", "machine"].includes(usage?.bottleneck ?? "");
  return connections >= FEWEST_TO_SPLIT && !history.some(isLimited);
}

/** Whether measuring begins when every connection has had an answer: in a closed loop for a time, unless the cold start is to be seen. */
function isFilled({ connections, durationMs }: Level, { supports }: Engine, { warmupMs }: Scenario): boolean {
  return supports.fills === true && connections !== undefined && durationMs !== undefined && warmupMs !== 0;
}

/** A target that is a URL brings its own path; the others get that of the request. */
function requestUrl(server: RunningServer, { request }: Scenario): string {
  const url = new URL(server.url);
  return url.pathname === "/" && url.search === "" ? urlWithPath(url, request.path).href : url.href;
}

/** Lets the engine of the step send a load; ends it early when the step is aborted or its target dies. */
type RunEngine = (load: Load, listener: Pick<EngineContext, "onProgress" | "onStart">) => Promise<EngineRun>;

/** Rejects with what the engine says, unless that is because the target died. */
async function measureTarget(
  key: StepKey,
  asked: Load,
  target: TakenTarget,
  run: RunEngine,
  mayAddGenerators: boolean,
  context: StepContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const { scenario, environment, history, emit } = context;
  const { server } = target;
  const died = (): ReturnType<typeof failedBy> | undefined => {
    const how = deathOf(target);
    return how === undefined ? undefined : failedBy({ code: "TARGET_DIED", message: how });
  };
  try {
    const plan = planFaults(scenario.faults, key.target, server.parts);
    const earlier = history.filter((step) => step.target === key.target);
    const { portsNeeded, findings } = await foreseeStep(asked, server.processes, scenario, environment, earlier);
    for (const finding of findings) emit({ type: "warning", step: key, finding });
    if (scenario.warmupMs !== 0) emit({ type: "phase", step: key, phase: "warming up" });
    const throughput = earlier.at(-1)?.measurement?.throughput ?? 0;
    const { isFresh } = target;
    const warming = { load: asked, scenario, environment, mayAddGenerators, isFresh, signal, throughput };
    // A load that fills settles by itself on a target that is warm.
    const { warmup, generators }: Awaited<ReturnType<typeof warmUp>> =
      asked.atStart === "fill" && !isFresh && !mayAddGenerators
        ? { generators: asked.generators }
        : await warmUp({ ...warming, run: (load, onProgress) => run(load, { onProgress }) });
    const warmed = { ...(warmup === undefined ? {} : { warmup }), generators };
    if (context.signal.aborted) return { state: "aborted", ...warmed };
    const early = died();
    if (early !== undefined) return { ...early, ...warmed };
    if (asked.atStart !== "fill") emit({ type: "phase", step: key, phase: "measuring" });
    // What it picked until now was not measured.
    let before: Told = asked.atStart === "fill" ? [undefined, undefined] : await askBalancer(server, signal);
    signal.throwIfAborted();
    const faulty = plan.length === 0 ? {} : { sliceMs: SLICE_MS };
    const onFilled = async (): Promise<void> => {
      emit({ type: "phase", step: key, phase: "measuring" });
      before = await askBalancer(server, signal);
    };
    const load = { ...asked, generators, ...faulty };
    const seen = await runSampled(
      key,
      load,
      server,
      run,
      plan,
      context,
      asked.atStart === "fill" ? onFilled : undefined,
    );
    const { workers } = seen.run;
    const faults = seen.faults?.told(seen.run.measurement.startedAt);
    const picks = picksOf(seen.run.measurement, before, seen.shares, await askBalancer(server));
    const measurement = { ...seen.run.measurement, ...picks };
    const measured = {
      ...warmed,
      measurement,
      ...(faults === undefined ? {} : { faults }),
      usage: stepUsage(seen.window, seen.run.generators, server.unseen, workers),
      ...(workers === undefined ? {} : { workers }),
      ...(seen.pressure === undefined ? {} : { pressure: { ...seen.pressure, portsNeeded } }),
    };
    if (mayHaveDied(measurement, server)) await within(NEWS_LIMIT_MS, server.died);
    const message = `nothing answered any more for ${asked.timeoutMs} ms`;
    // What a fault has ended may be silent until the end.
    const isGone = seen.run.targetGone && !faults?.some(({ effectMs }) => effectMs !== null);
    // What interrupts the run, such as `timeout`, may end the target as well.
    if (context.signal.aborted) return { state: "aborted", ...measured };
    const failure = died() ?? (isGone ? failedBy({ code: "TARGET_DIED", message }) : undefined);
    return { state: "completed", ...failure, ...measured };
  } catch (error) {
    const failure = died();
    if (failure === undefined) throw error;
    return failure;
  }
}

const NEWS_LIMIT_MS = 250;

/** The news of a death can be slower than its consequences: the lost connections may already have been counted. */
function mayHaveDied({ requests }: Measurement, { processes }: RunningServer): boolean {
  const { resets = 0, dropped = 0, connectErrors = 0, unclassified = 0 } = requests;
  // Of a process that was found there is no news.
  return processes.some(({ found }) => found !== true) && resets + dropped + connectErrors + unclassified > 0;
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

/** What each backend was given between the answers of a balancer, in slices too where there are some, and which turns were kept. */
function picksOf(
  { slices }: Measurement,
  [before, earlier]: Told,
  meanwhile: readonly ToldShares[],
  [after, turns]: Told,
): Pick<Measurement, "backends" | "turns" | "slices"> {
  // Before the start and after the end there is nothing to count.
  const first = before === undefined ? [] : [{ atMs: Number.NEGATIVE_INFINITY, shares: before }];
  const last = after === undefined ? [] : [{ atMs: Number.POSITIVE_INFINITY, shares: after }];
  const told = [...first, ...meanwhile, ...last];
  return {
    ...(told.length > 1 && {
      backends: sharesBetween(told),
      ...(slices && {
        slices: { ...slices, backends: sharesBySlice(told, { ms: slices.ms, count: slices.sent.length }) },
      }),
    }),
    ...(earlier && turns && { turns }),
  };
}

/**
 * Measures, and does the faults meanwhile. Watches what the processes of the step use, what they run out of and, where there are faults,
 * what backends are given.
 *
 * @param onFilled called when the load is at work, right before measuring begins.
 */
async function runSampled(
  key: StepKey,
  load: Load,
  server: RunningServer,
  runEngine: RunEngine,
  plan: readonly PlannedFault[],
  { emit, environment, probes, signal }: StepContext,
  onFilled = async (): Promise<void> => {},
) {
  const { processes, processesNow = () => processes } = server;
  let usage: Promise<UsageSampler> | undefined;
  let stopPressure: () => Promise<SeenPressure | undefined> = async () => undefined;
  let stopShares: () => readonly ToldShares[] = () => [];
  let clock: Clock | undefined;
  let faults: RunningFaults | undefined;
  const onStart = async (generators: readonly GeneratorProcess[]): Promise<void> => {
    await onFilled();
    const loading = generators.map(({ pid, name }) => ({ pid, name, role: "generator" as const, tree: false }));
    const onUsage = (now: LiveUsage): void => emit({ type: "usage", step: key, usage: now });
    usage = startUsageSampler(processes, { ...(probes && { probes }), beside: loading, onUsage, processesNow });
    const { look, pidsOf } = await usage;
    stopPressure = startPressureSampler([...loading, ...processes], load.url, environment.network, pidsOf);
    if (plan.length === 0) return;
    clock = startClock();
    stopShares = watchShares(server, SLICE_MS, clock);
    const onDone = (fault: DoneFault): void => emit({ type: "fault", step: key, fault });
    faults = startFaults(plan, clock, { onDone, look });
  };
  const onProgress = (progress: LoadProgress): void => {
    clock?.adjust(progress.elapsedMs);
    const { requests, durationMs = progress.elapsedMs } = load.level;
    const { lastsMs = durationMs } = progress;
    const share = requests === undefined ? progress.elapsedMs / lastsMs : progress.done / requests;
    emit({ type: "progress", step: key, ...progress, share: Math.min(1, share) });
  };
  const stop = async () => Promise.all([usage?.then(({ end }) => end()), stopPressure(), faults?.end(!signal.aborted)]);
  let run: EngineRun;
  try {
    run = await runEngine(load, { onStart, onProgress });
  } catch (error) {
    stopShares();
    await stop().catch(() => {});
    throw error;
  }
  const { startedAt } = run.measurement;
  const shares = stopShares().map((told) => ({ ...told, atMs: clock?.since(startedAt, told.atMs) ?? told.atMs }));
  const [window, pressure] = await stop();
  return { run, window, pressure, faults, shares };
}

const engineRun = z.looseObject({
  measurement: measurementSchema,
  generators: z.array(z.looseObject({ pid: z.number(), name: z.string(), cpu: z.number(), rssBytes: z.number() })),
  targetGone: z.boolean(),
  workers: z.array(workerShare).exactOptional(),
});

/** Throws, where what an engine came back with cannot be judged and stored, an error that names the engine and the place. */
function checkEngineRun(run: EngineRun, engine: string): EngineRun {
  const fault = faultOf(run, engineRun);
  if (fault === undefined) return run;
  throw new Error(
    `the engine "${engine}": expected its run to resolve with { measurement, generators, targetGone }, but ${fault}. ` +
      "That is a mistake in the engine: mend it there",
  );
}
