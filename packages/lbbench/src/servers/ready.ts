/** How a server that was started is seen to be ready. */
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout } from "node:timers/promises";
import { isListening } from "../system/listen.js";

const ATTEMPT_LIMIT_MS = 1000;

/** Asks every so often until the answer is yes; rejects when `signal` aborts. */
export async function waitUntil(ask: () => Promise<boolean>, signal: AbortSignal, everyMs = 10): Promise<void> {
  while (!(await ask())) {
    signal.throwIfAborted();
    await setTimeout(everyMs, undefined, { signal });
  }
}

/** Resolves when a URL's address accepts a connection, which is closed at once; rejects when `signal` aborts. */
export function waitUntilAccepts(url: URL, signal: AbortSignal): Promise<void> {
  return waitUntil(() => isListening(url, signal), signal);
}

/** Resolves when a GET of `url` is answered, with whatever status; rejects when `signal` aborts. */
export function waitUntilAnswers(url: URL, signal: AbortSignal): Promise<void> {
  return waitUntil(() => answers(url, signal), signal, 25);
}

function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const send = url.protocol === "https:" ? secureRequest : request;
  return new Promise((resolve) => {
    // Whoever measures a lab often has a certificate of its own; this only asks whether anybody is there.
    const options = { agent: false, timeout: ATTEMPT_LIMIT_MS, signal, rejectUnauthorized: false };
    const attempt = send(url, options, (response) => {
      response.destroy();
      resolve(true);
    });
    attempt.on("timeout", () => attempt.destroy());
    attempt.on("error", () => resolve(false));
    attempt.on("close", () => resolve(false));
    attempt.end();
  });
}
