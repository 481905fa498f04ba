import { BalancerListenError, listen } from "../listen.js";
import { mergeSnapshots, statsOf, withUpInAny } from "../observe/merge-snapshots.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { BalancerSnapshot, CloseOptions, ListenOptions } from "../options/options.js";
import { checkGrace, resolveOptions } from "../options/resolve-options.js";
import { pause } from "../start-timer.js";
import { CLOSED } from "../pool/pool.js";
import { replaceBackends } from "../reload-backends.js";
import { changeTicketKeys, newTicketKeys } from "../tls/client-tls.js";
import { startCrew } from "./crew.js";
import { createPlan, type Plan } from "./plan.js";
import { BalancerWorker, WorkerEndedError } from "./worker.js";
import {
  type BalancerChanges,
  type BalancerWorkers,
  checkWorkersOptions,
  fromPlainOptions,
  type WorkersOptions,
} from "./workers-options.js";
import { once } from "node:events";
import { createServer } from "node:net";

/** How often another free port is tried when another process takes the one just found. */
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
  const { listen: where = {} } = options;
  const plan = createPlan(resolveOptions(await fromPlainOptions(options.balancer)), newTicketKeys());
  for (let attempt = 1; ; attempt++) {
    try {
      const claim = await claimPlace(where);
      return await startAt(claim, options, plan).catch((error: unknown) => {
        claim.release();
        throw error;
      });
    } catch (error) {
      const isTaken = error instanceof BalancerListenError && error.code === "EADDRINUSE";
      const isAnyPort = where.path === undefined && (where.port ?? BALANCER_DEFAULTS.port) === 0;
      if (!isTaken || !isAnyPort || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** How long a worker may take to tell its figures; one that is stopped must not keep the others' from being read. */
const ANSWER_LIMIT_MS = 2000;

async function startAt(
  { place, release }: Awaited<ReturnType<typeof claimPlace>>,
  options: WorkersOptions,
  plan: Plan,
): Promise<BalancerWorkers> {
  const { execArgv = [], log } = options;
  /** What workers that have ended have told. */
  let kept = mergeSnapshots([]);
  let closed = false;

  const crew = await startCrew(options.workers, () => {
    const worker = new BalancerWorker(execArgv, () => {
      const { backends, draining, tls } = plan.setup();
      return { balancer: { ...options.balancer, backends, ...(tls && { tls }) }, draining, listen: place, log };
    });
    void worker.ended.then(() => (kept = mergeSnapshots([kept, lastingFigures(worker)])));
    return worker;
  });
  const those = (...states: BalancerWorker["state"][]): readonly BalancerWorker[] =>
    crew.workers().filter(({ state }) => states.includes(state));

  /**
   * Changes the plan, which refuses mistakes, and then the workers. Workers that are still starting get it from the plan; so do
   * later replacements.
   */
  const change =
    <Name extends keyof BalancerChanges>(name: Name) =>
    async (...args: Parameters<BalancerChanges[Name]>): Promise<void> => {
      if (closed && name === "addBackend") throw new Error(CLOSED);
      // Nothing is awaited between the two: a worker could be started with the change and be told of it again, and
      // changes could overtake one another.
      (plan[name] as (...given: typeof args) => void)(...args);
      const told = those("told", "listening").map((worker) => worker.call.change(name, args));
      if (name === "removeBackend") {
        // Another one of that name begins anew.
        const without = ({ backends, ...rest }: BalancerSnapshot): BalancerSnapshot => ({
          ...rest,
          backends: backends.filter((backend) => backend.name !== args[0]),
        });
        kept = without(kept);
        for (const worker of crew.workers()) worker.figures = without(worker.figures);
      }
      for (const result of await Promise.allSettled(told)) {
        if (result.status === "rejected" && !(result.reason instanceof WorkerEndedError)) throw result.reason;
      }
    };

  const addBackend = change("addBackend");
  const removeBackend = change("removeBackend");
  const setBackendWeight = change("setBackendWeight");
  const reloadCertificates = change("reloadCertificates");

  const hasOwnKeys = plan.setup().tls !== undefined && options.balancer.tls?.ticketKeys === undefined;
  const stopChangingKeys = hasOwnKeys
    ? changeTicketKeys((ticketKeys) => {
        const { certificates = [] } = plan.setup().tls ?? {};
        // No worker refuses what all of them have.
        void reloadCertificates({ certificates, ticketKeys });
      })
    : undefined;

  async function snapshot(): Promise<BalancerSnapshot> {
    // A worker that ends leaves its last report.
    const asked = those("listening").map((worker) => worker.call.report().catch(() => undefined));
    const limit = new AbortController();
    await Promise.race([Promise.all(asked), pause(ANSWER_LIMIT_MS, limit.signal)]);
    limit.abort();
    const planned = plan.snapshot();
    const names = new Set(planned.backends.map(({ name }) => name));
    const told = crew.workers().map(({ figures }) => figures);
    const sum = withUpInAny(mergeSnapshots([planned, kept, ...told]), told);
    return { ...sum, backends: sum.backends.filter(({ name }) => names.has(name)) };
  }

  async function close({ graceMs = BALANCER_DEFAULTS.closeGraceMs }: CloseOptions = {}): Promise<void> {
    checkGrace(graceMs);
    closed = true;
    stopChangingKeys?.();
    crew.dismiss();
    await Promise.all(crew.workers().map((worker) => worker.stop(graceMs)));
    release();
  }

  return {
    ...crew.address,
    pids: () => those("listening").flatMap(({ pid = [] }) => pid),
    snapshot,
    stats: async () => statsOf(await snapshot()),
    addBackend,
    removeBackend,
    drainBackend: change("drainBackend"),
    restoreBackend: change("restoreBackend"),
    setBackendWeight,
    reloadCertificates,
    reloadBackends: async (backends, removal) => {
      if (closed) throw new Error(CLOSED);
      const list = { speaker: plan.speaker, backends: plan.setup().backends, add: addBackend, remove: removeBackend };
      await replaceBackends({ ...list, setWeight: setBackendWeight }, backends, removal);
    },
    close,
  };
}

/** What remains of a worker: nothing is open any more, and nothing is said of how its backends are now. */
function lastingFigures({
  figures: { backends, refused, shortages, handshakes },
  uncounted,
}: BalancerWorker): BalancerSnapshot {
  return {
    connections: 0,
    refused,
    shortages,
    ...(handshakes && { handshakes }),
    uncounted,
    backends: backends.map((backend) => ({
      ...backend,
      condition: "up",
      errors: backend.errors + backend.inFlight,
      inFlight: 0,
      queued: 0,
    })),
  };
}

const claimed = new Set<string>();

/**
 * Finds a free port, or makes sure that the given place is free; rejects with a `BalancerListenError` when it is not.
 * Resolves with what was asked for, with a port that is a number. This process gives the place to no other workers until it
 * is released.
 *
 * Workers need a number: node:cluster would give all clusters of a process that ask for port 0 the same port, and would
 * let two of them share one without an error.
 */
async function claimPlace(options: ListenOptions) {
  const probe = createServer();
  const { port, url } = await listen(probe, options);
  probe.close();
  await once(probe, "close");
  if (claimed.has(url)) {
    const inUse = Object.assign(new Error("in use by other workers of this process"), { code: "EADDRINUSE" });
    throw new BalancerListenError(`Cannot listen on ${url}: other workers of this process do.`, inUse);
  }
  claimed.add(url);
  const place: ListenOptions = options.path === undefined ? { ...options, port } : options;
  return { place, release: () => void claimed.delete(url) };
}
