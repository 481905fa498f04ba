/** Watches the time of whatever is under way. */
export interface TimeWatch {
  readonly stop: () => void;
}

/**
 * Calls `giveUp` when what is under way has taken `timeoutMs`, again and again until it is stopped. One timer for all
 * requests of a user, set anew only when it rings: most requests end long before.
 *
 * @param elapsedMs how long the request that is open has taken; 0 without one.
 */
export function watchTime(timeoutMs: number, elapsedMs: () => number, giveUp: () => void): TimeWatch {
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    timer = setTimeout(() => {
      const takenMs = elapsedMs();
      if (takenMs < timeoutMs) return wait(timeoutMs - takenMs);
      giveUp();
      wait(timeoutMs);
    }, leftMs);
  };
  wait(timeoutMs);
  return { stop: () => clearTimeout(timer) };
}
