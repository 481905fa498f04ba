import { judgeStep } from "../judge/judge-step.js";
import type { Environment, StepKey, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { Load, RunningServer } from "../plugin.js";
import { measureTarget, type MeasureContext, type StepOutcome } from "./measure-target.js";
import type { StartTarget } from "./start-target.js";
import { findUnverifiedTls } from "./tls-verification.js";

/** What every step of a sweep is run with. */
export interface StepContext extends MeasureContext {
  readonly environment: Environment;
  readonly startTarget: StartTarget;
}

/** Starts the target, warms up, measures and stops what was started; never rejects: what goes wrong is in the step. */
export async function runStep(key: StepKey, context: StepContext): Promise<StepResult> {
  const { url, ...outcome } = await executeStep(key, context);
  const step = { ...key, engine: context.engine.name, ...outcome };
  return {
    ...step,
    findings: [
      ...judgeStep(step, context.scenario, context.environment),
      ...(url === undefined ? [] : findUnverifiedTls(url, context.engine)),
    ],
  };
}

interface Executed extends StepOutcome {
  /** Of the load; absent when the target could not be started. */
  readonly url?: string;
}

async function executeStep(key: StepKey, context: StepContext): Promise<Executed> {
  let server: RunningServer;
  try {
    context.onPhase("starting");
    server = await context.startTarget(key.target, context.signal);
  } catch (error) {
    return failed(error, context.signal);
  }
  const executed = await measureServer(key, server, context);
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

async function measureServer(key: StepKey, server: RunningServer, context: StepContext): Promise<Executed> {
  try {
    const load = toLoad(key, server, context.scenario);
    return { ...(await measureTarget(load, server, context)), url: load.url };
  } catch (error) {
    return failed(error, context.signal);
  }
}

function toLoad({ level }: StepKey, server: RunningServer, scenario: Scenario): Load {
  return {
    url: requestUrl(server, scenario),
    level,
    request: scenario.request,
    timeoutMs: scenario.timeoutMs,
    keepAlive: scenario.keepAlive,
    generators: scenario.engine.generators,
    atEnd: "cut",
  };
}

/** A target that is a URL brings its own path; the others get that of the request. */
function requestUrl(server: RunningServer, { request }: Scenario): string {
  const url = new URL(server.url);
  return url.pathname === "/" && url.search === "" ? new URL(request.path, url).href : url.href;
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
