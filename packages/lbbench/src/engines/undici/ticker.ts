import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { builtEntry } from "../../system/fork.js";

/** Calls back at a given moment, more precisely than a timer. */
export interface Ticker {
  /** Calls `onTick` after so many ms, in place of whatever it was to do before. */
  readonly wakeIn: (ms: number, onTick: () => void) => void;
  /** Does not call any more. */
  readonly rest: () => void;
}

/** What a ticker and its thread share. */
export interface SharedTimes {
  /** Raised and notified whenever there is another moment to wait for. */
  readonly signal: Int32Array;
  /** The moment, by {@link clockMs}. */
  readonly times: Float64Array;
}

/** Lays them out in 16 bytes of memory. */
export function sharedTimes(memory: SharedArrayBuffer): SharedTimes {
  return { signal: new Int32Array(memory, 0, 1), times: new Float64Array(memory, 8, 1) };
}

/** A moment that never comes. */
export const NEVER = Infinity;

/** A clock that all threads of a process share, in ms. */
export function clockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

const THREAD = builtEntry(import.meta.url, "./ticker-thread.js");

/**
 * Starts a ticker. A timer of Node rings up to a millisecond late, and turning the event loop until the moment has come
 * keeps a core busy that the target may need. Here a thread sleeps in place of it, to the microsecond as far as the
 * kernel can, and wakes the event loop; it ends with the process, and the process with it when it fails: a load without a
 * clock would wait for ever.
 *
 * @param entry the module of the thread.
 */
export async function startTicker(entry: string | URL = THREAD): Promise<Ticker> {
  const memory = new SharedArrayBuffer(16);
  const { signal, times } = sharedTimes(memory);
  times[0] = NEVER;
  const thread = new Worker(entry, { workerData: memory });
  // Rejects with an error until then; nobody listens to one that comes later, which is why the process ends with it.
  await once(thread, "message");
  thread.unref();
  let callback: (() => void) | undefined;
  thread.on("message", () => callback?.());
  const set = (atMs: number): void => {
    times[0] = atMs;
    Atomics.add(signal, 0, 1);
    Atomics.notify(signal, 0);
  };
  return {
    wakeIn: (ms, onTick) => {
      callback = onTick;
      set(clockMs() + ms);
    },
    rest: () => {
      callback = undefined;
      set(NEVER);
    },
  };
}
