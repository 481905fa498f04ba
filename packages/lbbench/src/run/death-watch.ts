import type { RunningServer } from "../plugin.js";
import { within } from "./within.js";

/** Knows whether a server has ended without having been asked to. */
export interface DeathWatch {
  /** Aborts when it has. */
  readonly signal: AbortSignal;
  /** How it ended; `undefined` as long as it lives. */
  readonly how: () => string | undefined;
  /** Waits a moment for news of a death whose consequences have been seen already. */
  readonly awaitNews: () => Promise<void>;
}

const NEWS_LIMIT_MS = 250;

/** Starts to watch over a server. */
export function watchForDeath(server: RunningServer): DeathWatch {
  const controller = new AbortController();
  let how: string | undefined;
  const news = server.died
    .catch((error: unknown) => String(error))
    .then((death) => {
      how = death;
      controller.abort();
    });
  return {
    signal: controller.signal,
    how: () => how,
    awaitNews: async () => {
      await within(NEWS_LIMIT_MS, news);
    },
  };
}
