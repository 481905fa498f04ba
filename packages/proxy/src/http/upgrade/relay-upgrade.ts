import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ClientAnswer } from "../client-answer.js";
import type { HttpContext } from "../http-context.js";
import { refuseConnection } from "../refuse-connection.js";
import { readRequestHead } from "../request-head.js";
import { answerDirectly } from "./answer-directly.js";
import { UpgradeExchange } from "./upgrade-exchange.js";

/** What is done with upgrades. */
interface RelayUpgradeOptions {
  readonly context: HttpContext;
  /** Answers an ordinary request. */
  readonly handle: (request: IncomingMessage, answer: ClientAnswer) => void;
  /** Ends a client's connection at once, with a reset if there is a way. */
  readonly resetClient: (client: Socket) => void;
}

/**
 * Passes a request for another protocol (a WebSocket, say) on, and then whatever goes over the connection, in both
 * directions. `early` is what the client has sent behind its request.
 *
 * `h2c` is not passed on: a backend that speaks it would take requests that the balancer does not see. Such a request is
 * answered as if it had not asked, as RFC 9110, 7.8 allows.
 */
export function relayUpgrade(
  { context, handle, resetClient }: RelayUpgradeOptions,
  request: IncomingMessage,
  client: Socket,
  early: Buffer,
): void {
  client.on("error", () => undefined);
  if (hasAnswerUnderWay(client)) {
    // The answer to an earlier request would get in between.
    const status = refuseConnection(client, 400);
    if (status !== undefined) context.onRefused(status);
    return;
  }
  const head = readRequestHead(request, context.headOptions);
  if (!("status" in head) && head.body === "none" && isOrdinary(request)) {
    handle(request, answerDirectly(request, client));
    return;
  }
  new UpgradeExchange(context, request, client, resetClient).begin(head, early);
}

/** Whether a request is to be answered as if it had not asked for an upgrade. */
function isOrdinary({ headers: { upgrade = "" }, httpVersionMinor, url }: IncomingMessage): boolean {
  // A client of HTTP/1.0 is not asking, whatever it says (RFC 9110, 7.8).
  return httpVersionMinor === 0 || url === "*" || /(?:^|[\s,])h2c?(?:$|[\s,/])/i.test(upgrade);
}

/** Node keeps the answer that is being sent with its connection. */
function hasAnswerUnderWay(socket: Socket & { readonly _httpMessage?: unknown }): boolean {
  return socket._httpMessage !== undefined && socket._httpMessage !== null;
}
