import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { setTimeout } from "node:timers/promises";

const RETRY_MS = 25;
const ATTEMPT_LIMIT_MS = 1000;

/** Resolves when a GET of `url` is answered, with whatever status; rejects when `signal` aborts. */
export async function waitUntilAnswers(url: URL, signal: AbortSignal): Promise<void> {
  while (!(await answers(url, signal))) await setTimeout(RETRY_MS, undefined, { signal });
}

function answers(url: URL, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const send = url.protocol === "https:" ? secureRequest : request;
  return new Promise((resolve) => {
    // Whoever measures a lab often has a certificate of its own; this only asks whether anybody is there.
    const attempt = send(
      url,
      { agent: false, timeout: ATTEMPT_LIMIT_MS, signal, rejectUnauthorized: false },
      (response) => {
        response.destroy();
        resolve(true);
      },
    );
    attempt.on("timeout", () => attempt.destroy());
    attempt.on("error", () => resolve(false));
    attempt.on("close", () => resolve(false));
    attempt.end();
  });
}
