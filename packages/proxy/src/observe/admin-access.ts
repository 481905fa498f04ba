import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { show } from "../options/resolve-values.js";
import { AdminRequestError } from "./admin-reply.js";

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
