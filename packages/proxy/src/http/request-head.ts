import type { IncomingMessage } from "node:http";
import { byLength, meaningOfWord } from "./by-length.js";
import { peerOf, type HeadersPart, type Peer, type ReadBefore } from "./peer.js";

/** What a backend is to be asked. */
export interface RequestHead extends HeadersPart {
  readonly method: string;
  /** Path and query, beginning with a slash; `*` asks the balancer itself. */
  readonly path: string;
}

/** A request that is refused before any backend is asked. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** How the headers are made that tell a backend who asked. */
export interface HeadOptions {
  readonly forwarded: "replace" | "append" | "off";
  /** What is added to `Via`; `false` for nothing. */
  readonly via: string | false;
  readonly secure: boolean;
}

/** What a request header is to the balancer. */
type Meaning = "hop" | "host" | "length" | "coding" | "connection" | "forwarded" | "via" | "expect";

const MEANINGS = byLength<Meaning>([
  ["te", "hop"],
  ["via", "via"],
  ["host", "host"],
  ["expect", "expect"],
  // Trailers of requests are not passed on, so nothing is to announce them.
  ["trailer", "hop"],
  ["upgrade", "hop"],
  ["forwarded", "forwarded"],
  ["connection", "connection"],
  ["keep-alive", "hop"],
  ["content-length", "length"],
  ["x-forwarded-for", "forwarded"],
  ["x-forwarded-host", "forwarded"],
  ["x-forwarded-port", "forwarded"],
  ["proxy-connection", "hop"],
  ["x-forwarded-proto", "forwarded"],
  ["transfer-encoding", "coding"],
  ["proxy-authenticate", "hop"],
  ["proxy-authorization", "hop"],
]);

interface Found {
  readonly headers: string[];
  host: string | undefined;
  hosts: number;
  length: string | undefined;
  coding: string | undefined;
  connection: string | undefined;
  forwarded: Map<string, string> | undefined;
  via: string | undefined;
  expect: string | undefined;
}

/**
 * Reads the head of a request and makes of it what a backend is asked; or says why it is refused. Pure but for the
 * client's address, which it takes from the connection.
 *
 * What is ambiguous is refused rather than repaired: another server might repair it otherwise (RFC 9112, 11.2).
 */
export function readRequestHead(request: IncomingMessage, options: HeadOptions): RequestHead | Refusal {
  const target = readTarget(request.url ?? "");
  if (target === undefined || NOT_IN_A_TARGET.test(target.path)) {
    return { status: 400, reason: "The target of the request is neither a path nor a URL." };
  }
  const peer = peerOf(request.socket, options.secure);
  const { last } = peer;
  // A client mostly sends the same headers again and again on its connection.
  const isSame = last !== undefined && target.host === undefined && isRepeated(last, request);
  const part = isSame ? last.part : readHeaders(request, target.host, peer, options);
  if ("status" in part) return part;
  if (!isSame && part.body === "none" && target.host === undefined) {
    peer.last = { raw: request.rawHeaders, httpVersion: request.httpVersion, part };
  }
  const { host, headers, body, expectsContinue } = part;
  return { method: request.method ?? "GET", path: target.path, host, headers, body, expectsContinue };
}

function isRepeated({ raw, httpVersion }: ReadBefore, request: IncomingMessage): boolean {
  const now = request.rawHeaders;
  if (raw.length !== now.length || httpVersion !== request.httpVersion) return false;
  for (let index = 0; index < now.length; index++) if (raw[index] !== now[index]) return false;
  return true;
}

/** What the headers of a request say, apart from its method and target. */
function readHeaders(
  request: IncomingMessage,
  targetHost: string | undefined,
  peer: Peer,
  options: HeadOptions,
): HeadersPart | Refusal {
  const raw = request.rawHeaders;
  const found: Found = {
    headers: [],
    host: undefined,
    hosts: 0,
    length: undefined,
    coding: undefined,
    connection: undefined,
    forwarded: undefined,
    via: undefined,
    expect: undefined,
  };
  const { headers } = found;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] as string;
    const value = raw[index + 1] as string;
    const meaning = MEANINGS[name.length] === undefined ? undefined : meaningOfWord(MEANINGS, name.toLowerCase());
    if (meaning === undefined || (meaning === "forwarded" && options.forwarded === "off")) headers.push(name, value);
    else note(found, meaning, name, value);
  }
  const refusal = refuse(found, request);
  if (refusal !== undefined) return refusal;
  const host = targetHost ?? found.host;
  if (host !== undefined && !isHost(host)) {
    return { status: 400, reason: "The Host of the request is no host." };
  }
  if (found.connection !== undefined) leaveOutNamed(headers, found.connection);
  if (targetHost !== undefined) setHost(headers, targetHost);
  if (options.forwarded !== "off") addForwarded(headers, peer.forwardedHeaders(host), options, found.forwarded);
  if (options.via !== false) {
    const own = `${request.httpVersion} ${options.via}`;
    headers.push("Via", found.via === undefined ? own : `${found.via}, ${own}`);
  } else if (found.via !== undefined) {
    headers.push("Via", found.via);
  }
  const body = found.coding === undefined ? Number(found.length ?? 0) || "none" : "chunked";
  if (found.length !== undefined && found.coding === undefined) {
    headers.push("Content-Length", String(Number(found.length)));
  }
  // A client of HTTP/1.0 does not know the answer that it would wait for (RFC 9110, 10.1.1).
  const expectsContinue = found.expect !== undefined && body !== "none" && request.httpVersionMinor > 0;
  return { host, headers, body, expectsContinue };
}

