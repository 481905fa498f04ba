import cluster, { type Worker } from "node:cluster";
import { createServer } from "node:net";
import {
  type BackendDeath,
  type BackendOptions,
  BackendStartError,
  builtProgram,
  cannotListen,
  checkOptions,
  type ConnectionCounts,
  type Endpoint,
  listen,
  type RunningBackend,
  runningHere,
  urlOf,
} from "./backend.js";
import { checkDisturbance, type Disturbance } from "./disturbance.js";
import { resolveHandler, type HandlerSpec } from "./handlers.js";

/** How often another free port is tried when another process takes the one just found. */
const PORT_ATTEMPTS = 5;
/** How much of a worker's stderr is kept, in characters. */
const STDERR_TAIL = 4096;
/** How long a worker may take to exit beyond the grace period before it is killed, in ms. */
const EXIT_MARGIN_MS = 1000;

/** What a cluster is started with. */
export interface ClusterOptions extends BackendOptions {
  /** Number of worker processes, at least 1. */
  readonly workers: number;
}

/** A cluster that answers. */
export interface RunningCluster extends RunningBackend {
  /**
   * Starts a worker in the place of one that has ended, or is about to; resolves with its pid when it listens. It is disturbed as the
   * others are. Rejects with a `BackendStartError`.
   */
  readonly replace: (pid: number) => Promise<number>;
}

/**
 * Starts a `node:cluster` whose primary is this process and whose workers share one port; resolves when every worker
 * listens. Throws a `HandlerSpecError` or, with nothing left behind, a `BackendStartError`.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningCluster> {
  const handler = resolveHandler(options.handler);
  // What is absent is not checked, and there would be a cluster of no workers.
  const asked = { ...options, workers: options.workers ?? null };
  const endpoint = await checkOptions(asked);
  if (!cluster.isPrimary) {
    throw new BackendStartError("startCluster: expected a process that is no worker of a cluster itself.");
  }
  for (let attempt = 1; ; attempt++) {
    const port = await claimPort(endpoint);
    const start = (worker: number) => startWorker({ handler, endpoint: { ...endpoint, port }, worker });
    const workers = Array.from({ length: options.workers }, (_, worker) => start(worker));
    try {
      await Promise.all(workers.map(({ listening }) => listening));
      return runningCluster(workers, start, urlOf(endpoint.host, port));
    } catch (error) {
      await Promise.all(workers.map(({ kill }) => kill()));
      const portWasTaken = error instanceof BackendStartError && error.code === "EADDRINUSE";
      if (!portWasTaken || endpoint.port !== 0 || attempt === PORT_ATTEMPTS) throw error;
    } finally {
      claimed.delete(port);
    }
  }
}

const claimed = new Set<number>();

/**
 * Finds a free port, or makes sure that the given one is; no other cluster of this process takes it as long as it is in `claimed`.
 * Throws a `BackendStartError` when it is in use. Workers need a number: node:cluster would give all clusters of a process that ask
 * for port 0 the same port, and would let two clusters share one without an error.
 */
async function claimPort(endpoint: Endpoint): Promise<number> {
  const probe = createServer();
  const port = await listen(probe, endpoint);
  const isOurs = !claimed.has(port);
  claimed.add(port);
  await new Promise((resolve) => probe.close(resolve));
  if (isOurs) return port;
  if (endpoint.port === 0) return claimPort(endpoint);
  throw cannotListen(endpoint.host, port, { code: "EADDRINUSE", message: "" });
}

