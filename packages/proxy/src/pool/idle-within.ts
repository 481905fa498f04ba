import { startTimer } from "../start-timer.js";
import type { Upstream } from "./upstream.js";

/** Resolves when nothing is in flight any more, when the time is over, or when `ended` is aborted. */
export async function idleWithin(upstream: Upstream, graceMs: number, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      stopTimer();
      ended.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = startTimer(end, graceMs);
    ended.addEventListener("abort", end, { once: true });
    upstream.idle().then(end, reject);
  });
}
