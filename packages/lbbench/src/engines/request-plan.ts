import { expectedStatus } from "../stats/expected-status.js";
import { addressOf } from "../stats/url-address.js";
import type { RequestSpec } from "../model/scenario.js";
import type { Load } from "../plugin.js";
import { requestBytes } from "./request-bytes.js";

/** Where the requests of a run go. */
export interface Destination {
  /** Whether they go over TLS. */
  readonly secure: boolean;
  /** Name or address (IPv6 without brackets). */
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
}

/** One request as it is sent over HTTP/1.1, and which answers to it are ok. */
export interface PlannedRequest {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  readonly isExpected: (status: number) => boolean;
  /** Exact body of an ok answer, or `null` if any will do. */
  readonly expectBody: Buffer | null;
}

/** What every request of a run is that sends only one, and where it goes. */
export interface RequestPlan extends Destination, PlannedRequest {}

/** Works out what a load without a mix sends over HTTP/1.1, and where. */
export function planRequest(load: Load): RequestPlan {
  return { ...planDestination(load), ...planBytes(new URL(load.url), load.request, load.keepAlive) };
}

/** Works out where a load goes. */
export function planDestination({ url, timeoutMs }: Pick<Load, "url" | "timeoutMs">): Destination {
  return { secure: new URL(url).protocol === "https:", ...addressOf(url), timeoutMs };
}

/** Works out how a request to `url` is sent over HTTP/1.1; the path is that of the URL. */
export function planBytes(url: URL, request: RequestSpec, keepAlive: boolean): PlannedRequest {
  return {
    bytes: requestBytes(url, request, keepAlive),
    isHead: request.method === "HEAD",
    isExpected: expectedStatus(request.expectStatus),
    expectBody: request.expectBody === null ? null : Buffer.from(request.expectBody, "utf8"),
  };
}
