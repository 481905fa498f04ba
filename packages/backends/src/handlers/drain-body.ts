import type { IncomingMessage } from "node:http";

/** Calls `then` when the whole request has come; what it carries is thrown away. */
export function drainBody(request: IncomingMessage, then: () => void): void {
  // Not looking at the headers saves their parsing; Node itself drains the rare body of a GET.
  if (request.method === "GET" || request.method === "HEAD") {
    then();
    return;
  }
  request.on("end", then);
  request.resume();
}
