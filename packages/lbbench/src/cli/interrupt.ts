import { killLivingChildren } from "../child/living-children.js";
import { ExitCode } from "./exit-code.js";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Turns the signals that end a program into an abort. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node. */
  readonly release: () => void;
}

/** What to do beside aborting and exiting. */
export interface InterruptListeners {
  readonly onFirst?: () => void;
  /** Called just before the exit; there is no time for anything that takes any. */
  readonly onSecond?: () => void;
}

/** The first signal aborts, so that what was measured can be written; the second kills every child and exits at once. */
export function catchInterrupt({ onFirst, onSecond }: InterruptListeners = {}): Interrupt {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) {
      killLivingChildren();
      onSecond?.();
      process.exit(ExitCode.interrupted);
    }
    onFirst?.();
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of SIGNALS) process.off(signal, interrupt);
    },
  };
}
