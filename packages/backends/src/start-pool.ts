import { resolveAddress, urlOf, type Address } from "./address.js";
import { cannotListen } from "./backend-start-error.js";
import { serveHandler, type HandlerServer } from "./handler-server.js";
import { kindOf } from "./handlers/handler-kinds.js";
import type { Handler } from "./handlers/handler-kind.js";
import { adminHandler } from "./pool/admin-handler.js";
import { createPoolHandler } from "./pool/pool-handler.js";
import { resolvePoolOptions, type PoolOptions } from "./pool/pool-options.js";
import type { PoolStats } from "./pool/pool-stats.js";
import { createRefuse } from "./pool/refuse.js";
import { startThreads } from "./pool/threads.js";
import { resolveHandler } from "./resolve-handler.js";
import type { RunningBackend } from "./running-backend.js";
import { runningHere } from "./running-here.js";
import { stopServer } from "./stop-server.js";

/** The admin server is for who started the pool. */
const ADMIN_HOST = "127.0.0.1";

/** A pool that answers. */
export interface RunningPool extends RunningBackend {
  /** What it has done and is doing, as of now. */
  readonly stats: () => PoolStats;
  /** Where the admin server is; its `/stats` is what `stats()` gives. Absent without an `adminPort`. */
  readonly adminUrl?: string;
}

/**
 * Starts a sample server in this process that takes requests and has a fixed number of threads serve them, with a queue
 * of a fixed length between; resolves when it listens and every thread is ready. Throws a `HandlerSpecError` or, with
 * nothing left behind, a `BackendStartError`.
 *
 * Where nothing is refused (`block`, `simple`), a request for which there is no room is taken later. A system completes
 * connections whether or not a program accepts them, so a client sees the same from a server that does not take its
 * request and from one that does not accept its connection: it waits for its answer. Here connections are accepted,
 * requests are read, and wait outside in order of arrival, without being counted as accepted, until there is room.
 */
export async function startPool(options: PoolOptions): Promise<RunningPool> {
  const handler = resolveHandler(options.handler);
  const address = resolveAddress(options);
  const { admission, refusal, retryAfterS, adminPort } = resolvePoolOptions(options);
  const work = kindOf(handler).work(handler, 0);

  const cleanups: (() => Promise<void>)[] = [];
  try {
    const threads = await startThreads(admission.pool, { handler });
    cleanups.push(threads.stop);
    const pool = createPoolHandler({ admission, work, threads, refuse: createRefuse(refusal, retryAfterS) });
    const admin =
      adminPort === undefined
        ? undefined
        : await listen(adminHandler(pool.stats), { host: ADMIN_HOST, port: adminPort }, false);
    if (admin !== undefined) cleanups.push(() => stopServer(admin.server, 0));
    const { server, port, requests } = await listen(pool.handler, address, options.identify ?? false);

    const stop = async (graceMs: number): Promise<void> => {
      await stopServer(server, graceMs);
      pool.abandonAll();
      await runAll(cleanups);
    };
    return {
      // Threads that die are replaced and counted.
      ...runningHere({ url: urlOf({ host: address.host, port }), port, requests, stop }),
      ...(admin === undefined ? {} : { adminUrl: urlOf({ host: ADMIN_HOST, port: admin.port }) }),
      stats: pool.stats,
    };
  } catch (error) {
    await runAll(cleanups);
    throw error;
  }
}

function listen(handler: Handler, address: Address, identify: boolean): Promise<HandlerServer> {
  return serveHandler(handler, address, identify).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(address.host, address.port, error);
  });
}

/** What was started last is stopped first. */
async function runAll(cleanups: readonly (() => Promise<void>)[]): Promise<void> {
  for (const cleanUp of cleanups.toReversed()) await cleanUp();
}
