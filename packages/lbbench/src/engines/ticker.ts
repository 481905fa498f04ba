import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { builtEntry } from "../system/fork.js";

/** Calls `onTick` after so many ms, more precisely than a timer, in place of an earlier call. */
export type Ticker = (ms: number, onTick: () => void) => void;

const THREAD = builtEntry(import.meta.url, "./ticker-thread.js");

/**
 * Starts a ticker. A timer of Node rings up to a millisecond late, and turning the event loop until the moment has come
 * keeps a core busy that the target may need. Here a thread (the module `entry`) sleeps in place of it and wakes the event loop.
 * It ends with the process, and the process with it when it fails: a load without a clock would wait for ever.
 */
export async function startTicker(entry: string | URL = THREAD): Promise<Ticker> {
  /** The moment to wait for, by the clock that all threads of a process share. */
  const dueNs = new BigInt64Array(new SharedArrayBuffer(8)).fill(2n ** 63n - 1n);
  const thread = new Worker(entry, { workerData: dueNs });
  // Rejects with an error until then; no listener is left for a later one, so the process ends with it.
  await once(thread, "message");
  thread.unref();
  let callback: (() => void) | undefined;
  thread.on("message", () => callback?.());
  return (ms, onTick) => {
    callback = onTick;
    Atomics.store(dueNs, 0, process.hrtime.bigint() + BigInt(Math.round(ms * 1e6)));
    Atomics.notify(dueNs, 0);
  };
}
