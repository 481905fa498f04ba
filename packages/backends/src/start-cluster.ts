import cluster from "node:cluster";
import { resolveAddress, urlOf, type Address } from "./address.js";
import { BackendStartError } from "./backend-start-error.js";
import { claimPort } from "./cluster/claim-port.js";
import { runningCluster } from "./cluster/running-cluster.js";
import { startWorker, type WorkerProcess } from "./cluster/worker-process.js";
import type { HandlerSpec } from "./handler-spec.js";
import { resolveHandler } from "./resolve-handler.js";
import type { BackendOptions, RunningBackend } from "./running-backend.js";

/** How often another free port is tried when somebody takes the one just found. */
const PORT_ATTEMPTS = 5;
const MAX_WORKERS = 1024;

/** What a cluster is started with. */
export interface ClusterOptions extends BackendOptions {
  /** Number of worker processes, at least 1. */
  readonly workers: number;
}

/**
 * Starts a `node:cluster` whose primary is this process and whose workers share one port; resolves when every worker
 * listens. Throws a `HandlerSpecError` or, with nothing left behind, a `BackendStartError`.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningBackend> {
  const handler = resolveHandler(options.handler);
  const address = resolveAddress(options);
  checkWorkers(options.workers);
  for (let attempt = 1; ; attempt++) {
    const claim = await claimPort(address);
    try {
      const at = { host: address.host, port: claim.port };
      const workers = await startWorkers(handler, at, options);
      return runningCluster(workers, urlOf(at), at.port);
    } catch (error) {
      const portWasTaken = error instanceof BackendStartError && error.code === "EADDRINUSE";
      if (!portWasTaken || address.port !== 0 || attempt === PORT_ATTEMPTS) throw error;
    } finally {
      claim.release();
    }
  }
}

function checkWorkers(workers: number): void {
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS) {
    throw new BackendStartError(`workers: expected a whole number from 1 to ${MAX_WORKERS}, got ${workers}.`);
  }
  if (!cluster.isPrimary) {
    throw new BackendStartError("startCluster: expected a process that is no worker of a cluster itself.");
  }
}

async function startWorkers(
  handler: HandlerSpec,
  address: Address,
  options: ClusterOptions,
): Promise<readonly WorkerProcess[]> {
  const workers = Array.from({ length: options.workers }, (_, worker) =>
    startWorker({ handler, address, identify: options.identify ?? false, worker }),
  );
  try {
    await Promise.all(workers.map(({ listening }) => listening));
    return workers;
  } catch (error) {
    await Promise.all(workers.map(({ kill }) => kill()));
    throw error;
  }
}
