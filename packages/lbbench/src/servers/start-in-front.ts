import { createTeardown } from "../system/teardown.js";
import type { BackendShare } from "../model/measurement.js";
import type { BackendGroup } from "../model/scenario.js";
import type { RunningServer, ServerContext } from "../plugin.js";
import { backendNames } from "../stats/backend-names.js";
import { originOf } from "../stats/url-address.js";
import { StartError } from "../system/program.js";

/** A backend that answers, as a balancer has to know it. */
export interface StartedBackend {
  readonly name: string;
  /** Origin it answers at. */
  readonly url: string;
  readonly weight: number;
}

/**
 * Starts backends, all at once, and then what stands in front of them; what comes back is both as one server. It stops the
 * front first. Rejects, with nothing left behind, with a {@link StartError} or the reason of an aborted signal.
 */
export async function startInFront(
  groups: readonly BackendGroup[],
  context: ServerContext,
  startFront: (backends: readonly StartedBackend[]) => Promise<RunningServer>,
): Promise<RunningServer> {
  const teardown = createTeardown();
  try {
    const backends = await startAll(groups, context, teardown.add);
    const front = await startFront(
      backends.map(({ name, weight, running }) => ({ name, weight, url: originOf(running.url) })),
    );
    teardown.add(front.stop);
    return asOne(front, backends, teardown.run);
  } catch (error) {
    await teardown.run();
    if (context.signal.aborted) throw context.signal.reason;
    if (error instanceof StartError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`The balancer could not be started: ${why}`, { cause: error });
  }
}

interface Running {
  readonly name: string;
  readonly weight: number;
  readonly running: RunningServer;
}

async function startAll(
  groups: readonly BackendGroup[],
  context: ServerContext,
  whenStarted: (stop: () => Promise<void>) => void,
): Promise<readonly Running[]> {
  const names = backendNames(groups);
  const starts = groups.flatMap(({ server, options, weight }, group) =>
    (names[group] ?? []).map(async (name): Promise<Running> => {
      const running = await context.startServer({ server, options }, nameWithin(context, name));
      whenStarted(running.stop);
      return { name, weight, running };
    }),
  );
  // All of them, so that one that starts after another has failed is stopped as well.
  const outcomes = await Promise.allSettled(starts);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

/** The name of a part of a server that may be a part itself: `balancer`, or `backend-2 balancer`. */
export function nameWithin({ name }: Pick<ServerContext, "name">, part: string): string {
  return name === undefined ? part : `${name} ${part}`;
}

function asOne(front: RunningServer, backends: readonly Running[], stopAll: () => Promise<void>): RunningServer {
  const shares = front.backends ?? countedByBackends(backends);
  let stopping: Promise<void> | undefined;
  return {
    ...front,
    processes: [...front.processes, ...backends.flatMap(({ running }) => running.processes)],
    unseen: backends.some(({ running }) => running.unseen === true || running.processes.length === 0),
    ...(shares === undefined ? {} : { backends: shares }),
    died: Promise.race([front.died, ...backends.map(({ running }) => running.died)]),
    stop: () => (stopping ??= stopAll()),
  };
}

/** What the backends counted themselves, if all of them do. */
function countedByBackends(
  backends: readonly Running[],
): (() => Promise<Readonly<Record<string, BackendShare>>>) | undefined {
  const counters = backends.flatMap(({ name, running: { requests } }) =>
    requests === undefined ? [] : [{ name, requests }],
  );
  if (counters.length < backends.length) return undefined;
  return async () =>
    Object.fromEntries(
      await Promise.all(counters.map(async ({ name, requests }) => [name, { requests: await requests() }] as const)),
    );
}
