/** The longest time that Node's timers know; what is longer would be over at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/**
 * Starts a timer that does not keep the process alive, and returns what stops it. A time above 24 days is cut to that;
 * with `Infinity` nothing is started.
 */
export function startTimer(run: () => void, delayMs: number): () => void {
  if (delayMs === Infinity) return () => undefined;
  const timer = setTimeout(run, Math.min(delayMs, LONGEST_MS));
  timer.unref();
  return () => clearTimeout(timer);
}

/** Resolves when the time is over or the signal is aborted; as `startTimer`, it keeps no process alive. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      stopTimer();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = startTimer(end, delayMs);
    signal.addEventListener("abort", end, { once: true });
  });
}
