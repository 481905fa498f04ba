import { BalancerListenError, listen } from "../listen.js";
import { statsOf } from "../observe/merge-snapshots.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { CloseOptions, ListenOptions } from "../options/options.js";
import { type Blueprint, changeAll, createBlueprint } from "./blueprint.js";
import { startCrew } from "./crew.js";
import { createFigures, type Figures, sumFigures } from "./figures.js";
import { type BalancerWorker, startWorker } from "./worker.js";
import { type BalancerWorkers, checkWorkersOptions, type WorkersOptions } from "./workers-options.js";
import { once } from "node:events";
import { createServer } from "node:net";

/** How often another free port is tried when somebody takes the one just found. */
const PORT_ATTEMPTS = 5;

/**
 * Starts a balancer in several processes (`node:cluster`) that share a port; resolves when all of them listen. A worker
 * that dies is replaced after 100 ms, or more when that happens again and again (5 s at most). They end with this process.
 *
 * Each worker is a balancer of its own that sees its part of the connections: policies have their state per worker (round
 * robin is strict within each), and so do ejections, health checks, queues and limits (`limits.connectionsPerBackend` is
 * what each worker may open). The primary deals out connections in turn, unless `cluster.schedulingPolicy` says otherwise.
 *
 * What a worker has in flight is lost when it dies. A connection that was on its way to it then stays open without an
 * answer, because node:cluster forgets it: clients need a timeout. When the last worker dies the port is closed until its
 * replacement listens.
 *
 * Rejects with a `BalancerOptionsError` before anything is started, or with a `BalancerListenError` when none is left.
 */
export async function startBalancerWorkers(options: WorkersOptions): Promise<BalancerWorkers> {
  checkWorkersOptions(options);
  const blueprint = await createBlueprint(options.balancer);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startAtPlace(options, blueprint);
      } catch (error) {
        const taken = error instanceof BalancerListenError && error.code === "EADDRINUSE";
        const anyPort = options.listen?.path === undefined && (options.listen?.port ?? BALANCER_DEFAULTS.port) === 0;
        if (!taken || !anyPort || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    await blueprint.close();
    throw error;
  }
}

async function startAtPlace(options: WorkersOptions, blueprint: Blueprint): Promise<BalancerWorkers> {
  const claim = await claimPlace(options.listen ?? {});
  try {
    return await startAt(claim, options, blueprint);
  } catch (error) {
    claim.release();
    throw error;
  }
}

async function startAt(claim: PlaceClaim, options: WorkersOptions, blueprint: Blueprint): Promise<BalancerWorkers> {
  const figures = createFigures<BalancerWorker>();
  const crew = await startCrew(options.workers, () => enlist(claim, options, blueprint, figures));
  const change = changeAll(blueprint, crew.workers, figures.forget);
  const snapshot = async () => sumFigures(crew.workers(), figures, blueprint.snapshot);

  async function close({ graceMs = BALANCER_DEFAULTS.closeGraceMs }: CloseOptions = {}): Promise<void> {
    crew.dismiss();
    await Promise.all([blueprint.close(), ...crew.workers().map((worker) => worker.stop(graceMs))]);
    claim.release();
  }

  return {
    ...crew.address,
    pids: () => crew.workers().flatMap(({ state, pid }) => (state() === "listening" && pid !== undefined ? [pid] : [])),
    snapshot,
    stats: async () => statsOf(await snapshot()),
    ...change,
    close,
  };
}

function enlist(
  { place }: PlaceClaim,
  { execArgv = [], log }: WorkersOptions,
  blueprint: Blueprint,
  figures: Figures<BalancerWorker>,
): BalancerWorker {
  const worker: BalancerWorker = startWorker({
    execArgv,
    setup: () => ({ ...blueprint.setup(), listen: place, log }),
    onFigures: (told) => figures.told(worker, told),
  });
  void worker.ended.then(() => figures.ended(worker));
  return worker;
}

/** A place to listen that was free a moment ago, and that this process gives to no other workers until it is released. */
interface PlaceClaim {
  /** What was asked for, with a port that is a number. */
  readonly place: ListenOptions;
  readonly release: () => void;
}

const claimed = new Set<string>();

/**
 * Finds a free port, or makes sure that the given place is free; rejects with a `BalancerListenError` when it is not.
 * Workers need a number: node:cluster would give all clusters of a process that ask for port 0 the same port, and would
 * let two of them share one without an error.
 */
async function claimPlace(options: ListenOptions): Promise<PlaceClaim> {
  const probe = createServer();
  const { host, port, url } = await listen(probe, options);
  probe.close();
  await once(probe, "close");
  const key = options.path === undefined ? `${host} ${port}` : url;
  if (claimed.has(key)) {
    const inUse = Object.assign(new Error("in use by other workers of this process"), { code: "EADDRINUSE" });
    throw new BalancerListenError(`Cannot listen on ${url}: other workers of this process do.`, inUse);
  }
  claimed.add(key);
  const place = options.path === undefined ? { ...options, port } : options;
  return { place, release: () => void claimed.delete(key) };
}
