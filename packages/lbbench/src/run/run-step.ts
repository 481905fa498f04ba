/** One step in four phases: take its target, foresee what the load may run out of, warm the target up, measure it. */
import * as z from "zod";
import { checkCertificate } from "../engines/certificates.js";
import { urlWithPath } from "../engines/requests.js";
import { planHold, type HoldPlan } from "../judge/hold-need.js";
import { judgeStep } from "../judge/judge-step.js";
import type { UnjudgedStep } from "../judge/found.js";
import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { StepKey, StepResult } from "../model/result.js";
import { measurementSchema, workerShare } from "../model/result-schema.js";
import type { Scenario } from "../model/scenario.js";
import type { Engine, EngineContext, EngineRun, EngineSupport, Load, RunningServer } from "../plugin.js";
import { defined } from "../stats/defined.js";
import { SLICE_MS } from "../stats/faults.js";
import { countWithin, decodeHistogram } from "../stats/histogram.js";
import { placeKey } from "../stats/identity.js";
import { addressOf } from "../stats/url-address.js";
import { foreseeStep } from "../system/ports.js";
import { stepUsage } from "../system/usage.js";
import { planFaults } from "./faults.js";
import { measureStep, type SendLoad, type StepLoad, type StepWatch } from "./measure-step.js";
import { faultOf } from "./server-context.js";
import { messageOf } from "../system/program.js";
import { within } from "../system/settle.js";
import { deathOf, type StopError, type TakenTarget, type Targets } from "./targets.js";
import { warmUp } from "./warm-up.js";

/** What all steps of a run share. */
export interface StepContext extends StepWatch, Pick<EngineContext, "children" | "folder"> {
  readonly scenario: Scenario;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly targets: Pick<Targets, "take" | "stop">;
  /** Which life of its target the step is part of. A new life begins with a start. */
  readonly life: number;
  /** Earlier steps, which tell how much load to expect. */
  readonly history: readonly StepResult[];
}

type Outcome = Omit<UnjudgedStep, keyof StepKey | "engine">;
type Failure = NonNullable<StepResult["error"]>;

/** Executes a step; never rejects, because errors are part of the step. A target that failed is stopped. */
export async function runStep(key: StepKey, context: StepContext): Promise<StepResult> {
  const { scenario, environment, targets, emit } = context;
  const noticed: Finding[] = [];
  let outcome = await execute(key, context, noticed).catch((error: unknown): Outcome => failedBy(errorOf(error)));
  if (outcome.state === "failed" && (await isInterrupted(context.signal))) {
    const { error: _error, ...rest } = outcome;
    outcome = { ...rest, state: "aborted" };
  }
  if (scenario.restart !== "trial" || outcome.state === "failed") {
    try {
      await targets.stop(key.target, () => emit({ type: "phase", step: key, phase: "stopping" }));
    } catch (error) {
      // Processes that are left would disturb later steps: that is worse than losing this measurement.
      outcome = { ...outcome, ...failedBy(outcome.error ?? errorOf(error)) };
    }
  }
  const step = { ...key, engine: engineOf(key, scenario).name, ...outcome };
  return { ...step, findings: [...judgeStep(step, scenario, environment), ...noticed] };
}

/** The phases of a step: each hands on one value. Rejects if one fails for another reason than the death of the target. */
async function execute(key: StepKey, context: StepContext, noticed: Finding[]): Promise<Outcome> {
  const taken = await take(key, context, noticed);
  try {
    const foreseen = await foresee(taken, context);
    const warmed = await warm(foreseen, context);
    return await measure(warmed, context);
  } catch (error) {
    const death = diedOf(taken.target);
    if (death === undefined) throw error;
    return death;
  }
}

/** A target that was started, and its load. */
interface Taken extends Omit<StepLoad, "plan"> {
  readonly target: TakenTarget;
  /** Whether lbbench chooses the number of generators, and still has to for this level. */
  readonly generators: "given" | "chosen" | "to choose";
}