function note(found: Found, meaning: Meaning, name: string, value: string): void {
  switch (meaning) {
    case "host":
      // Where the client put it, which is mostly in front, as RFC 9112, 3.2 advises.
      found.headers.push("Host", value);
      found.host = value;
      found.hosts += 1;
      return;
    case "length":
      found.length = found.length === undefined ? value : `${found.length}, ${value}`;
      return;
    case "coding":
      found.coding = found.coding === undefined ? value : `${found.coding}, ${value}`;
      return;
    case "connection":
      found.connection = found.connection === undefined ? value : `${found.connection}, ${value}`;
      return;
    case "forwarded": {
      found.forwarded ??= new Map();
      const before = found.forwarded.get(name.toLowerCase());
      found.forwarded.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
      return;
    }
    case "via":
      found.via = found.via === undefined ? value : `${found.via}, ${value}`;
      return;
    case "expect":
      found.expect = found.expect === undefined ? value : `${found.expect}, ${value}`;
      return;
    case "hop":
  }
}

function refuse(found: Found, request: IncomingMessage): Refusal | undefined {
  if (request.httpVersionMajor !== 1 || request.httpVersionMinor > 1) {
    return { status: 505, reason: "The version of the request is neither HTTP/1.1 nor HTTP/1.0." };
  }
  if (found.hosts === 0 && request.httpVersionMinor > 0) return { status: 400, reason: "The request has no Host." };
  if (found.hosts > 1) return { status: 400, reason: "The request has more than one Host." };
  if (found.coding !== undefined) {
    if (request.httpVersionMinor === 0) {
      return { status: 400, reason: "A request of HTTP/1.0 has a Transfer-Encoding." };
    }
    if (found.length !== undefined) {
      return { status: 400, reason: "The request has both a Content-Length and a Transfer-Encoding." };
    }
    if (found.coding.toLowerCase() !== "chunked") {
      return { status: 501, reason: "The request has a Transfer-Encoding other than chunked." };
    }
  }
  if (found.length !== undefined && !/^\d{1,15}$/.test(found.length)) {
    return { status: 400, reason: "The Content-Length of the request is no length." };
  }
  if (found.expect !== undefined && found.expect.toLowerCase() !== "100-continue" && request.httpVersionMinor > 0) {
    return { status: 417, reason: "The request expects something else than 100-continue." };
  }
  return undefined;
}

/** Node's parser lets a tab and a form feed pass, which others may take for the end of the target. */
const NOT_IN_A_TARGET = /[^\x21-\x7e\x80-\xff]/;

/** Takes a target apart that is a path, a URL (RFC 9112, 3.2.2: its host counts, not that of the header) or `*`. */
function readTarget(target: string): { readonly path: string; readonly host: string | undefined } | undefined {
  if (target.charCodeAt(0) === 0x2f) return { path: target, host: undefined };
  if (target === "*") return { path: target, host: undefined };
  const parts = /^https?:\/\/([^/?#]+)(.*)$/i.exec(target);
  if (parts === null) return undefined;
  const [, host = "", rest = ""] = parts;
  return { path: rest.startsWith("/") ? rest : `/${rest}`, host };
}

let lastHost = "";

function isHost(host: string): boolean {
  if (host === lastHost) return true;
  if (!/^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i.test(host)) return false;
  lastHost = host;
  return true;
}

function setHost(headers: string[], host: string): void {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] !== "Host") continue;
    headers[index + 1] = host;
    return;
  }
  // A client of HTTP/1.0 need not have sent one.
  headers.unshift("Host", host);
}

const NOT_TO_NAME: ReadonlySet<string> = new Set(["close", "keep-alive", "upgrade", "te", "host", ""]);

/** Takes out the headers that the client says are of its connection only (RFC 9110, 7.6.1). */
function leaveOutNamed(headers: string[], connection: string): void {
  const plain = connection.toLowerCase();
  if (plain === "keep-alive" || plain === "close") return;
  const names = new Set(plain.split(",").map((name) => name.trim()));
  for (const name of NOT_TO_NAME) names.delete(name);
  if (names.size === 0) return;
  for (let index = headers.length - 2; index >= 0; index -= 2) {
    if (names.has((headers[index] as string).toLowerCase())) headers.splice(index, 2);
  }
}

function addForwarded(
  headers: string[],
  own: readonly string[],
  { forwarded }: HeadOptions,
  before: ReadonlyMap<string, string> | undefined,
): void {
  if (forwarded === "replace" || before === undefined) {
    for (const text of own) headers.push(text);
    return;
  }
  for (let index = 0; index + 1 < own.length; index += 2) {
    const name = own[index] as string;
    const value = own[index + 1] as string;
    const earlier = before.get(name.toLowerCase());
    const isList = name === "X-Forwarded-For" || name === "Forwarded";
    // The rest says what the first balancer was asked for.
    headers.push(name, earlier === undefined ? value : isList ? `${earlier}, ${value}` : earlier);
  }
  if (own.length < ALL_FORWARDED) keepOthers(headers, own, before);
}

/** Texts in the list of a peer that knows both its address and the host that was asked for. */
const ALL_FORWARDED = 10;

/** What the balancer has nothing to say of (the address behind a Unix socket) stays as an earlier one said it. */
function keepOthers(headers: string[], own: readonly string[], before: ReadonlyMap<string, string>): void {
  for (const name of ["X-Forwarded-For", "X-Forwarded-Host"]) {
    const earlier = before.get(name.toLowerCase());
    if (earlier !== undefined && !own.includes(name)) headers.push(name, earlier);
  }
}
