/** Ways to wait until a server is ready. */
import { once } from "node:events";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout as wait } from "node:timers/promises";
import { connectOnce } from "../system/listen.js";
import { inTime, succeeds } from "../system/settle.js";

const ATTEMPT_LIMIT_MS = 1000;

/** Asks repeatedly until the answer is no rejection; rejects when `signal` aborts. */
export async function waitUntil(ask: () => Promise<unknown>, signal: AbortSignal, everyMs = 10): Promise<void> {
  while (!(await succeeds(ask()))) {
    signal.throwIfAborted();
    await wait(everyMs, undefined, { signal });
  }
}

/** Resolves when a URL's address accepts a connection, which is closed at once; rejects when `signal` aborts. */
export function waitUntilAccepts(url: URL, signal: AbortSignal): Promise<void> {
  return waitUntil(() => connectOnce(url, signal), signal);
}

/** Resolves when a GET of `url` is answered, with any status; rejects when `signal` aborts. */
export function waitUntilAnswers(url: URL, signal: AbortSignal): Promise<void> {
  const send = url.protocol === "https:" ? secureRequest : request;
  const ask = async (): Promise<void> => {
    // Servers in a lab often have a certificate of their own; this only asks whether a server answers.
    const attempt = send(url, { agent: false, rejectUnauthorized: false }).on("error", () => {});
    const answer = once(attempt.end(), "response");
    await inTime(answer, { limitMs: ATTEMPT_LIMIT_MS, signal }).finally(() => attempt.destroy());
  };
  return waitUntil(ask, signal, 25);
}