/** Takes the target and makes the load. */
async function take(key: StepKey, context: StepContext, noticed: Finding[]): Promise<Taken> {
  const { scenario, targets, life, emit, children, folder } = context;
  const { name, options } = engineOf(key, scenario);
  const engine = context.engines.get(name);
  if (engine === undefined) {
    throw new Error(`There is no engine "${name}"; the scenario was not resolved with these plugins`);
  }
  const starting = { type: "phase", step: key, phase: "starting" } as const;
  const target = await targets.take(key.target, life, { signal: context.signal, onStart: () => emit(starting) });
  const { server, restarted } = target;
  if (restarted !== undefined) {
    noticed.push({ code: "START_REPEATED", severity: "info", args: { message: restarted } });
  }
  const url = requestUrl(server, scenario);
  const hold = planHold(scenario, key.level, context.environment, addressOf(url).host);
  const { count, generators } = chooseGenerators(key, { ...engine.supports, hold }, context);
  const { request, mix, httpVersion, insecure, serverTiming, timeoutMs, keepAlive, arrival, ramp } = scenario;
  const { requestsPerConnection, connectTo, tls } = scenario;
  const { level } = key;
  const load: Load = {
    url,
    level,
    request,
    httpVersion,
    timeoutMs,
    keepAlive,
    options,
    generators: count,
    // Whether a request that is cut would have come in time is not known.
    atEnd: scenario.policies === undefined ? "cut" : "drain",
    ...defined({
      mix: mix ?? undefined,
      insecure: insecure || undefined,
      serverTiming,
      requestsPerConnection,
      connectTo,
      tls,
      certificate: server.certificate,
      arrival: level.rate === undefined ? undefined : (arrival ?? undefined),
      ramp: level.users === undefined ? undefined : (ramp ?? undefined),
      atStart: isFilled(level, engine, scenario) ? ("fill" as const) : undefined,
      hold: scenario.hold && { ...scenario.hold, sources: hold?.sources ?? [] },
    }),
  };
  if (new URL(load.url).protocol === "https:" && !engine.supports.tlsVerification && insecure !== true) {
    noticed.push({ code: "TLS_NOT_VERIFIED", severity: "info", args: { engine: engine.name } });
  }
  const signal = AbortSignal.any([context.signal, target.death]);
  const send: SendLoad = async (asked, listener) => {
    const run = checkEngineRun(await engine.run(asked, { signal, children, folder, ...listener }), engine.name);
    checkCertificate(run.measurement, asked.url);
    return run;
  };
  return { key, target, server, load, send, signal, generators };
}

function engineOf({ target }: StepKey, { targets, engine }: Scenario) {
  return targets.find(({ name }) => name === target)?.engine ?? engine;
}

/** How many processes send the load. It is chosen once for all trials of a level, so that they are alike. */
function chooseGenerators(
  key: StepKey,
  { generators: canSplit, hold }: Pick<EngineSupport, "generators"> & { readonly hold: HoldPlan | undefined },
  context: StepContext,
): { readonly count: number } & Pick<Taken, "generators"> {
  const { generators: asked } = context.scenario.engine;
  if (asked !== "auto") return { count: asked, generators: "given" };
  if (hold !== undefined) return { count: hold.generators, generators: "chosen" };
  if (canSplit === false) return { count: 1, generators: "given" };
  const same = context.history.find((step) => step.generators && placeKey(step) === placeKey(key));
  if (same?.generators !== undefined) return { count: same.generators, generators: "chosen" };
  return { count: 1, generators: mayNeedGenerators(key, context) ? "to choose" : "chosen" };
}

/** With fewer connections or cores one process sends the load. */
const FEWEST_TO_SPLIT = 2;

/** Whether more processes may send a load faster. They cannot where fewer connections have shown that something else is the limit. */
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

/** Whether measuring begins when every connection has had an answer: in a closed loop with a duration and a warm-up, or one that is held. */
function isFilled({ connections, durationMs }: Level, { supports }: Engine, { warmupMs, hold }: Scenario): boolean {
  const isWarm = warmupMs !== 0 || hold !== undefined;
  return supports.fills === true && connections !== undefined && durationMs !== undefined && isWarm;
}

/** A target that is a URL has its own path; others get the path of the request. */
function requestUrl(server: RunningServer, { request }: Scenario): string {
  const url = new URL(server.url);
  return url.pathname === "/" && url.search === "" ? urlWithPath(url, request.path).href : url.href;
}

/** A target with the parts that faults are done to. */
interface Foreseen extends Taken, StepLoad {
  readonly portsNeeded: number | null;
  /** Steps of the same target before this one. */
  readonly earlier: readonly StepResult[];
}

/** Finds the parts that faults are done to, and warns of what the load may run out of, before it is sent. */
async function foresee(taken: Taken, { scenario, environment, history, emit }: StepContext): Promise<Foreseen> {
  const { key, server, load } = taken;
  const plan = planFaults(scenario.faults, key.target, server.parts);
  const earlier = history.filter((step) => step.target === key.target);
  const { portsNeeded, findings } = await foreseeStep(load, server.processes, scenario, environment, earlier);
  for (const finding of findings) emit({ type: "warning", step: key, finding });
  return { ...taken, plan, portsNeeded, earlier };
}

/** A target that is warm, with the load as it is measured. */
interface Warmed extends Foreseen {
  readonly warmup: StepResult["warmup"];
}

