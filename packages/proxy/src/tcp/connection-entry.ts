import type { RequestLogEntry } from "../options/options.js";
import type { RelayEnd } from "./socket-pair.js";

/** What is known of a relayed connection at its end. */
export interface ConnectionFacts {
  /** When it came, in ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly remoteAddress: string | undefined;
  /** Name of the backend that was picked last. */
  readonly backendName: string | undefined;
  readonly retries: number;
  /** Bytes sent to the client. */
  readonly bodyBytes: number;
  readonly error: RelayEnd["error"];
}

/** The log entry of a connection: that of a request, as far as a connection has the same things. */
export function connectionEntry(facts: ConnectionFacts): RequestLogEntry {
  const { startedAt, durationMs, bodyBytes, remoteAddress, backendName, retries, error } = facts;
  return {
    method: "TCP",
    path: "",
    httpVersion: "",
    startedAt,
    durationMs,
    bodyBytes,
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(backendName !== undefined && { backend: backendName }),
    ...(retries > 0 && { retries }),
    ...(error !== undefined && { error }),
  };
}
