import type { BalancedResponse } from "./balanced-response.js";

/** Answers with a plain text of the balancer's own. */
export function sendText(response: BalancedResponse, status: number, text: string, headers: readonly string[]): void {
  const body = Buffer.from(`${text}\n`);
  response.writeHead(status, [
    ...headers,
    "Content-Type",
    "text/plain; charset=utf-8",
    "Content-Length",
    String(body.length),
  ]);
  response.end(body);
}

/**
 * Ends a request that its backend will not complete: with the status and the reason as long as nothing has been sent,
 * else by destroying the client's connection, so that a truncated answer never looks whole.
 */
export function failResponse(
  response: BalancedResponse,
  status: number,
  reason: string,
  headers: readonly string[],
): void {
  if (response.failure !== undefined || response.destroyed || response.writableEnded) return;
  response.failure = reason;
  response.forwarded?.destroy();
  if (response.headersSent) {
    breakConnection(response);
    return;
  }
  // What is left of the body would otherwise block the client's next request on this connection.
  response.req.unpipe();
  response.req.resume();
  sendText(response, status, reason, headers);
}

function breakConnection(response: BalancedResponse): void {
  const endsWithConnection =
    response.req.httpVersion === "1.0" && response.answer?.headers["content-length"] === undefined;
  // To such a client an orderly close would mean that the answer is complete.
  if (endsWithConnection) response.socket?.resetAndDestroy();
  else response.destroy();
}
