import { BalancerListenError } from "../listen.js";
import { mergeSnapshots } from "../observe/merge-snapshots.js";
import {
  BalancerOptionsError,
  type BalancerSnapshot,
  type ListenAddress,
  type ListenOptions,
  type UncountedWork,
} from "../options/options.js";
import { startTimer } from "../start-timer.js";
import type { BalancerChanges, PlainBalancerOptions, WorkersOptions } from "./workers-options.js";
import { type BirpcReturn, createBirpc } from "birpc";
import cluster, { type Worker } from "node:cluster";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** What a worker is to be: as the others are now. */
export interface WorkerSetup {
  /** Also with no backend. */
  readonly balancer: PlainBalancerOptions;
  /** Names of backends that are drained from the beginning. */
  readonly draining: readonly string[];
  readonly listen: ListenOptions;
  readonly log: WorkersOptions["log"];
}

/** What a worker has counted. */
export interface WorkerReport {
  readonly figures: BalancerSnapshot;
  /** When that was, in ms since 1970. */
  readonly atMs: number;
  /** Whether it will count nothing more. */
  readonly isLast: boolean;
}

/** What the primary asks of a worker. */
export interface WorkerApi {
  /** Asked once, first; resolves when it listens. */
  start: (setup: WorkerSetup) => Promise<ListenAddress>;
  /** Resolves when it has reported. */
  report: () => Promise<void>;
  change: (name: keyof BalancerChanges, args: readonly unknown[]) => Promise<void>;
  /** Resolves when no request is left, after its last report. May be asked again with less time. */
  close: (graceMs: number) => Promise<void>;
}

/** What a worker tells its primary without being asked: that it can be asked now, and what it has counted. */
export interface PrimaryApi {
  ready: () => void;
  report: (report: WorkerReport) => void;
}

/** How long a worker may take to end beyond the grace period before it is killed. */
const END_MARGIN_MS = 5000;

/** How often it is asked whether the channel of a worker that has ended was read to its end. */
const CHANNEL_POLL_MS = 2;

/** A worker, seen from the primary. */
export class BalancerWorker {
  /** `starting` until it was told what to be; it must not be called before. */
  state: "starting" | "told" | "listening" | "ended" = "starting";
  /** Its last account of itself. */
  figures = mergeSnapshots([]);
  /** What it did after that, once it has ended. */
  uncounted: UncountedWork | undefined;
  #reportedAtMs = Infinity;
  #hasToldAll = false;
  /** Calls reject with a `WorkerEndedError` when it ends before it answers. */
  readonly call: BirpcReturn<WorkerApi, PrimaryApi>;
  /** Resolves when it listens; rejects with a `BalancerListenError`. */
  readonly listening: Promise<ListenAddress>;
  /** Resolves when it has ended and nothing of it is still to come; never rejects. */
  readonly ended: Promise<void>;
  readonly #process: Worker["process"];

  /** Starts it. `setup` is asked for when it is ready for it, so that nothing that was changed meanwhile is missed. */
  constructor(execArgv: readonly string[], setup: () => WorkerSetup) {
    const worker = forkWorker(execArgv);
    this.#process = worker.process;
    const exit = waitForExit(worker);
    const exited = exit.then(({ how }) => new WorkerEndedError(this.pid, how));
    let begin: (listening: Promise<ListenAddress>) => void = () => undefined;
    this.listening = new Promise((resolve, reject) => {
      begin = resolve;
      void exited.then(reject);
    });
    this.call = createBirpc<WorkerApi, PrimaryApi>(
      { ready: () => begin(this.#start(setup())), report: (report) => this.#take(report) },
      {
        // A call to a worker that has just ended is lost; it is rejected when the exit is noticed.
        post: (message: object) => void worker.send(message, undefined, () => undefined),
        on: (receive) => void worker.on("message", receive),
        deserialize: (message: { readonly e?: EncodedError }) =>
          message.e === undefined ? message : { ...message, e: decodeError(message.e) },
        timeout: -1,
      },
    );
    this.ended = Promise.all([exit, exited]).then(([{ atMs }, error]) => {
      if (this.state === "listening" && !this.#hasToldAll) {
        this.uncounted = { workers: 1, ms: Math.max(atMs - this.#reportedAtMs, 0) };
      }
      this.state = "ended";
      this.call.$close(error);
    });
  }

  /** `undefined` when it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Ends it at once; resolves when it has ended. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.ended;
  }

  /** Closes it, by force if it takes longer than it may; resolves when it has ended. May be called again. */
  async stop(graceMs: number): Promise<void> {
    if (this.state === "starting") return this.kill();
    const stopTimer = startTimer(() => this.#process.kill("SIGKILL"), graceMs + END_MARGIN_MS);
    await this.call.close(graceMs).catch(() => undefined);
    if (this.#process.connected) this.#process.disconnect();
    await this.ended;
    stopTimer();
  }

  #take({ figures, atMs, isLast }: WorkerReport): void {
    this.figures = figures;
    this.#reportedAtMs = atMs;
    this.#hasToldAll ||= isLast;
  }

  async #start(setup: WorkerSetup): Promise<ListenAddress> {
    this.state = "told";
    const address = await this.call.start(setup);
    this.state = "listening";
    return address;
  }
}

/** Resolves with how and when a worker ended, when all that it said has been heard. */
async function waitForExit(worker: Worker): Promise<{ readonly how: string; readonly atMs: number }> {
  const { process: child } = worker;
  // Sending to a worker that has just died; its exit says all that there is to say.
  worker.on("error", () => undefined);
  let isDisconnected = false;
  child.once("disconnect", () => (isDisconnected = true));
  const how = await new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? `with code ${code}` : `by ${signal}`));
    child.once("error", (error) => {
      if (child.pid === undefined) resolve(`at once, ${error.message}`);
    });
  });
  const atMs = Date.now();
  // It was connected until all that it said has been read.
  while (child.connected) {
    // oxlint-disable-next-line no-await-in-loop
    await setTimeout(CHANNEL_POLL_MS);
  }
  // Node forgets to say so of a worker that a connection was on its way to. Then node:cluster would count the worker, and
  // keep the port open, for ever.
  if (child.pid !== undefined && !isDisconnected) child.emit("disconnect");
  return { how, atMs };
}

/** The build, also from `src/`, where tests load this file: Node 20 cannot run TypeScript. */
const WORKER_PROCESS = fileURLToPath(new URL("../../dist/workers/worker-process.js", import.meta.url));

/**
 * Forks a worker. The settings of `node:cluster` belong to the whole process: they are left as they were, and none of
 * them holds for the worker, for a program that has a cluster of its own.
 */
function forkWorker(execArgv: readonly string[]): Worker {
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
    // Not by setupPrimary, which adds to its settings and can take nothing away.
    Object.assign(cluster, { settings: before });
  }
}

/** A worker ended before it answered; as a listening error when it ended before it listened. */
export class WorkerEndedError extends BalancerListenError {
  constructor(pid: number | undefined, how: string) {
    super(`Worker ${pid ?? "that could not be started"}: ended ${how}. What it said of it is in the standard error.`);
  }
}

/** An error as it crosses a process boundary, which would else lose its kind and the code of the system. */
export type EncodedError = Pick<NodeJS.ErrnoException, "name" | "message" | "code">;

function decodeError({ name, message, code }: EncodedError): Error {
  if (name === "BalancerOptionsError") return new BalancerOptionsError(message);
  const error = Object.assign(new Error(message), code === undefined ? {} : { code });
  return name === "BalancerListenError" ? new BalancerListenError(message, error) : error;
}
