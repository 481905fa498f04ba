/** How long to wait before a connection is tried again. */
export interface Backoff {
  /** The next wait in ms: 10 at first, twice as long each time, at most 250. */
  readonly nextMs: () => number;
  /** Starts from the beginning, once a connection was there. */
  readonly reset: () => void;
}

/** The first wait, in ms. */
export const FIRST_BACKOFF_MS = 10;
/** The longest wait, in ms: short enough to notice soon that a target is back. */
export const LONGEST_BACKOFF_MS = 250;

/** Waits of a user that finds no connection, so that a target that is gone is not asked in a hot loop. */
export function createBackoff(): Backoff {
  let waitMs = FIRST_BACKOFF_MS;
  return {
    nextMs: () => {
      const now = waitMs;
      waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS);
      return now;
    },
    reset: () => {
      waitMs = FIRST_BACKOFF_MS;
    },
  };
}
