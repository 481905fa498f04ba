const SIGNALS = ["SIGINT", "SIGTERM"] as const;
const INTERRUPTED = 130;

/** Turns the signals of a cancelled job into an abort. */
export interface Cancellation {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node. */
  readonly release: () => void;
}

/**
 * The runner sends SIGINT, and SIGTERM some seconds later. The first aborts, so that what was measured can be shown; the second
 * ends this process at once, and with it all that it has started.
 */
export function catchCancellation(): Cancellation {
  const controller = new AbortController();
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, cancel);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, cancel);
    },
  };
}
