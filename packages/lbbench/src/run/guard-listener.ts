import type { SweepEvent, SweepListener } from "./sweep-event.js";

/** A listener that can be called anywhere, as it never throws. */
export interface GuardedListener {
  readonly emit: SweepListener;
  /** Aborts when the listener has thrown; it is not called again. */
  readonly signal: AbortSignal;
  /** Throws what the listener threw. */
  readonly rethrow: () => void;
}

/** Keeps what a listener throws until there is a place where nothing is left running by it. */
export function guardListener(listen: SweepListener): GuardedListener {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    emit: (event: SweepEvent) => {
      if (signal.aborted) return;
      try {
        listen(event);
      } catch (error) {
        controller.abort(error);
      }
    },
    signal,
    rethrow: () => signal.throwIfAborted(),
  };
}
