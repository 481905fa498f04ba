import type { Worker } from "node:cluster";
import { BackendStartError, cannotListen } from "../backend-start-error.js";
import type { BackendDeath } from "../running-backend.js";
import { forkWorker } from "./fork-worker.js";
import type { WorkerCommand, WorkerMessage, WorkerOptions } from "./messages.js";

/** How much of a worker's stderr is kept, in characters. */
const STDERR_TAIL = 4096;
/** How long a worker may take to exit beyond the grace period before it is killed, in ms. */
const EXIT_MARGIN_MS = 1000;

/** A worker of a cluster, seen from the primary. */
export interface WorkerProcess {
  readonly pid: number;
  /** Resolves when it listens; rejects with a `BackendStartError` when it never will. */
  readonly listening: Promise<void>;
  /** Resolves when it has exited. */
  readonly exited: Promise<BackendDeath>;
  /** Requests received; for a worker that has exited, as far as it last told. */
  readonly requests: () => Promise<number>;
  /** Stops it, by force when it does not within the grace period; resolves when it has exited. */
  readonly stop: (graceMs: number) => Promise<void>;
  /** Kills it; resolves when it has exited. */
  readonly kill: () => Promise<void>;
}

/** Forks a worker of a cluster. */
export function startWorker(options: WorkerOptions): WorkerProcess {
  const worker = forkWorker(options);
  const pid = worker.process.pid ?? -1;
  const stderr = keepTail(worker);
  const exited = new Promise<BackendDeath>((resolve) => {
    worker.process.once("close", (code: number | null, signal: string | null) => {
      resolve({ pid, code, signal, stderr: stderr() });
    });
  });
  // Sending to a worker that has just died; its exit says all that there is to say.
  worker.on("error", () => undefined);
  const send = (command: WorkerCommand): void => void worker.send(command, undefined, () => undefined);
  const kill = async (): Promise<void> => {
    worker.process.kill("SIGKILL");
    await exited;
  };

  return {
    pid,
    listening: waitUntilListening(worker, exited, options),
    exited,
    requests: requestCounter(worker, exited, send),
    kill,
    async stop(graceMs) {
      if (worker.isConnected()) send({ type: "stop", graceMs });
      const timer = setTimeout(() => worker.process.kill("SIGKILL"), graceMs + EXIT_MARGIN_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function waitUntilListening(worker: Worker, exited: Promise<BackendDeath>, options: WorkerOptions): Promise<void> {
  const { host, port } = options.address;
  return new Promise((resolve, reject) => {
    worker.once("listening", () => resolve());
    worker.on("message", (message: WorkerMessage) => {
      if (message.type !== "failed") return;
      reject(cannotListen(host, port, Object.assign(new Error(message.message), { code: message.code })));
    });
    void exited.then(({ code, signal, stderr }) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      const said = stderr === "" ? "" : ` It wrote: ${stderr.trim()}`;
      reject(new BackendStartError(`Worker ${options.worker} ended ${how} before it listened.${said}`));
    });
  });
}

function requestCounter(
  worker: Worker,
  exited: Promise<BackendDeath>,
  send: (command: WorkerCommand) => void,
): () => Promise<number> {
  const waiting = new Map<number, (requests: number) => void>();
  let lastTold = 0;
  let lastId = 0;
  worker.on("message", (message: WorkerMessage) => {
    if (message.type !== "requests") return;
    lastTold = message.requests;
    waiting.get(message.id)?.(lastTold);
    waiting.delete(message.id);
  });
  return async () => {
    if (!worker.isConnected()) return lastTold;
    const id = ++lastId;
    const answer = new Promise<number>((resolve) => waiting.set(id, resolve));
    send({ type: "requests", id });
    return Promise.race([answer, exited.then(() => lastTold)]);
  };
}

function keepTail(worker: Worker): () => string {
  let tail = "";
  worker.process.stdout?.resume();
  worker.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL);
  });
  return () => tail;
}
