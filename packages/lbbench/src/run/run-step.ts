import { urlWithPath } from "../engines/url-with-path.js";
import { judgeStep } from "../judge/judge-step.js";
import type { StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Engine, Load, RunningServer } from "../plugin.js";
import { measureTarget, type MeasureContext, type StepOutcome } from "./measure-target.js";
import type { StartTarget } from "./start-target.js";
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
  const { engine, options } = engineOf(key.target, context);
  const { url, ...outcome } = await executeStep(key, options, { ...context, engine });
  const step = { ...key, engine: engine.name, ...outcome };
  return {
    ...step,
    findings: [
      ...judgeStep(step, context.scenario, context.environment),
      ...(url === undefined ? [] : findUnverifiedTls(url, engine)),
    ],
  };
}

interface ChosenEngine {
  readonly engine: Engine;
  readonly options: Load["options"];
}

function engineOf(name: string, { scenario, engines }: StepContext): ChosenEngine {
  const choice = scenario.targets.find((target) => target.name === name)?.engine ?? scenario.engine;
  const engine = engines.get(choice.name);
  if (engine === undefined) {
    throw new Error(`There is no engine "${choice.name}"; the scenario was not resolved with these plugins`);
  }
  return { engine, options: choice.options };
}

/** With the engine of the step's target. */
type TargetContext = StepContext & Pick<MeasureContext, "engine">;

interface Executed extends StepOutcome {
  /** Of the load; absent when the target could not be started. */
  readonly url?: string;
}

async function executeStep(key: StepKey, options: Load["options"], context: TargetContext): Promise<Executed> {
  let server: RunningServer;
  try {
    context.onPhase("starting");
    server = await context.startTarget(key.target, context.signal);
  } catch (error) {
    return failed(error, context.signal);
  }
  const executed = await measureServer(key, toLoad(key, server, options, context.scenario), server, context);
  context.onPhase("stopping");
  try {
    await server.stop();
    return executed;
  } catch (error) {
    // What is left of it may disturb the steps to come, so this is worth more than a measurement that is complete.
    const leftRunning = { code: "STOP_FAILED", message: `it could not be stopped: ${errorMessage(error)}` };
    return { ...executed, state: "failed", error: executed.error ?? leftRunning };
  }
}

async function measureServer(
  { target }: StepKey,
  load: Load,
  server: RunningServer,
  context: TargetContext,
): Promise<Executed> {
  try {
    const earlier = (context.history ?? []).filter((step) => step.target === target);
    return { ...(await measureTarget(load, server, { ...context, earlier })), url: load.url };
  } catch (error) {
    return failed(error, context.signal);
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
    generators: scenario.engine.generators,
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