function runningCluster(
  workers: readonly ClusterWorker[],
  start: (worker: number) => ClusterWorker,
  url: string,
): RunningCluster {
  let isStopping = false;
  /** Workers that serve, or did; the last of each place. */
  const places = [...workers];
  /** All that have ever listened. */
  const all: ClusterWorker[] = [];
  const starting = new Set<ClusterWorker>();
  const deaths: BackendDeath[] = [];
  const listeners = new Set<(death: BackendDeath) => void>();
  let disturbance: Disturbance = {};
  const follow = (worker: ClusterWorker): void => {
    all.push(worker);
    void worker.exited.then((death) => {
      if (isStopping) return;
      deaths.push(death);
      for (const listener of listeners) listener(death);
    });
  };
  for (const worker of workers) follow(worker);
  const counts = (): Promise<readonly WorkerCounts[]> => Promise.all(all.map((worker) => worker.counts()));
  const requests = async (): Promise<number> => (await counts()).reduce((sum, one) => sum + one.requests, 0);
  const connections = async (): Promise<ConnectionCounts> => {
    const told = (await counts()).map((one) => one.connections);
    const sum = (key: keyof ConnectionCounts): number => told.reduce((total, one) => total + one[key], 0);
    return { accepted: sum("accepted"), open: sum("open"), active: sum("active") };
  };
  const disturb = async (change: Disturbance): Promise<void> => {
    checkDisturbance(change);
    disturbance = { ...disturbance, ...change };
    await Promise.all(all.map((worker) => worker.disturb(change)));
  };
  const stop = async (graceMs: number): Promise<void> => {
    isStopping = true;
    await Promise.all([...all, ...starting].map((worker) => worker.stop(graceMs)));
  };
  const replace = async (pid: number): Promise<number> => {
    const place = places.findIndex((worker) => worker.pid === pid);
    const before = places[place];
    await before?.exited;
    if (before === undefined || before !== places[place] || isStopping) {
      throw new BackendStartError(`replace: expected the pid of a worker of a cluster that runs, got ${pid}.`);
    }
    const worker = start(place);
    places[place] = worker;
    starting.add(worker);
    try {
      await worker.listening;
    } catch (error) {
      places[place] = before;
      throw error;
    } finally {
      starting.delete(worker);
    }
    follow(worker);
    await worker.disturb(disturbance);
    return worker.pid;
  };
  return {
    ...runningHere(url, requests, connections, disturb, stop),
    get pids() {
      return places.map(({ pid }) => pid);
    },
    onDied(listener) {
      for (const death of deaths) listener(death);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace,
  };
}

/** Environment variable in which a worker finds its `WorkerOptions`, as JSON. */
export const WORKER_OPTIONS_VARIABLE = "LBBENCH_BACKEND_WORKER";

export interface WorkerOptions {
  readonly handler: HandlerSpec;
  readonly endpoint: Endpoint;
  readonly worker: number;
}

/** What a worker has counted. */
export interface WorkerCounts {
  readonly requests: number;
  readonly connections: ConnectionCounts;
}

/** What the primary asks of a worker: its counts, to be late or wrong, or to stop. */
export type WorkerCommand = "counts" | { readonly disturb: Disturbance } | { readonly graceMs: number };

/** What a worker tells the primary: its answers to `counts` and `disturb`, or why it cannot listen. */
export type WorkerMessage = "disturbed" | WorkerCounts | { readonly failed: string; readonly code: string | undefined };

type ClusterWorker = ReturnType<typeof startWorker>;

function startWorker(options: WorkerOptions) {
  const worker = forkWorker(options);
  const pid = worker.process.pid ?? -1;
  let stderr = "";
  let counts: WorkerCounts = { requests: 0, connections: { accepted: 0, open: 0, active: 0 } };
  /** Callers that asked for the counts or disturbed it, in order; none waits for an exited worker. */
  const asking: (() => void)[] = [];
  const disturbing: (() => void)[] = [];
  worker.process.stdout?.resume();
  worker.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_TAIL);
  });
  const exited = new Promise<BackendDeath>((resolve) => {
    worker.process.once("close", (code: number | null, signal: string | null) => {
      resolve({ pid, code, signal, stderr });
    });
  });
  const listening = new Promise<void>((resolve, reject) => {
    worker.once("listening", () => resolve());
    worker.on("message", (message: WorkerMessage) => {
      if (message === "disturbed") return disturbing.shift()?.();
      if ("failed" in message) return reject(new BackendStartError(message.failed, message.code));
      counts = message;
      asking.shift()?.();
    });
    void exited.then(({ code, signal }) => {
      counts = { ...counts, connections: { ...counts.connections, open: 0, active: 0 } };
      for (const settle of [...asking, ...disturbing]) settle();
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      const said = stderr === "" ? "" : ` It wrote: ${stderr.trim()}`;
      reject(new BackendStartError(`Worker ${options.worker} ended ${how} before it listened.${said}`));
    });
  });
  // Sending to a worker that has just died; its exit says all that there is to say.
  worker.on("error", () => undefined);
  const send = (command: WorkerCommand): void => {
    if (worker.isConnected()) worker.send(command, undefined, () => undefined);
  };
  const ask = async (command: WorkerCommand, waiting: (() => void)[]): Promise<void> => {
    if (!worker.isConnected()) return;
    send(command);
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const kill = async (): Promise<void> => {
    worker.process.kill("SIGKILL");
    await exited;
  };
  return {
    pid,
    listening,
    exited,
    /** What it has counted; for a worker that has exited, as far as it last told. */
    async counts(): Promise<WorkerCounts> {
      await ask("counts", asking);
      return counts;
    },
    /** Resolves when it does as it was told, or has exited. */
    disturb: (change: Disturbance): Promise<void> => ask({ disturb: change }, disturbing),
    kill,
    /** By force when it does not stop within the grace period. */
    async stop(graceMs: number): Promise<void> {
      send({ graceMs });
      const timer = setTimeout(() => void kill(), graceMs + EXIT_MARGIN_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Forks one worker; leaves the settings of `node:cluster` as they were, for a program that has a cluster of its own. */
function forkWorker(options: WorkerOptions): Worker {
  const { settings } = cluster;
  const exec = builtProgram(import.meta.url, "./cluster-worker.js");
  cluster.setupPrimary({ exec, args: [], execArgv: [], silent: true });
  try {
    return cluster.fork({ [WORKER_OPTIONS_VARIABLE]: JSON.stringify(options) });
  } finally {
    Object.assign(cluster, { settings });
  }
}
