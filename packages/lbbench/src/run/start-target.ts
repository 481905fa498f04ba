import type { Finding } from "../model/finding.js";
import type { Scenario } from "../model/scenario.js";
import type { RunningServer } from "../plugin.js";
import { StartError } from "../system/program.js";
import { checkRunningServer } from "./check-running-server.js";
import { createServerContext, type ServerSurroundings } from "./server-context.js";
import { pause } from "./within.js";

/** Starts a target of the scenario by its name. */
export type StartTarget = (name: string, signal: AbortSignal) => Promise<RunningServer>;

const PAUSE_BEFORE_RETRY_MS = 500;

/**
 * Starts targets with the plugins given; rejects with a {@link StartError} that has what the plugin says, or with the
 * reason of an aborted signal.
 */
export function createStartTarget(scenario: Scenario, around: ServerSurroundings): StartTarget {
  return async (name, signal) => {
    const target = scenario.targets.find((one) => one.name === name);
    const server = target === undefined ? undefined : around.servers.get(target.server);
    if (target === undefined || server === undefined) {
      throw new Error(
        `There is no target "${name}", or no plugin for it; the scenario was not resolved with these plugins`,
      );
    }
    signal.throwIfAborted();
    try {
      const started: unknown = await server.start(target.options, createServerContext(around, signal));
      return await checkRunningServer(started, server.name);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof StartError) throw error;
      throw new StartError(`The target "${name}" could not be started: ${messageOf(error)}`, { cause: error });
    }
  };
}

/** A target that runs, and how its first start failed if it took a second one. */
export interface StartedTarget {
  readonly server: RunningServer;
  readonly firstFailure?: string;
}

/** Starts a target, and once more after half a second if that fails: what died may be coming up again. */
export async function startWithRetry(
  startTarget: StartTarget,
  name: string,
  signal: AbortSignal,
): Promise<StartedTarget> {
  try {
    return { server: await startTarget(name, signal) };
  } catch (error) {
    await pause(PAUSE_BEFORE_RETRY_MS, signal);
    return { server: await startTarget(name, signal), firstFailure: messageOf(error) };
  }
}

/** `START_REPEATED` {message} when the first start of the step's target failed, with how. */
export function findRepeatedStart(firstFailure: string | undefined): readonly Finding[] {
  return firstFailure === undefined
    ? []
    : [{ code: "START_REPEATED", severity: "info", args: { message: firstFailure } }];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
