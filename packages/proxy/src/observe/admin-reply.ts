import { BalancerOptionsError, type BalancerSnapshot } from "../options/options.js";
import { show } from "../options/resolve-options.js";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { isIP } from "node:net";

/** What a route is asked. */
export interface AdminRequest {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  /** The backend that the path names; empty if it names none. */
  readonly name: string;
}

/** What the admin server answers; the first group of the path is the name of the backend, percent-encoded. */
export type AdminRoute = readonly [
  method: "GET" | "POST" | "PUT" | "DELETE",
  /** Matches the whole path. */
  path: RegExp,
  answer: (request: AdminRequest) => Promise<AdminReply>,
];

/** Where the admin server learns how the balancer is doing; of workers, their sum. */
export type ReadSnapshot = () => BalancerSnapshot | Promise<BalancerSnapshot>;

/** What a request to the admin server is answered with. */
export interface AdminReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that the admin server does not do, and the answer that says so. */
export class AdminRequestError extends Error {
  override readonly name = "AdminRequestError";

  constructor(
    readonly status: number,
    message: string,
    readonly headers: AdminReply["headers"] = {},
  ) {
    super(message);
  }
}

/** An answer with a value as JSON. */
export function jsonReply(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): AdminReply {
  return textReply(status, "application/json", `${JSON.stringify(value)}\n`, headers);
}

/** An answer with a text of the given media type. */
export function textReply(
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): AdminReply {
  return {
    status,
    // Each answer is of its moment, and no page is to take it for a script.
    headers: {
      ...headers,
      "content-type": contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body,
  };
}

/** The answer to a request that failed: `{ error }` with 400 if its input was bad, 500 if the server is to blame. */
export function failureReply(error: unknown): AdminReply {
  if (error instanceof AdminRequestError) return jsonReply(error.status, { error: error.message }, error.headers);
  if (error instanceof BalancerOptionsError) return jsonReply(400, { error: error.message });
  return jsonReply(500, { error: error instanceof Error ? error.message : STATUS_CODES[500] });
}

const READING_METHODS = new Set(["GET", "HEAD"]);

/**
 * Throws an `AdminRequestError` (403) for requests that a web page may be behind: browsers let any page send requests
 * to ports of this machine. `ownHost` is the host that the server listens on.
 */
export function refuseWebPages(
  { headers, method = "" }: Pick<IncomingMessage, "headers" | "method">,
  ownHost: string,
): void {
  // DNS rebinding: a page whose name is made to point here is of the same origin for the browser, and could read all.
  // An address cannot be made to point anywhere.
  if (!isTrustedHost(headers.host, ownHost)) {
    throw new AdminRequestError(
      403,
      `Host: expected an IP address, "localhost" or the host that the admin server listens on, got ${show(headers.host)}.`,
    );
  }
  // Programs send no Origin; browsers send it with whatever changes something.
  if (!READING_METHODS.has(method) && headers.origin !== undefined) {
    throw new AdminRequestError(
      403,
      `Origin: expected none, got ${show(headers.origin)}. Web pages may change nothing.`,
    );
  }
}

function isTrustedHost(header: string | undefined, ownHost: string): boolean {
  const host = /^(?:\[([^\]]*)\]|([^:[\]]+))(?::\d+)?$/.exec(header ?? "");
  const name = (host?.[1] ?? host?.[2] ?? "").toLowerCase();
  return isIP(name) !== 0 || name === "localhost" || (name !== "" && name === ownHost.toLowerCase());
}
