import { expectedStatus } from "../stats/expected-status.js";
import type { Load } from "../plugin.js";
import { requestBytes } from "./request-bytes.js";

/** What every request of a run is, and which answers are ok. */
export interface RequestPlan {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Whether it goes over TLS. */
  readonly secure: boolean;
  /** Where the requests go: name or address (IPv6 without brackets) and port. */
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly isExpected: (status: number) => boolean;
  /** Exact body of an ok answer, or `null` if any will do. */
  readonly expectBody: Buffer | null;
}

/** Works out what a load sends over HTTP/1.1, and where. */
export function planRequest({ url: address, request, keepAlive, timeoutMs }: Load): RequestPlan {
  const url = new URL(address);
  const secure = url.protocol === "https:";
  return {
    bytes: requestBytes(url, request, keepAlive),
    isHead: request.method === "HEAD",
    secure,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (secure ? 443 : 80),
    timeoutMs,
    isExpected: expectedStatus(request.expectStatus),
    expectBody: request.expectBody === null ? null : Buffer.from(request.expectBody, "utf8"),
  };
}
