/**
 * Waits for a promise, but no longer than the limit or until the signal aborts; resolves with nothing then, and when it rejects.
 */
export function within<T>(limitMs: number, promise: Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const giveUp = (): void => settle(undefined);
    const timer = setTimeout(giveUp, limitMs);
    const settle = (value: T | undefined): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      resolve(value);
    };
    signal?.addEventListener("abort", giveUp);
    if (signal?.aborted === true) giveUp();
    promise.then(settle, giveUp);
  });
}

/** Waits for so long; rejects with the reason of the signal when that aborts. */
export async function pause(lengthMs: number, signal: AbortSignal): Promise<void> {
  await within(lengthMs, new Promise<never>(() => {}), signal);
  signal.throwIfAborted();
}
