import type { Worker } from "node:cluster";
import type { BalancerSnapshot, ListenAddress } from "../options/options.js";
import { createCaller, type Caller } from "./calls.js";
import { forkWorker } from "./fork-worker.js";
import type { WorkerApi, WorkerMessage, WorkerSetup } from "./worker-api.js";
import { WorkerEndedError } from "./worker-ended-error.js";

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
