import type { IncomingMessage, ServerResponse } from "node:http";
import { prepareAnswer } from "../handlers/prepared-answer.js";
import { sendAnswer } from "../handlers/send-answer.js";

/** Ways to refuse a request. */
export const REFUSALS = ["status", "close"] as const;

/** How a request is refused: with a status 503 and `Retry-After`, or by closing its connection without an answer. */
export type Refusal = (typeof REFUSALS)[number];

/** Tells a client that there is no room for its request. */
export type Refuse = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the way to refuse requests; `retryAfterS` is what the 503 says, in seconds. */
export function createRefuse(refusal: Refusal, retryAfterS: number): Refuse {
  if (refusal === "close") return (request) => void request.socket.destroy();
  const answer = prepareAnswer(503, "text/plain; charset=utf-8", "There is no room for this request.\n");
  const withRetry = { ...answer, headers: [...answer.headers, "Retry-After", String(retryAfterS)] };
  return (_request, response) => sendAnswer(response, withRetry);
}
