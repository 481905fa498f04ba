/** A moment that never comes. */
export const NEVER = Infinity;

/** A clock that all threads of a process share, in ms. */
export function clockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
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