/** Warms the target up, which may show that more generators are needed. On a warm target a load that fills needs no warm-up. */
async function warm(foreseen: Foreseen, { scenario, environment, emit }: StepContext): Promise<Warmed> {
  const { key, target, load, send, signal, earlier, plan } = foreseen;
  const { isFresh } = target;
  const mayAddGenerators = foreseen.generators === "to choose";
  if (scenario.warmupMs !== 0) emit({ type: "phase", step: key, phase: "warming up" });
  const throughput = earlier.at(-1)?.measurement?.throughput ?? 0;
  const { warmup, generators }: Awaited<ReturnType<typeof warmUp>> =
    load.atStart === "fill" && !isFresh && !mayAddGenerators
      ? load
      : await warmUp({
          load,
          scenario,
          environment,
          mayAddGenerators,
          isFresh,
          signal,
          throughput,
          run: (part, onProgress) => send(part, { onProgress }),
        });
  const sliceMs = plan.length === 0 && scenario.policies === undefined ? undefined : SLICE_MS;
  return { ...foreseen, warmup, load: { ...load, generators, ...defined({ sliceMs }) } };
}

const NEWS_LIMIT_MS = 250;

/** Measures the warm target, and makes the step of the result from all that was seen. */
async function measure(warmed: Warmed, context: StepContext): Promise<Outcome> {
  const { server, load, portsNeeded, warmup } = warmed;
  const told = defined({ warmup, generators: warmed.generators === "given" ? undefined : load.generators });
  const early = endOf(warmed, context);
  if (early !== undefined) return { ...early, ...told };
  const { run, window, faults, pressure, ...seen } = await measureStep(warmed, context);
  const measurement = withDeadline(seen.measurement, context.scenario);
  const { workers } = run;
  if (mayHaveDied(measurement, server)) await within(NEWS_LIMIT_MS, server.died);
  // A part that a fault has ended may answer nothing until the end.
  const isGone = run.targetGone && !faults?.some(({ effectMs }) => effectMs !== null);
  const message = `nothing answered any more for ${load.timeoutMs} ms`;
  return {
    state: "completed",
    ...(endOf(warmed, context) ?? (isGone ? failedBy({ code: "TARGET_DIED", message }) : undefined)),
    ...told,
    measurement,
    usage: stepUsage(window, run.generators, server.unseen, workers),
    ...defined({ faults, workers, pressure: pressure && { ...pressure, portsNeeded } }),
  };
}

/** Why a step has ended early; `undefined` if it goes on. */
function endOf({ target }: Taken, { signal }: StepContext): Outcome | undefined {
  // A signal that interrupts the run may reach the target as well: the run was interrupted, and the target did not die.
  return signal.aborted ? { state: "aborted" } : diedOf(target);
}

function diedOf(target: TakenTarget): ReturnType<typeof failedBy> | undefined {
  const how = deathOf(target);
  return how === undefined ? undefined : failedBy({ code: "TARGET_DIED", message: how });
}

/** The measurement with how many of its requests came in time, where that is asked. */
function withDeadline(measurement: Measurement, { policies }: Scenario): Measurement {
  const { histogram, requests, schedule } = measurement;
  if (policies === undefined) return measurement;
  const ok = histogram === undefined ? 0 : countWithin(decodeHistogram(histogram), policies.withinMs);
  return { ...measurement, within: { ms: policies.withinMs, ok, due: schedule?.planned ?? requests.sent } };
}

/** Whether the target may have died: its connections can break before the news of its death comes. */
function mayHaveDied({ requests }: Measurement, { processes }: RunningServer): boolean {
  const { resets = 0, dropped = 0, connectErrors = 0, unclassified = 0 } = requests;
  // lbbench learns of the death of its own processes only.
  return processes.some(({ found }) => found !== true) && resets + dropped + connectErrors + unclassified > 0;
}

/** A signal to the whole process group, as `timeout` sends it, may end the target before this process gets it: wait for it a moment. */
async function isInterrupted(signal: AbortSignal): Promise<boolean> {
  await within(NEWS_LIMIT_MS, new Promise<never>(() => {}), signal);
  return signal.aborted;
}

/** The same step with the error of a target that could not be stopped after it. */
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

const engineRun = z.looseObject({
  measurement: measurementSchema,
  generators: z.array(z.looseObject({ pid: z.number(), name: z.string(), cpu: z.number(), rssBytes: z.number() })),
  targetGone: z.boolean(),
  workers: z.array(workerShare).exactOptional(),
});

/** Throws an error that names the engine and the place, if its measurement does not fit the schema. */
function checkEngineRun(run: EngineRun, engine: string): EngineRun {
  const fault = faultOf(run, engineRun);
  if (fault === undefined) return run;
  throw new Error(
    `the engine "${engine}": expected its run to resolve with { measurement, generators, targetGone }, but ${fault}. ` +
      "That is a mistake in the engine: mend it there",
  );
}
