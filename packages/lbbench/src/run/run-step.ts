import { urlWithPath } from "../engines/requests.js";
import { judgeStep } from "../judge/judge-step.js";
import type { Finding } from "../model/finding.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario, TargetEngine } from "../model/scenario.js";
import type { Engine, Load, RunningServer } from "../plugin.js";
import { measureTarget, type MeasureContext, type StepOutcome } from "./measure-target.js";
import { findRepeatedStart, startWithRetry, type StartTarget, type StartedTarget } from "./start-target.js";
import { findUnverifiedTls } from "./tls-verification.js";

/** What every step of a sweep is run with. */
export interface StepContext extends Omit<MeasureContext, "engine" | "earlier"> {
  readonly engines: ReadonlyMap<string, Engine>;
  readonly startTarget: StartTarget;
  /** Steps that were executed before; they tell how much load to expect. */
  readonly history?: readonly StepResult[];
}

/** Starts the target, warms up, measures and stops what was started; never rejects: what goes wrong is in the step. */
export async function runStep(key: StepKey, context: StepContext): Promise<StepResult> {
  const { scenario, environment } = context;
  const choice = scenario.targets.find((target) => target.name === key.target)?.engine ?? scenario.engine;
  const { findings, ...outcome } = await executeStep(key, choice, context);
  const step = { ...key, engine: choice.name, ...outcome };
  return { ...step, findings: [...judgeStep(step, scenario, environment), ...findings] };
}

/** With the engine of the step's target. */
type TargetContext = StepContext & Pick<MeasureContext, "engine">;

interface Executed extends StepOutcome {
  /** What was noticed that the outcome does not show. */
  readonly findings: readonly Finding[];
}

async function executeStep(key: StepKey, choice: TargetEngine, context: StepContext): Promise<Executed> {
  let engine: Engine;
  let started: StartedTarget;
  try {
    engine = engineOf(choice, context);
    context.onPhase("starting");
    started = await startWithRetry(context.startTarget, key.target, context.signal);
  } catch (error) {
    return { ...failed(error, context.signal), findings: [] };
  }
  const { server } = started;
  const executed = await measureServer(key, server, choice.options, { ...context, engine });
  const told = { ...executed, findings: [...findRepeatedStart(started.firstFailure), ...executed.findings] };
  context.onPhase("stopping");
  try {
    await server.stop();
    return told;
  } catch (error) {
    // What is left of it may disturb the steps to come, so this is worth more than a measurement that is complete.
    const leftRunning = { code: "STOP_FAILED", message: `it could not be stopped: ${errorMessage(error)}` };
    return { ...told, state: "failed", error: executed.error ?? leftRunning };
  }
}

function engineOf({ name }: TargetEngine, { engines }: StepContext): Engine {
  const engine = engines.get(name);
  if (engine === undefined) {
    throw new Error(`There is no engine "${name}"; the scenario was not resolved with these plugins`);
  }
  return engine;
}

async function measureServer(
  key: StepKey,
  server: RunningServer,
  options: Load["options"],
  context: TargetContext,
): Promise<Executed> {
  try {
    const load = toLoad(key, server, options, context.scenario);
    const earlier = (context.history ?? []).filter((step) => step.target === key.target);
    const findings = findUnverifiedTls(load.url, context.engine);
    return { ...(await measureTarget(load, server, { ...context, earlier })), findings };
  } catch (error) {
    return { ...failed(error, context.signal), findings: [] };
  }
}

function toLoad({ level }: StepKey, server: RunningServer, options: Load["options"], scenario: Scenario): Load {
  return {
    url: requestUrl(server, scenario),
    level,
    request: scenario.request,
    ...(scenario.mix === null ? {} : { mix: scenario.mix }),
    httpVersion: scenario.httpVersion,
    timeoutMs: scenario.timeoutMs,
    keepAlive: scenario.keepAlive,
    ...(scenario.arrival === null || level.rate === undefined ? {} : { arrival: scenario.arrival }),
    ...(scenario.ramp === null || level.users === undefined ? {} : { ramp: scenario.ramp }),
    options,
    generators: scenario.engine.generators === "auto" ? 1 : scenario.engine.generators,
    atEnd: "cut",
  };
}

/** A target that is a URL brings its own path; the others get that of the request. */
function requestUrl(server: RunningServer, { request }: Scenario): string {
  const url = new URL(server.url);
  return url.pathname === "/" && url.search === "" ? urlWithPath(url, request.path).href : url.href;
}

function failed(error: unknown, signal: AbortSignal): StepOutcome {
  if (signal.aborted) return { state: "aborted" };
  return { state: "failed", error: { code: errorCode(error), message: errorMessage(error) } };
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "STEP_FAILED";
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
