import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** The parts of Node's request that are checked. */
export type LiveRequest = Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders">;

/** Names of the loopback; a page from elsewhere whose name was made to point here (DNS rebinding) has another. */
const HOSTS = ["127.0.0.1", "localhost"];
/** A browser leaves it out. */
const DEFAULT_PORT = 80;

/**
 * Tells what a request asks for: 403 where it was sent by a foreign page, to a foreign name or to several, 404 without the token, or
 * with another path, 405 where it does anything but read.
 */
export function checkRequest(
  { method, url = "", headers, rawHeaders }: LiveRequest,
  { port, token }: { readonly port: number; readonly token: string },
): "page" | "events" | 403 | 404 | 405 {
  const { host, origin } = headers;
  // Of several, Node hands over the first; these are names and values in turn.
  if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1) return 403;
  if (host === undefined || !namesUs(host, port)) return 403;
  if (isOfForeignPage(headers)) return 403;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return 403;
  const [, given = "", path = ""] = /^\/([^/?]*)([^?]*)/.exec(url) ?? [];
  const asked = path === "/" ? "page" : path === "/events" ? "events" : undefined;
  if (!isSame(given, token) || asked === undefined) return 404;
  return method === "GET" || method === "HEAD" ? asked : 405;
}

/** As browsers say. A link that is followed in a window of its own shows its answer to the reader alone. */
function isOfForeignPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  const isFollowed = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return (site === "cross-site" || site === "same-site") && !isFollowed;
}

function namesUs(host: string, port: number): boolean {
  const name = host.toLowerCase();
  return HOSTS.some((one) => name === `${one}:${port}` || (port === DEFAULT_PORT && name === one));
}

/** Takes as long wherever the first difference is. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
