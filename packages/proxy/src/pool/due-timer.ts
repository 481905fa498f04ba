import { startTimer } from "../start-timer.js";

/** One timer for whatever is due next. */
export interface DueTimer {
  /** Has `onDue` called at that time of the clock, in place of the time said before; `Infinity` means never. */
  readonly setDue: (dueMs: number) => void;
}

/** Makes a timer that does not keep the process alive. It may call a little early, and once for each `setDue` at most. */
export function createDueTimer(nowMs: () => number, onDue: () => void): DueTimer {
  let currentDueMs = Infinity;
  let stop = (): void => undefined;
  return {
    setDue(dueMs) {
      if (dueMs === currentDueMs) return;
      stop();
      currentDueMs = dueMs;
      stop = startTimer(
        () => {
          currentDueMs = Infinity;
          onDue();
        },
        Math.max(Math.ceil(dueMs - nowMs()), 1),
      );
    },
  };
}
