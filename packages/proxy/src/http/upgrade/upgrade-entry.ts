import type { IncomingMessage } from "node:http";
import type { RequestLogEntry } from "../../options/options.js";

/** What is known of an upgrade at its end. */
interface UpgradeFacts {
  /** When its request came, in ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly remoteAddress: string | undefined;
  /** Status sent to the client; 0 for none. */
  readonly status: number;
  /** Bytes sent to the client behind the head of the answer. */
  readonly bodyBytes: number;
  /** Name of the backend that was picked last. */
  readonly backendName: string | undefined;
  readonly retries: number;
  readonly error: string | undefined;
}

/** The log entry of a request for an upgrade. */
export function upgradeEntry(request: IncomingMessage, facts: UpgradeFacts): RequestLogEntry {
  const { method = "", url: path = "", httpVersion, headers } = request;
  const { startedAt, durationMs, bodyBytes, status, backendName, error, retries, remoteAddress } = facts;
  const { host, referer, "user-agent": userAgent } = headers;
  return {
    method,
    path,
    httpVersion,
    startedAt,
    durationMs,
    bodyBytes,
    ...(status !== 0 && { status }),
    ...(backendName !== undefined && { backend: backendName }),
    ...(error !== undefined && { error }),
    ...(retries > 0 && { retries }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(host !== undefined && { host }),
    ...(referer !== undefined && { referer }),
    ...(userAgent !== undefined && { userAgent }),
  };
}
