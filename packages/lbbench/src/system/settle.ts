/** Promises that are settled from outside, or that are given up. */

/** Makes a promise that is settled from outside; a rejection that is not waited for is no bug. */
export function deferred<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** Until when a promise is waited for. */
interface Limit {
  readonly limitMs?: number;
  /** The message of the error after that. */
  readonly late?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Settles as the promise does. Rejects if that takes longer than the limit, or with the reason of the signal if that aborts. */
export async function inTime<T>(promise: Promise<T>, { limitMs, late, signal }: Limit): Promise<T> {
  const over = deferred<never>();
  const abort = (): void => over.reject(signal?.reason);
  const timer = limitMs === undefined ? undefined : setTimeout(() => over.reject(new Error(late)), limitMs);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted === true) abort();
  try {
    return await Promise.race([over.promise, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Who waits for a promise beside others, by that promise. */
const waiting = new WeakMap<Promise<never>, Set<(error: Error) => void>>();

/**
 * Settles as the promise does, or rejects as `over` does if that is first. `Promise.race` would keep what it has settled with for as long
 * as `over` lives.
 */
export function unless<T>(over: Promise<never>, promise: Promise<T>): Promise<T> {
  const own = deferred<never>();
  const all = waiting.get(over) ?? listenTo(over);
  all.add(own.reject);
  return Promise.race([own.promise, promise]).finally(() => all.delete(own.reject));
}

function listenTo(over: Promise<never>): Set<(error: Error) => void> {
  const all = new Set<(error: Error) => void>();
  waiting.set(over, all);
  over.catch((error: Error) => {
    waiting.delete(over);
    for (const reject of all) reject(error);
  });
  return all;
}

/** Settles as {@link inTime} does for something that may stay away: resolves with nothing then, and if the promise rejects. */
export function within<T>(limitMs: number, promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  return inTime(promise, { limitMs, signal }).catch(() => undefined);
}

/** Whether a promise is fulfilled, and not rejected. */
export function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}
