import type { BalancedResponse } from "./balanced-response.js";
import type { RequestLogEntry } from "./options.js";

/** What is known of a request whose response has ended. */
export function logEntry(response: BalancedResponse): RequestLogEntry {
  const { req: request, upstream, startedAtMs } = response;
  const error = response.failure ?? (response.writableFinished ? undefined : "The client closed the connection.");
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    ...(response.headersSent ? { status: response.statusCode } : {}),
    ...(upstream === undefined ? {} : { backend: upstream.name }),
    durationMs: performance.now() - startedAtMs,
    ...(error === undefined ? {} : { error }),
  };
}
