import { builtProgram } from "../built-program.js";
import { BackendStartError } from "../backend-start-error.js";
import type { HandlerSpec } from "../handler-spec.js";
import type { Answer, Task } from "../handlers/work.js";

/** What a thread is started with. */
export interface ThreadOptions {
  readonly handler: HandlerSpec;
}

/** Threads that are ready to work. */
export interface Threads {
  /**
   * Has a free thread do the work for one request. To be called for no more requests at once than there are threads:
   * they have no queue. Rejects when the thread dies; another takes its place.
   */
  readonly perform: (task: Task) => Promise<Answer>;
  /** How many have died by themselves. */
  readonly died: () => number;
  /** Ends all threads, whatever they do; resolves when none is left. What they did is rejected. */
  readonly stop: () => Promise<void>;
}

/** The program of a thread. */
const threadProgram = builtProgram(import.meta.url, "./pool-thread.js");

/** Starts threads; resolves when every one is ready. Throws a `BackendStartError`, with none left. */
export async function startThreads(count: number, options: ThreadOptions): Promise<Threads> {
  // Loaded where it is needed: many use this package for what has no threads.
  const { Piscina } = await import("piscina");
  const threads = new Piscina<Task | undefined, Answer>({
    filename: threadProgram,
    workerData: options,
    minThreads: count,
    maxThreads: count,
    idleTimeout: Infinity,
    maxQueue: 0,
    recordTiming: false,
    // The clock of `cpu` is experimental in older versions of Node, which need not be said once for each thread.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let died = 0;
  let stopping = false;
  // A thread that dies without work is replaced as any other, and must not end the server.
  threads.on("error", () => undefined);
  threads.on("workerDestroy", () => {
    if (!stopping) died += 1;
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await threads.destroy();
  };
  try {
    // As many tasks at once as threads: each thread gets one.
    await Promise.all(Array.from({ length: count }, () => threads.run(undefined, { name: "getReady" })));
  } catch (error) {
    await stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackendStartError(`pool: expected ${count} threads to start, but one ended: ${reason}`);
  }
  return { perform: (task) => threads.run(task, { name: "perform" }), died: () => died, stop };
}
