/** The life of targets: started, looked at, kept from step to step, started anew, stopped. */
import type { Scenario } from "../model/scenario.js";
import type { RunningServer } from "../plugin.js";
import { urlServer } from "../servers/url.js";
import { messageOf, rethrowStart } from "../system/program.js";
import { within } from "../system/settle.js";
import { startServer, type ServerSurroundings } from "./server-context.js";
import { defined } from "../stats/defined.js";

/** A target that runs. */
interface LivingTarget {
  readonly server: RunningServer;
  /** Aborts when it has ended without having been asked to; the reason is how. */
  readonly death: AbortSignal;
  /** Why it had to be started once more, where it had. */
  readonly restarted?: string;
}

/** A target that is taken for a step. */
export interface TakenTarget extends LivingTarget {
  /** Whether it has not been loaded yet since its start; of a target that is not started here: in this life. */
  readonly isFresh: boolean;
}

/** How a target has ended; `undefined` as long as it lives. */
export function deathOf({ death }: Pick<LivingTarget, "death">): string | undefined {
  return death.aborted ? String(death.reason) : undefined;
}

/** The targets of a run. */
export type Targets = ReturnType<typeof createTargets>;

/** A target could not be stopped. */
export class StopError extends Error {
  override readonly name = "StopError";
  readonly code = "STOP_FAILED";
}

interface Kept extends LivingTarget {
  /** `undefined` before its first step. */
  readonly life: number | undefined;
}

/** Throws an error of a target that has no step which could name it. */
export function rethrowNamed(name: string, error: unknown): never {
  throw new StopError(`The target "${name}": ${messageOf(error)}`, { cause: error });
}

const PAUSE_BEFORE_RETRY_MS = 500;

/** Says, of a failed start, that a port was taken: perhaps by another target of the run, which lives as well. */
const PORT_TAKEN = /\bin use\b|EADDRINUSE/i;

/** The targets of a scenario, none of them started. */
export function createTargets(
  { targets, restart, httpVersion, serverTiming, connectTo }: Scenario,
  around: Omit<ServerSurroundings, "httpVersion" | "serverTiming" | "connectTo" | "signal">,
) {
  const living = new Map<string, Kept>();
  /** Targets that cannot live beside the others, because they want the same port; with the error, until it is told. */
  const apart = new Map<string, string | undefined>();

  // A URL has nothing to start or keep: it is only asked whether it answers.
  const isUrl = (name: string): boolean => targets.find((one) => one.name === name)?.server === urlServer.name;

  /** Stops a target, if it was started. Rejects with an error of the code `STOP_FAILED`. */
  const stop = async (name: string, onStop = () => {}): Promise<void> => {
    const target = living.get(name);
    if (target === undefined) return;
    living.delete(name);
    onStop();
    try {
      await target.server.stop();
    } catch (error) {
      throw new StopError(`it could not be stopped: ${messageOf(error)}`, { cause: error });
    }
  };

  const stopThose = async (isMeant: (name: string) => boolean): Promise<void> => {
    for (const name of [...living.keys()].filter(isMeant)) await stop(name);
  };

  const launch = async (name: string, signal: AbortSignal): Promise<LivingTarget> => {
    const target = targets.find((one) => one.name === name);
    if (target === undefined) {
      throw new Error(`There is no target "${name}"; the scenario was not resolved with these plugins`);
    }
    await stopThose((other) => apart.has(name) || apart.has(other));
    try {
      const server = await startServer(target, { ...around, httpVersion, serverTiming, connectTo, signal });
      return { server, death: watchForDeath(server) };
    } catch (error) {
      rethrowStart(`The target "${name}"`, error, signal);
    }
  };

  /** Tries twice: where something else has the port without the other targets, or else half a second later if it `mayWait`. */
  const start = async (name: string, signal: AbortSignal, mayWait: boolean): Promise<LivingTarget> => {
    try {
      return await launch(name, signal);
    } catch (error) {
      if (signal.aborted || error instanceof StopError) throw error;
      const restarted = messageOf(error);
      const isCrowded = living.size > 0 && PORT_TAKEN.test(restarted);
      if (!isCrowded && !mayWait) throw error;
      if (isCrowded) await stopThose(() => true);
      else await within(PAUSE_BEFORE_RETRY_MS, new Promise<never>(() => {}), signal);
      signal.throwIfAborted();
      const target = await launch(name, signal);
      if (!isCrowded) return { ...target, restarted };
      apart.set(name, restarted);
      return target;
    }
  };

  return {
    /**
     * Starts a target before the first step, to see that it can be. Where targets outlive a step the first one finds it running;
     * otherwise it is stopped again. Resolves with the server that was seen. Rejects with a {@link StartError}.
     */
    check: async (name: string, signal: AbortSignal): Promise<RunningServer> => {
      const target = await start(name, signal, false);
      living.set(name, { ...target, life: undefined });
      if (restart !== "trial") await stop(name).catch((error: unknown) => rethrowNamed(name, error));
      return target.server;
    },
    /**
     * The target for a step: the one that runs if it is of the same life (in a sweep the trial), or has none yet; otherwise it is stopped
     * and started anew, and where that fails once more half a second later. Rejects with a {@link StartError}, or with an error of the
     * code `STOP_FAILED` where the one before could not be stopped.
     */
    take: async (
      name: string,
      life: number,
      { signal, onStart = () => {} }: { readonly signal: AbortSignal; readonly onStart?: () => void },
    ): Promise<TakenTarget> => {
      const kept = living.get(name);
      const died = kept && deathOf(kept);
      const isFresh = kept?.life !== life || died !== undefined;
      const isAgain = kept !== undefined && died === undefined && (kept.life ?? life) === life && !isUrl(name);
      if (!isAgain) onStart();
      if (!isAgain) await stop(name);
      const target = isAgain ? kept : await start(name, signal, true);
      living.set(name, { server: target.server, death: target.death, life });
      const restarted = target.restarted ?? apart.get(name) ?? (died && `between two steps ${died}`);
      if (apart.has(name)) apart.set(name, undefined);
      return { server: target.server, death: target.death, isFresh, ...defined({ restarted }) };
    },
    stop,
    /** Stops all targets; resolves with the errors of failed stops, by name. */
    close: async (): Promise<ReadonlyMap<string, StopError>> => {
      const failed = new Map<string, StopError>();
      const stopOne = (name: string): Promise<unknown> =>
        stop(name).catch((error: unknown) => failed.set(name, error as StopError));
      await Promise.all([...living.keys()].map(stopOne));
      return failed;
    },
  };
}

function watchForDeath({ died }: RunningServer): AbortSignal {
  const controller = new AbortController();
  died.then(
    (how) => controller.abort(how),
    (error: unknown) => controller.abort(String(error)),
  );
  return controller.signal;
}
