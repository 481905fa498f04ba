import { BalancerListenError } from "../listen.js";
import type { Balancer, BalancerSnapshot, ListenAddress, ListenOptions } from "../options/options.js";
import { type Caller, createCaller } from "./calls.js";
import type { PlainBalancerOptions, WorkersOptions } from "./workers-options.js";
import cluster, { type Worker } from "node:cluster";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What a worker is to be: as the others are now. */
export interface WorkerSetup {
  readonly balancer: PlainBalancerOptions;
  /** Names of backends that are drained from the beginning. */
  readonly draining: readonly string[];
  /** Names of backends that are not to be there; a balancer cannot be made without any. */
  readonly removed: readonly string[];
  readonly listen: ListenOptions;
  readonly log: WorkersOptions["log"];
}

/** What can be changed in a balancer, and so in a worker. */
export type BalancerChanges = Pick<
  Balancer,
  "addBackend" | "removeBackend" | "drainBackend" | "restoreBackend" | "setBackendWeight"
>;

/** The same as it is asked of another process. */
export type RemoteChanges = {
  readonly [Name in keyof BalancerChanges]: (...args: Parameters<BalancerChanges[Name]>) => Promise<void>;
};

/** What the primary asks of a worker. */
export interface WorkerApi extends RemoteChanges {
  /** Asked once, first; resolves when it listens. */
  readonly start: (setup: WorkerSetup) => Promise<ListenAddress>;
  readonly snapshot: () => Promise<BalancerSnapshot>;
  /** Resolves with the last snapshot when no request is left. May be asked again with less time. */
  readonly close: (graceMs: number) => Promise<BalancerSnapshot>;
}

/** What a worker says without being asked: that it can be asked now, and its figures. */
export type WorkerMessage = { readonly ready: true } | { readonly figures: BalancerSnapshot };

/** How long a worker may take to end beyond the grace period before it is killed. */
const END_MARGIN_MS = 5000;
/** What Node's timers can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A worker, seen from the primary. */
export interface BalancerWorker {
  /** `undefined` when it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when it listens; rejects with a `BalancerListenError`. */
  readonly listening: Promise<ListenAddress>;
  /** `starting` until it was told what to be; it must not be called before. */
  readonly state: () => "starting" | "told" | "listening" | "ended";
  /** Rejects with a `WorkerEndedError` when it ends before it answers. */
  readonly call: Caller<WorkerApi>["call"];
  /** Resolves when it has ended and nothing of it is still to come; never rejects. */
  readonly ended: Promise<void>;
  /** Closes it, by force if it takes longer than it may; resolves when it has ended. May be called again. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Ends it at once; resolves when it has ended. */
  readonly kill: () => Promise<void>;
}

/** What a worker is started with. */
export interface WorkerOptions {
  readonly execArgv: readonly string[];
  /** Asked for when the worker is ready for it, so that nothing that was changed meanwhile is missed. */
  readonly setup: () => WorkerSetup;
  /** Given its figures whenever it tells them. */
  readonly onFigures: (figures: BalancerSnapshot) => void;
}

/** Starts a worker. */
export function startWorker({ execArgv, setup, onFigures }: WorkerOptions): BalancerWorker {
  const worker = forkWorker(execArgv);
  const { pid } = worker.process;
  let state: ReturnType<BalancerWorker["state"]> = "starting";
  const post = (message: object): void => void worker.send(message, undefined, () => undefined);
  const caller = createCaller<WorkerApi>(post);

  const exited = waitForExit(worker);
  const ended = exited.then((how) => {
    state = "ended";
    caller.end(new WorkerEndedError(pid, how));
  });
  const listening = new Promise<ListenAddress>((resolve, reject) => {
    const begin = async (): Promise<void> => {
      state = "told";
      const address = await caller.call("start", setup());
      state = "listening";
      resolve(address);
    };
    worker.on("message", (message: WorkerMessage) => {
      if ("ready" in message) begin().catch(reject);
      else if ("figures" in message) onFigures(message.figures);
      else caller.receive(message);
    });
    void exited.then((how) => reject(new WorkerEndedError(pid, how)));
  });
  const kill = async (): Promise<void> => {
    worker.process.kill("SIGKILL");
    await ended;
  };

  async function stop(graceMs: number): Promise<void> {
    if (state === "starting") return kill();
    const timer = setTimeout(() => worker.process.kill("SIGKILL"), Math.min(graceMs + END_MARGIN_MS, MAX_TIMER_MS));
    await caller.call("close", graceMs).then(onFigures, () => undefined);
    if (worker.process.connected) worker.process.disconnect();
    await ended;
    clearTimeout(timer);
  }

  return { pid, listening, state: () => state, call: caller.call, ended, stop, kill };
}

/** Resolves with how a worker ended, when all that it said has been heard. */
async function waitForExit(worker: Worker): Promise<string> {
  // Sending to a worker that has just died; its exit says all that there is to say.
  worker.on("error", () => undefined);
  const disconnected = new Promise<void>((resolve) => worker.process.once("disconnect", resolve));
  const how = await new Promise<string>((resolve) => {
    worker.process.once("exit", (code, signal) => resolve(signal === null ? `with code ${code}` : `by ${signal}`));
    worker.process.once("error", (error) => {
      if (worker.process.pid === undefined) resolve(`at once, ${error.message}`);
    });
  });
  if (worker.process.pid !== undefined && worker.process.connected) await disconnected;
  return how;
}

const WORKER_PROCESS = builtEntry(import.meta.url, "./worker-process.js");

/**
 * Forks a worker. The settings of `node:cluster` belong to the whole process: they are left as they were, and none of
 * them holds for the worker, for a program that has a cluster of its own.
 */
export function forkWorker(execArgv: readonly string[]): Worker {
  const before = cluster.settings;
  cluster.setupPrimary({
    exec: WORKER_PROCESS,
    args: [],
    execArgv: [...execArgv],
    // Keeps Buffers and Infinity what they are.
    serialization: "advanced",
    silent: false,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    cwd: undefined,
    uid: undefined,
    gid: undefined,
    inspectPort: undefined,
    windowsHide: true,
  });
  try {
    return cluster.fork();
  } finally {
    // Not by setupPrimary, which adds to what there is and so can take nothing away.
    Object.assign(cluster, { settings: before });
  }
}

/**
 * Path of the built JavaScript of a module that another process is to run. Node 20 cannot run TypeScript, so a module of
 * `src/`, as tests load them, has its build in `dist/`.
 *
 * @param from `import.meta.url` of the caller, which is in a folder of `src/` or `dist/`.
 * @param relative the module as seen from the caller, with its built extension: `./worker-process.js`.
 */
export function builtEntry(from: string, relative: string): string {
  const folder = `${sep}workers${sep}`;
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}src${folder}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}dist${folder}${path.slice(at + source.length)}`;
}

/** A worker ended before it answered; as a listening error when it ended before it listened. */
export class WorkerEndedError extends BalancerListenError {
  constructor(pid: number | undefined, how: string) {
    super(`Worker ${pid ?? "that could not be started"}: ended ${how}. What it said of it is in the standard error.`);
  }
}
