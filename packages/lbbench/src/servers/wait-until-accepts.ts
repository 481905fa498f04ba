import { setTimeout } from "node:timers/promises";
import { connectOnce } from "../system/listen.js";

const RETRY_MS = 10;

/** Resolves when a URL's address accepts a connection, which is closed at once; rejects when `signal` aborts. */
export async function waitUntilAccepts(url: URL, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await connectOnce(url, signal);
      return;
    } catch {
      signal.throwIfAborted();
      await setTimeout(RETRY_MS, undefined, { signal });
    }
  }
}
