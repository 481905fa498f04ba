import querystring from "node:querystring";
import type { HeaderLine, RequestSpec } from "../model/scenario.js";
import type { Load } from "../plugin.js";
import { expectedStatus } from "../stats/request-counts.js";
import type { GeneratorPlace } from "./shares.js";
import { defined } from "../stats/defined.js";

/** One request of a load, and which answers to it are ok. */
export type PlannedRequest = Readonly<ReturnType<typeof planRequest>>;

/**
 * Works out all requests of a load beforehand; returns what says which is next. A mix comes in proportion to its weights, the
 * bodies of an entry in turn. Every generator sends the mix as a whole, and of the bodies every so many-th.
 */
export function planRequests(
  { url, request, mix, keepAlive }: Pick<Load, "url" | "request" | "mix" | "keepAlive">,
  place: GeneratorPlace,
): () => PlannedRequest {
  const base = new URL(url);
  if (mix === undefined) {
    const only = planRequest(0, base, request, keepAlive);
    return () => only;
  }
  const entries = mix.map(({ request: one, bodies }, entry) => {
    const to = urlWithPath(base, one.path);
    const requests = bodies === null ? [one] : bodies.map((body) => ({ ...one, body }));
    return {
      requests: requests.map((sent) => planRequest(entry, to, sent, keepAlive)),
      next: place.index,
    };
  });
  const nextEntry = takeTurns(mix.map(({ weight }) => weight));
  return () => {
    const entry = entries[nextEntry()] as (typeof entries)[number];
    const picked = entry.requests[entry.next % entry.requests.length] as PlannedRequest;
    entry.next += place.of;
    return picked;
  };
}

function planRequest(entry: number, url: URL, request: RequestSpec, keepAlive: boolean) {
  return {
    /** Index of its entry in the mix; 0 without a mix. */
    entry,
    /** Where it goes, with path and query, which overrule the path of `request`. */
    url,
    /** What is sent, with the body whose turn it is. */
    request,
    /** Its bytes over HTTP/1.1. */
    bytes: requestBytes(url, request, keepAlive),
    isHead: request.method === "HEAD",
    isExpected: expectedStatus(request.expectStatus),
    /** `null` if any body is ok. */
    expectBody: request.expectBody === null ? null : Buffer.from(request.expectBody, "utf8"),
  };
}

/**
 * Returns what says whose turn it is, by index, in proportion to weights above 0. After any number of turns each entry has had
 * its share of them, to less than one turn: an entry may have a turn
 * that does not put it ahead by a whole one, and of those that may, the one whose turn would first be overdue by a whole one has
 * it (R. Tijdeman, "The chairman assignment problem", Discrete Mathematics 32, 1980).
 */
function takeTurns(weights: readonly number[]): () => number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const taken = weights.map(() => 0);
  let turn = 0;
  return () => {
    turn += 1;
    let [chosen, overdueAt] = [0, Infinity];
    for (const [index, weight] of weights.entries()) {
      const had = taken[index] ?? 0;
      const at = (had + 1) / weight;
      if (had * total < turn * weight && at < overdueAt) [chosen, overdueAt] = [index, at];
    }
    taken[chosen] = (taken[chosen] ?? 0) + 1;
    return chosen;
  };
}

/**
 * Returns where a request for `path` (path and query) goes: to the host of `base`, with its credentials, and never to another
 * host, as `//other` would if it were taken for a reference.
 */
export function urlWithPath(base: URL, path: string): URL {
  const { pathname, search } = new URL(`http://localhost${path}`);
  const url = new URL(base);
  url.pathname = pathname;
  url.search = search;
  url.hash = "";
  return url;
}

/**
 * The exact bytes of one HTTP/1.1 request: headers as given, in order, repetitions kept; `Host` and `Content-Length`
 * are added where they are missing, and `Connection` says what `keepAlive` asks for.
 */
export function requestBytes(url: URL, request: RequestSpec, keepAlive: boolean): Buffer {
  const connection = keepAlive ? "keep-alive" : "close";
  const headers = sentHeaders(url, request, { Host: url.host, Connection: connection });
  const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, ...headers.map((line) => line.join(": "))];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bodyBytes(request)]);
}

/** The headers of a request in order, behind the missing ones: the implied ones, `Authorization` and `Content-Length`. */
export function sentHeaders(
  url: URL,
  request: RequestSpec,
  implied: Readonly<Record<string, string>> = {},
): readonly HeaderLine[] {
  const { method, headers, body } = request;
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const credentials = basicCredentials(url);
  // A request with a body, or with a method that usually has one (RFC 9110, 8.6).
  const hasLength = !given.has("transfer-encoding") && (body !== null || ["POST", "PUT", "PATCH"].includes(method));
  const added = Object.entries({
    ...implied,
    ...defined({
      Authorization: credentials,
      "Content-Length": hasLength ? `${bodyBytes(request).length}` : undefined,
    }),
  });
  return [...added.filter(([name]) => !given.has(name.toLowerCase())), ...headers];
}

export function bodyBytes({ body, bodyEncoding }: RequestSpec): Buffer {
  return body === null ? Buffer.alloc(0) : Buffer.from(body, bodyEncoding);
}

/** Returns the value of `Authorization` that the user and password of a URL ask for; `undefined` where it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  // It leaves a percent sign that encodes nothing as it is.
  const credentials = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** The status after which the connection speaks something else. */
export const SWITCHING_PROTOCOLS = 101;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** Whether an answer of this status is informational (1xx), so that another one follows; 101 is final. */
export function isInterim(status: number): boolean {
  return status < 200 && status !== SWITCHING_PROTOCOLS;
}

/** Whether an answer of this status has no body, even if its head gives a length: a 304 may give the length of a 200. */
export function neverHasBody(status: number): boolean {
  return status < 200 || status === NO_CONTENT || status === NOT_MODIFIED;
}

/** Compares bodies of answers with the expected one, piece by piece, and keeps nothing of them. */
export class BodyMatch {
  #wanted: Buffer | null = null;
  #position = 0;
  #same = true;

  start(expected: Buffer | null): void {
    this.#wanted = expected;
    this.#position = 0;
    this.#same = true;
  }

  add(chunk: Buffer, start: number, length: number): void {
    const wanted = this.#wanted;
    if (wanted === null) return;
    const end = this.#position + length;
    this.#same &&= end <= wanted.length && wanted.compare(chunk, start, start + length, this.#position, end) === 0;
    this.#position = end;
  }

  matches(): boolean {
    return this.#wanted === null || (this.#same && this.#position === this.#wanted.length);
  }
}
