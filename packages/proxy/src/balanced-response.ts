import { ServerResponse, type ClientRequest, type IncomingMessage } from "node:http";
import type { Upstream } from "./upstream.js";

/** A response to a client that knows what became of its request; saves a map and a closure per request. */
export class BalancedResponse extends ServerResponse<IncomingMessage> {
  /** The backend that was picked. */
  upstream: Upstream | undefined;
  /** The request to the backend, once it has a socket. */
  forwarded: ClientRequest | undefined;
  /** The backend's answer, once its head has come. */
  answer: IncomingMessage | undefined;
  /** Why there is no complete answer of the backend. */
  failure: string | undefined;
  /** When the head of the request came, on the clock of `performance.now()`; 0 when nobody asked for it. */
  startedAtMs = 0;
}
