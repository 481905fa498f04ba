import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:net";
import {
  BackendStartError,
  builtProgram,
  cannotListen,
  expectWhole,
  resolveAddress,
  urlOf,
  type Address,
  type BackendDeath,
  type BackendOptions,
  type RunningBackend,
} from "./backend.js";
import { BACKEND_DEFAULTS, BACKEND_LIMITS } from "./defaults.js";
import { resolveHandler, type HandlerSpec } from "./handlers.js";
import { listen } from "./http-server.js";

/** How often another free port is tried when somebody takes the one just found. */
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

/**
 * Starts a `node:cluster` whose primary is this process and whose workers share one port; resolves when every worker
 * listens. Throws a `HandlerSpecError` or, with nothing left behind, a `BackendStartError`.
 */
export async function startCluster(options: ClusterOptions): Promise<RunningBackend> {
  const handler = resolveHandler(options.handler);
  const address = resolveAddress(options);
  expectWhole("workers", options.workers, 1, BACKEND_LIMITS.workers);
  if (!cluster.isPrimary) {
    throw new BackendStartError("startCluster: expected a process that is no worker of a cluster itself.");
  }
  for (let attempt = 1; ; attempt++) {
    const claim = await claimPort(address);
    try {
      const at = { host: address.host, port: claim.port };
      const workers = await startWorkers(
        { handler, address: at, identify: options.identify ?? false },
        options.workers,
      );
      return runningCluster(workers, at);
    } catch (error) {
      const portWasTaken = error instanceof BackendStartError && error.code === "EADDRINUSE";
      if (!portWasTaken || address.port !== 0 || attempt === PORT_ATTEMPTS) throw error;
    } finally {
      claim.release();
    }
  }
}

const claimed = new Set<number>();

/**
 * Finds a free port, or makes sure that the given one is; no other cluster of this process takes it until it is released. Throws a
 * `BackendStartError` when it is in use. Workers need a number: node:cluster would give all clusters of a process that ask
 * for port 0 the same port, and would let two clusters share one without an error.
 */
async function claimPort(address: Address): Promise<{ readonly port: number; readonly release: () => void }> {
  const inUse = (port: number): BackendStartError =>
    cannotListen({ ...address, port }, Object.assign(new Error("address already in use"), { code: "EADDRINUSE" }));
  if (claimed.has(address.port)) throw inUse(address.port);
  const probe = createServer();
  const port = await listen(probe, address);
  const isOurs = !claimed.has(port);
  claimed.add(port);
  probe.close();
  await once(probe, "close");
  if (!isOurs) throw inUse(port);
  return { port, release: () => void claimed.delete(port) };
}

async function startWorkers(options: Omit<WorkerOptions, "worker">, count: number): Promise<readonly ClusterWorker[]> {
  const workers = Array.from({ length: count }, (_, worker) => startWorker({ ...options, worker }));
  try {
    await Promise.all(workers.map(({ listening }) => listening));
    return workers;
  } catch (error) {
    await Promise.all(workers.map(({ kill }) => kill()));
    throw error;
  }
}

/** A cluster whose workers all listen. */
function runningCluster(workers: readonly ClusterWorker[], address: Address): RunningBackend {
  const deaths: BackendDeath[] = [];
  const listeners = new Set<(death: BackendDeath) => void>();
  let stopped: Promise<void> | undefined;
  for (const { exited } of workers) {
    void exited.then((death) => {
      if (stopped !== undefined) return;
      deaths.push(death);
      for (const listener of listeners) listener(death);
    });
  }
  const stopAll = async (graceMs: number): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop(graceMs)));
  };
  return {
    url: urlOf(address),
    port: address.port,
    pids: workers.map(({ pid }) => pid),
    async requests() {
      const counts = await Promise.all(workers.map((worker) => worker.requests()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    onDied(listener) {
      listeners.add(listener);
      for (const death of deaths) listener(death);
      return () => void listeners.delete(listener);
    },
    stop: ({ graceMs = BACKEND_DEFAULTS.stopGraceMs } = {}) => (stopped ??= stopAll(graceMs)),
  };
}

/** Environment variable in which a worker finds its `WorkerOptions`, as JSON. */
export const WORKER_OPTIONS_VARIABLE = "LBBENCH_BACKEND_WORKER";

/** What a worker is started with. */
export interface WorkerOptions {
  readonly handler: HandlerSpec;
  readonly address: Address;
  readonly identify: boolean;
  /** Number of the worker, from 0. */
  readonly worker: number;
}

/** What the primary asks of a worker. */
export type WorkerCommand =
  | { readonly type: "requests"; readonly id: number }
  | { readonly type: "stop"; readonly graceMs: number };

/** What a worker tells the primary. */
export type WorkerMessage =
  | { readonly type: "requests"; readonly id: number; readonly requests: number }
  | { readonly type: "failed"; readonly code: string | undefined; readonly message: string };

/** A worker of a cluster, seen from the primary. */
type ClusterWorker = ReturnType<typeof startWorker>;

function startWorker(options: WorkerOptions) {
  const worker = forkWorker(options);
  const pid = worker.process.pid ?? -1;
  let stderr = "";
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
      if (message.type === "failed") reject(new BackendStartError(message.message, message.code));
    });
    void exited.then(({ code, signal }) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      const said = stderr === "" ? "" : ` It wrote: ${stderr.trim()}`;
      reject(new BackendStartError(`Worker ${options.worker} ended ${how} before it listened.${said}`));
    });
  });
  const waiting = new Map<number, () => void>();
  let [requests, lastId] = [0, 0];
  worker.on("message", (message: WorkerMessage) => {
    if (message.type !== "requests") return;
    ({ requests } = message);
    waiting.get(message.id)?.();
    waiting.delete(message.id);
  });
  // Sending to a worker that has just died; its exit says all that there is to say.
  worker.on("error", () => undefined);
  const send = (command: WorkerCommand): void => void worker.send(command, undefined, () => undefined);
  return {
    pid,
    /** Resolves when it listens; rejects with a `BackendStartError` when it never will. */
    listening,
    exited,
    /** Requests received; for a worker that has exited, as far as it last told. */
    requests: async (): Promise<number> => {
      if (worker.isConnected()) {
        const id = ++lastId;
        const told = new Promise<void>((resolve) => waiting.set(id, resolve));
        send({ type: "requests", id });
        await Promise.race([told, exited]);
      }
      return requests;
    },
    kill: async (): Promise<void> => {
      worker.process.kill("SIGKILL");
      await exited;
    },
    /** By force when it does not stop within the grace period. */
    stop: async (graceMs: number): Promise<void> => {
      if (worker.isConnected()) send({ type: "stop", graceMs });
      const timer = setTimeout(() => worker.process.kill("SIGKILL"), graceMs + EXIT_MARGIN_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Forks one worker; leaves the settings of `node:cluster` as they were, for a program that has a cluster of its own. */
function forkWorker(options: WorkerOptions): Worker {
  const before = {
    exec: process.argv[1] ?? "",
    args: process.argv.slice(2),
    execArgv: process.execArgv,
    silent: false,
    ...cluster.settings,
  };
  const exec = builtProgram(import.meta.url, "./cluster-worker.js");
  cluster.setupPrimary({ exec, args: [], execArgv: [], silent: true });
  try {
    return cluster.fork({ [WORKER_OPTIONS_VARIABLE]: JSON.stringify(options) });
  } finally {
    cluster.setupPrimary(before);
  }
}
