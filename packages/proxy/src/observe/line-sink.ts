/** Where lines go. */
export interface LineSink {
  /** Takes a line with its line break and returns at once; whether it was taken. Never throws. */
  readonly write: (line: string) => boolean;
  /** Resolves when everything taken so far is written; rejects with the error that kept it from being written. */
  readonly flush: () => Promise<void>;
  /** The same, and ends the destination, unless it is the standard output or error. */
  readonly close: () => Promise<void>;
}

/** How much may wait for a destination that does not keep up, before lines are dropped: logs must not fill the memory. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
