import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectExchange, type Exchange } from "../test-support/exchange.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import {
  endWithPeer,
  GONE_URL,
  startBalancer,
  startBefore,
  startRawBackend,
  startSaying,
} from "../test-support/servers.js";
import { WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { get, plainAnswer, say, startWireBackend, statusesIn, wireClient } from "../test-support/wire.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";

type Cases = Readonly<Record<string, Exchange>>;

const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const CLOSE = "Connection: close\r\n";
const KEPT = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const GET_1_0 = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
/** What every object of JavaScript has, and the headers that bear these names. */
const PROPERTIES = ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"];
/** Names that become the same variable of CGI as one of the headers that say who asked. */
const MISTAKABLE = listOfSpellings("X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-HOST", "X-Forwarded-Port");
const lost = { requests: 1, errors: 1 };

function listOfSpellings(...names: string[]): string[] {
  return names.flatMap((name) => [name.replaceAll("-", "_"), name.replace("-", "_"), name.replace(/-(?=\w+$)/, "_")]);
}

/** None of these headers. */
function none(...names: string[]): Record<string, []> {
  return Object.fromEntries(names.map((name) => [name, []]));
}

/** Headers of a request as a backend sees them. */
const REQUEST_HEADERS: Cases = {
  "keep their order, their repetition and bytes above ASCII": {
    says: get("X-One: J\xf6rg \xfe\xff", "x-TWO: a", "X-Three: \xc3\xa9", "x-TWO: b", "x-TWO: a"),
    sent: { "x-one": ["J\xf6rg \xfe\xff"], "x-two": ["a", "b", "a"], "x-three": ["\xc3\xa9"] },
  },
  "may be called like something that every object has": {
    says: get(...PROPERTIES.flatMap((name) => [`${name}: 1`, `${name}: 2`])),
    sent: Object.fromEntries(PROPERTIES.map((name) => [name.toLowerCase(), ["1", "2"]])),
  },
  "lose those of the client's connection, also those that Connection names": {
    says: get(
      "Keep-Alive: timeout=9",
      "Proxy-Connection: keep-alive",
      "TE: trailers",
      "Trailer: X-Sum",
      "Proxy-Authorization: Basic eDp5",
      "X-Hop: 1",
      "x-hop: 2",
      "X-Kept: 1",
      "Connection: X-Hop,  x-other,,TE",
    ),
    sent: {
      "x-kept": ["1"],
      ...none("x-hop", "keep-alive", "proxy-connection", "proxy-authorization", "te", "trailer"),
    },
  },
  "keep what frames and addresses the request, whatever Connection names": {
    says: `${POST}Connection: close, Host, Content-Length, Transfer-Encoding, Via, X-Forwarded-For, Forwarded\r\nContent-Length: 2\r\n\r\nhi`,
    body: "hi",
    options: { via: "edge" },
    sent: { host: ["a"], "content-length": ["2"], "x-forwarded-for": ["127.0.0.1"], via: ["1.1 edge"] },
  },
  "tell who asked, and believe nothing that the client says of it": {
    says: get(
      "X-Forwarded-For: 6.6.6.6",
      "x-forwarded-proto: https",
      "X-Forwarded-Host: evil",
      "Forwarded: for=6.6.6.6",
      "X-Forwarded-Port: 1",
    ),
    sent: {
      "x-forwarded-for": ["127.0.0.1"],
      "x-forwarded-proto": ["http"],
      "x-forwarded-host": ["shop.test:81"],
      forwarded: ['for=127.0.0.1;host="shop.test:81";proto=http'],
    },
  },
  "have no Via of the balancer, which would keep some servers from compressing": { sent: { via: [] } },
  "keep the Via of the client as it came": {
    says: get("Via: 1.1 before", "via: 1.0 Inner"),
    sent: { via: ["1.1 before", "1.0 Inner"] },
  },
  "have a Via with the name of the balancer on request": {
    options: { via: "edge" },
    says: get("Via: 1.1 before", "via: 1.0 Inner"),
    sent: { via: ["1.1 before, 1.0 Inner, 1.1 edge"] },
  },
  "lose those that some servers take for who asked": {
    says: get(...MISTAKABLE.map((name) => `${name}: 6.6.6.6`), "X_Forwarded: 1", "X_Real_IP: 2", "X_A: 3"),
    sent: {
      ...none(...MISTAKABLE),
      "x-forwarded-for": ["127.0.0.1"],
      x_forwarded: ["1"],
      x_real_ip: ["2"],
      x_a: ["3"],
    },
  },
  "lose them also where an earlier balancer is believed": {
    options: { forwarded: "append" },
    says: get("X-Forwarded-For: 1.1.1.1", ...MISTAKABLE.map((name) => `${name}: 6.6.6.6`)),
    sent: { ...none(...MISTAKABLE), "x-forwarded-for": ["1.1.1.1, 127.0.0.1"] },
  },
  "keep them on request": {
    options: { underscores: "pass" },
    says: get("X_Forwarded_For: 6.6.6.6"),
    sent: { x_forwarded_for: ["6.6.6.6"], "x-forwarded-for": ["127.0.0.1"] },
  },
  "keep them where the balancer says nothing of who asked": {
    options: { forwarded: "off" },
    says: get("X_Forwarded_For: 6.6.6.6"),
    sent: { x_forwarded_for: ["6.6.6.6"], "x-forwarded-for": [] },
  },
  "lose Proxy, which CGI hands to programs as the proxy that they are to use": {
    options: { forwarded: "off" },
    says: get("PROXY: http://evil", "Proxy-A: 1"),
    sent: { proxy: [], "proxy-a": ["1"] },
  },
  "add to what an earlier balancer said on request": {
    options: { forwarded: "append", via: "edge" },
    says: get(
      "X-Forwarded-For: 1.1.1.1",
      "X-Forwarded-For: 2.2.2.2",
      "X-Forwarded-Proto: https",
      "Forwarded: for=1.1.1.1",
    ),
    sent: {
      "x-forwarded-for": ["1.1.1.1, 2.2.2.2, 127.0.0.1"],
      "x-forwarded-proto": ["https"],
      "x-forwarded-host": ["shop.test:81"],
      forwarded: ['for=1.1.1.1, for=127.0.0.1;host="shop.test:81";proto=http'],
      via: ["1.1 edge"],
    },
  },
  "stay as they are on request": {
    options: { forwarded: "off" },
    says: get("X-Forwarded-For: 1.1.1.1", "Forwarded: for=1.1.1.1", "Via: 1.0 before"),
    sent: { "x-forwarded-for": ["1.1.1.1"], "x-forwarded-host": [], forwarded: ["for=1.1.1.1"], via: ["1.0 before"] },
  },
  "take the host from a target that is a URL, and put it where the Host was": {
    says: "GET http://Other.test:82?q HTTP/1.1\r\nX-A: Host\r\nHost: shop.test\r\nConnection: close, host\r\n\r\n",
    target: "/?q",
    sent: { "x-a": ["Host"], host: ["Other.test:82"], "x-forwarded-host": ["Other.test:82"] },
  },
  "keep Cookies apart or joined, and lose none": { says: get("Cookie: a=1; b=2"), sent: { cookie: ["a=1; b=2"] } },
  "have no Upgrade to HTTP/2, which is answered as an ordinary request and keeps the connection": {
    says: `${POST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 2\r\n\r\nhi`,
    body: "hi",
    sent: { upgrade: [], "http2-settings": [] },
    lasts: true,
  },
  "have no Upgrade where another HTTP is among what is asked for": {
    says: get("Connection: Upgrade", "Upgrade: websocket, H2C", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    sent: { upgrade: [], "http2-settings": [] },
  },
  "have no Upgrade of HTTP/1.0, and keep the connection all the same": {
    says: "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive, upgrade\r\nUpgrade: chat\r\n\r\n",
    sent: { upgrade: [] },
    lasts: true,
  },
  "are refused when they are too long": {
    options: { limits: { headBytes: 2000 } },
    says: get(`X-A: ${"a".repeat(3000)}`),
    gets: /^HTTP\/1\.1 431 /,
    refused: 431,
  },
  "are refused when they are too many": {
    says: get(...Array.from({ length: 255 }, () => "a:")),
    gets: /^HTTP\/1\.1 431 [^]*\r\n\r\nThe request cannot be read: it has more than 256 header lines\.\n$/,
    refused: 431,
  },
  "may be as many as the limit says": {
    options: { limits: { headLines: 300 } },
    says: get(...Array.from({ length: 297 }, () => "a:"), "X-Last: 1"),
    sent: { "x-last": ["1"] },
  },
};

/** Headers of an answer as a client sees them. */
const ANSWER_HEADERS: Cases = {
  "reach the client with their status as they were spelled, in their order and on lines of their own": {
    answer:
      "HTTP/1.1 418 Short and stout\r\nDate: today\r\nSet-Cookie: a=1\r\nX-MIXED: 1\r\nset-cookie: b=2\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\n\r\nok",
    gets: /^HTTP\/1\.1 418 Short and stout\r\nDate: today\r\nSet-Cookie: a=1\r\nX-MIXED: 1\r\nset-cookie: b=2\r\nSet-Cookie: a=1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok$/,
  },
  "keep their meaning with no blank, many blanks, no value, bytes above ASCII and names that every object has": {
    answer: plainAnswer(
      "ok",
      "X-A:1",
      "X-B:  \t 1 \t",
      "X-C:",
      "X-D: J\xf6rg \xc3\xa9\xff",
      "__proto__: 1",
      "constructor: 2",
      "Date: d",
    ),
    gets: /\r\nX-A: ?1\r\nX-B: ?1[ \t]*\r\nX-C: ?\r\nX-D: ?J\xf6rg \xc3\xa9\xff\r\n__proto__: ?1\r\nconstructor: ?2\r\nDate: /,
  },
  "lose those of the backend's connection, also those that Connection names": {
    answer: plainAnswer(
      "ok",
      "Keep-Alive: timeout=5",
      "Proxy-Connection: a",
      "Proxy-Authenticate: Basic",
      "Upgrade: h2c",
      "TE: a",
      "X-Hop: 1",
      "X-Kept: 1",
      "Connection: keep-alive, x-hop, Content-Length",
      "x-hop: 2",
      "Connection: x-more",
      "X-More: 1",
      "Date: d",
    ),
    gets: /^HTTP\/1\.1 200 OK\r\nX-Kept: 1\r\nDate: d\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok$/,
  },
  "get a Date if they have none": { gets: /\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/ },
  "do not name the backend unless asked": { gets: /^(?![^]*\bone\b)HTTP\/1\.1 200 / },
  "name the backend on request, in place of what it says itself": {
    options: { backendHeader: "x-backend" },
    answer: plainAnswer("ok", "X-BACKEND: a lie"),
    gets: /^(?![^]*lie)HTTP\/1\.1 200 OK\r\n[^]*x-backend: one\r\n/,
  },
  "make a 502 when they are too long": {
    answer: plainAnswer("ok", `X-A: ${"a".repeat(20_000)}`),
    gets: /^HTTP\/1\.1 502 /,
    counts: lost,
  },
  "make a 502 when they are too many": {
    answer: plainAnswer("ok", ...Array.from({ length: 256 }, () => "a:")),
    gets: /^HTTP\/1\.1 502 [^]*\r\n\r\nBackend one sent an answer that cannot be passed on: it has more than 256 header lines\.\n$/,
    counts: lost,
  },
  "make a 502 also when they are too many before the answer": {
    answer: `HTTP/1.1 103 Early Hints\r\n${"Link: </a>\r\n".repeat(257)}\r\n${plainAnswer("ok")}`,
    gets: /^HTTP\/1\.1 502 /,
    counts: lost,
  },
  "may be as many as the limit says": {
    options: { limits: { headLines: Infinity } },
    answer: plainAnswer("ok", ...Array.from({ length: 2100 }, () => "a:"), "X-Last: 1"),
    gets: /\r\nX-Last: 1\r\n/,
  },
  "may be as long as the limit says": {
    options: { limits: { headBytes: 40_000 } },
    answer: plainAnswer("ok", `X-A: ${"a".repeat(30_000)}`),
    gets: /\r\nX-A: a{30000}\r\n/,
  },
};

const TRAILERS = `${OK}Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n`;
const HINTS = "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nLink: </b.css>\r\n\r\n";
const expecting = (what: string): string => `${POST}${CLOSE}Expect: ${what}\r\nContent-Length: 2\r\n\r\nhi`;

/** Everything else of a request and its answer. */
const MESSAGES: Cases = {
  "the method, the path and the time are passed on and told": {
    says: "PUT /a%20b?c=d%2Fe HTTP/1.1\r\nHost: a\r\nReferer: r\r\nUser-Agent: u\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi",
    target: "/a%20b?c=d%2Fe",
    body: "hi",
    log: {
      method: "PUT",
      path: "/a%20b?c=d%2Fe",
      httpVersion: "1.1",
      status: 200,
      backend: "one",
      bodyBytes: 2,
      remoteAddress: "127.0.0.1",
      host: "a",
      referer: "r",
      userAgent: "u",
    },
  },
  "a client of HTTP/1.0 needs no Host, and gets no chunks": {
    says: "GET / HTTP/1.0\r\n\r\n",
    answer: `${CHUNKED}2\r\nok\r\n0\r\n\r\n`,
    gets: /^(?![^]*transfer-encoding)HTTP\/1\.1 200 [^]*\r\n\r\nok$/i,
  },
  "a method that nobody knows is passed on": {
    says: `fetch-All /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi`,
    target: "/a",
    body: "hi",
    method: "fetch-All",
    log: { method: "fetch-All", status: 200 },
    lasts: true,
  },
  "a method that nobody knows, without a body and from a client of HTTP/1.0, is passed on": {
    says: `GOT / HTTP/1.0\r\n\r\n`,
    body: "",
    method: "GOT",
  },
  "that a server does not know a method is passed on, and is no failure": {
    says: get().replace("GET", "GOT"),
    answer: "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno",
    gets: /^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\nno$/,
  },
  "a known method in small letters is refused": {
    says: `head / HTTP/1.1\r\nHost: a\r\n\r\n`,
    gets: /^HTTP\/1\.1 400 [^]*\r\n\r\nThe request cannot be read: its method has small letters/,
    refused: 400,
  },
  "a method that is too long is refused": {
    says: `${"M".repeat(33)} / HTTP/1.1\r\nHost: a\r\n\r\n`,
    gets: /^HTTP\/1\.1 501 [^]*\r\n\r\nThe request cannot be read: its method is longer than 32 characters\.\n$/,
    refused: 501,
  },
  "an empty Host is passed on as it came, and said nowhere else": {
    says: "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    sent: { host: [""], "x-forwarded-host": [], forwarded: ["for=127.0.0.1;proto=http"] },
    log: { host: "" },
    lasts: true,
  },
  "OPTIONS * is answered by the balancer": {
    says: `OPTIONS * HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`,
    gets: /^HTTP\/1\.1 204 No Content\r\nDate: [^\r]+ GMT\r\nConnection: close\r\n\r\n$/,
    counts: { requests: 0 },
  },
  "a client that waits for a 100 gets it at once where an option says so, and the backend is told nothing of it": {
    options: { expect: "answer" },
    says: expecting("100-Continue"),
    gets: /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*ok$/,
    body: "hi",
    sent: { expect: [] },
  },
  "a client that waits for a 100 waits for the backend": {
    says: expecting("100-Continue"),
    answer: `HTTP/1.1 100 Continue\r\n\r\n${plainAnswer("ok")}`,
    gets: /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*ok$/,
    body: "hi",
    sent: { expect: ["100-continue"] },
  },
  "a 100 that nobody asked for does no harm": {
    says: KEPT,
    answer: `HTTP/1.1 100 Continue\r\n\r\n${plainAnswer("ok")}`,
    gets: /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok$/,
    lasts: true,
  },
  "any other expectation is refused": { says: expecting("200-ok"), gets: /^HTTP\/1\.1 417 /, refused: 417 },
  "the expectation of a client of HTTP/1.0 is ignored": { says: expecting("100-continue").replace("1.1", "1.0") },
  "trailers of an answer are passed on, but for those that would change how it is read": {
    says: get("TE: trailers"),
    answer: `${TRAILERS}X-Sum: 1\r\nx-sum: J\xf6\r\nHost: evil\r\nSet-Cookie: a\r\nTransfer-Encoding: x\r\n\r\n`,
    gets: /\r\nTrailer: X-Sum\r\n[^]*\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nx-sum: J\xf6\r\n\r\n$/,
  },
  "trailers of an answer are kept from a client of HTTP/1.0": {
    says: GET_1_0,
    answer: `${TRAILERS}X-Sum: 1\r\n\r\n`,
    gets: /\r\n\r\nok$/,
  },
  "trailers of a request are thrown away, and never taken for headers": {
    says: `${POST}Trailer: X-Sum\r\n${CLOSE}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\nX-Forwarded-For: 6.6.6.6\r\nCookie: a=b\r\n\r\n`,
    body: "hi",
    sent: { "x-sum": [], cookie: [], trailer: [], "x-forwarded-for": ["127.0.0.1"] },
  },
  "answers before the answer are passed on": {
    answer: `${HINTS}${plainAnswer("ok")}`,
    gets: /^HTTP\/1\.1 102 Processing\r\n(?:Date: .*\r\n)?\r\nHTTP\/1\.1 103 Early Hints\r\nLink: <\/a.css>\r\nLink: <\/b.css>\r\n(?:Date: .*\r\n)?\r\nHTTP\/1\.1 200 OK\r\n[^]*ok$/,
  },
  "a thousand answers before the answer do no harm, and are kept from a client of HTTP/1.0": {
    says: GET_1_0,
    answer: HINTS.repeat(1000) + plainAnswer("ok"),
  },
  "an answer in chunks is passed on": {
    answer: `${CHUNKED}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`,
    gets: /\r\n\r\n(?:3\r\nabc|1\r\na\r\n2\r\nbc)\r\n0\r\n\r\n$/,
  },
  "an answer whose end is that of its connection is passed on in chunks": {
    says: KEPT,
    answer: `${OK}\r\nwhole`,
    then: "ends",
    gets: /\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n$/,
    lasts: true,
  },
};

/** Requests whose first header is `X-First`, and what the balancer's own lines are to say beside who asked. */
const OWN_LINES: Readonly<Record<string, Exchange & { readonly own?: readonly string[] }>> = {
  "of a request that goes on as it stands": { says: "GET / HTTP/1.1\r\nX-First: 1\r\nHost: a\r\n\r\n" },
  "of a request of which lines are left out": {
    says: `GET / HTTP/1.1\r\nX-First: 1\r\nConnection: keep-alive\r\nHost: a\r\nVia: 1.1 b\r\n\r\n`,
    options: { via: "edge" },
    own: ["Via: 1.1 b, 1.1 edge"],
  },
  "of a client of HTTP/1.0, with the Host that it did not say": { says: "GET / HTTP/1.0\r\nX-First: 1\r\n\r\n" },
  "of a target that is a URL": { says: "GET http://o/ HTTP/1.1\r\nX-First: 1\r\nHost: a\r\n\r\n" },
  "of a request with headers whose names are numbers": {
    says: "GET / HTTP/1.1\r\nX-First: 1\r\n7: 2\r\nHost: a\r\n1: 3\r\n\r\n",
  },
  "with the framing of a body in chunks": {
    says: `POST / HTTP/1.1\r\nX-First: 1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    own: ["Transfer-Encoding: chunked"],
  },
  "of an upgrade": {
    says: "GET / HTTP/1.1\r\nX-First: 1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n",
    own: ["Connection: Upgrade", "Upgrade: chat"],
  },
};

/** An answer that has no body, and the length that the client is told: after it the connection serves another one. */
const WITHOUT_BODY: readonly (readonly [method: string, what: string, answer: string, length: string | undefined])[] = [
  ["HEAD", "with a length", `${OK}Connection: keep-alive\r\nContent-Length: 5\r\n\r\n`, "5"],
  ["HEAD", "that would be in chunks", `${OK}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n`, undefined],
  ["HEAD", "that says nothing of it", `${OK}Connection: keep-alive\r\n\r\n`, undefined],
  ["GET", "that is a 204", "HTTP/1.1 204 No Content\r\n\r\n", undefined],
  ["POST", "that is a 204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", undefined],
  ["GET", "that is a 304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "5"],
  ["GET", "that is empty", `${OK}Content-Length: 0\r\n\r\n`, "0"],
];

function withoutBody(method: string, answer: string, length: string | undefined): Exchange {
  const others = "(?:(?!Content-Length|Transfer-Encoding)[^\\r]+\\r\\n)*";
  const framing = length === undefined ? "" : `Content-Length: ${length}\\r\\n${others}`;
  const gets = new RegExp(`^${answer.slice(0, answer.indexOf("\r\n"))}\\r\\n${others}${framing}\\r\\n$`);
  return { says: `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`, answer, gets, lasts: true };
}

const BAD_GATEWAY =
  /^HTTP\/1\.1 502 Bad Gateway\r\nDate: [^\r]+ GMT\r\nContent-Type: text\/plain; charset=utf-8\r\n[^]*\r\n\r\nBackend one did not answer: [^\n]+\n$/;
const HALF_LENGTH = `${OK}Content-Length: 10\r\n\r\nhalf`;
const HALF_CHUNKS = `${CHUNKED}4\r\nhalf\r\n`;

function brokenOff(answer: string, then: "ends" | "resets"): Exchange {
  const gets = /^(?![^]*\r\n0\r\n)HTTP\/1\.1 200 [^]*half(?:\r\n)?$/;
  return { says: KEPT, answer, then, gets, counts: lost, log: { status: 200 } };
}

/** A backend that ends its connection when it should not. */
const FAILURES: Cases = {
  "answers 502 when the connection is closed without an answer": {
    answer: "",
    then: "ends",
    gets: BAD_GATEWAY,
    counts: lost,
    log: { status: 502, backend: "one", error: expect.stringMatching(/^Backend one /) },
  },
  "answers 502 when the connection is reset without an answer, and keeps that of the client": {
    says: KEPT,
    answer: "",
    then: "resets",
    gets: BAD_GATEWAY,
    lasts: true,
    counts: { requests: 2, errors: 1 },
  },
  "never ends an answer as if it were whole whose length the connection ends before": brokenOff(HALF_LENGTH, "ends"),
  "never ends an answer as if it were whole that is reset before its length": brokenOff(HALF_LENGTH, "resets"),
  "never ends an answer as if it were whole whose connection ends between chunks": brokenOff(HALF_CHUNKS, "ends"),
  "never ends an answer as if it were whole that is reset between chunks": brokenOff(HALF_CHUNKS, "resets"),
  "resets the connection of a client to whom its end would mean a complete answer": {
    says: GET_1_0,
    answer: HALF_CHUNKS,
    then: "ends",
    gets: /half$|^$/,
    isReset: true,
    counts: lost,
  },
};

describe.each(WAYS_OF_SOCKETS)("by %s", (transport) => {
  it.each(Object.entries(REQUEST_HEADERS))("headers of a request %s", (_, exchange) =>
    expectExchange(transport, exchange),
  );
  it.each(Object.entries(OWN_LINES))("own lines stand before all others: %s", async (_, { options, says, own }) => {
    const backend = await startWireBackend();
    const { port } = await startBefore({ url: `${backend.url}/base` }, { transport, ...options });
    await wireClient(port, says).until(/\/base\/$/);
    const [request] = backend.requests();
    expect(request?.target).toBe("/base/");
    const lines = request?.lines ?? [];
    const first = lines.indexOf("X-First: 1");
    const before = lines.slice(0, first);
    expect(before).toEqual(expect.arrayContaining(["X-Forwarded-For: 127.0.0.1", ...(own ?? [])]));
    const isOwn = (line: string): boolean => /^(?:x-)?forwarded|^(?:via|upgrade|transfer-encoding):/i.test(line);
    expect(before.filter((line) => !isOwn(line) && !/^(?:connection: upgrade$|host:)/i.test(line))).toEqual([]);
    expect(lines.slice(first).filter(isOwn)).toEqual([]);
  });
  it("answers bytes that are no request behind a HEAD with a reason, and tells of no path", async () => {
    const { port, entries } = await startBefore(await startWireBackend(), { transport });
    const text = await say(port, "HEAD /before HTTP/1.1\r\nHost: a\r\n\r\n\x16\x03\x01");
    expect(text).toMatch(/\r\n\r\nThe request cannot be read: it does not begin with a method\.\n$/);
    expect(entries.map(({ method, path, status }) => ({ method, path, status }))).toEqual([
      { method: "HEAD", path: "/before", status: 200 },
      { method: "", path: "", status: 400 },
    ]);
  });
  it.each([401, 417])("passes a %i on before the body that the client holds back, and closes", async (status) => {
    const backend = await startSaying(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    const { port, stats } = await startBefore(backend, { transport });
    const text = await say(port, `${POST}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`);
    // Whether a body is still to come cannot be told, so that nothing else can be read from this client.
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} No\\r\\n[^]*Connection: close\\r\\n\\r\\n$`));
    expect(stats()).toEqual({ one: { requests: 1, errors: 0, aborted: 0, inFlight: 0 } });
  });
  it.each([
    ["grows too long", "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n", /is longer than 10 bytes\.$/],
    ["cannot be read", "nonsense\r\n", /cannot be read: /],
  ])("breaks an answer off when its request's body %s, and never ends that as if whole", async (_, more, error) => {
    const received: Buffer[] = [];
    const backend = await startRawBackend((socket) => {
      socket.once("data", () => socket.write(`${CHUNKED}5\r\nearly\r\n`));
      endWithPeer(socket).on("data", (piece) => received.push(piece));
    });
    const { port, entries, stats } = await startBefore(backend, { transport, limits: { bodyBytes: 10 } });
    const client = wireClient(port, `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n`);
    await client.until(/early/);
    client.write(more);
    expect(await client.ended()).toMatch(/early\r\n$/);
    await expectSoon(() => backend.open()).toEqual([]);
    expect(Buffer.concat(received).toString()).toMatch(/\r\n\r\n5\r\nfirst\r\n(?:5\r\nhello\r\n)?$/);
    await expectSoon(() => entries).toMatchObject([{ status: 200, error: expect.stringMatching(error) }]);
    expect(stats()).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
  });
  it("names a backend in the same bytes, whoever answers", async () => {
    const backend = await startRawBackend((socket) => {
      socket.on("data", (piece) => void (piece.includes("/502") ? socket.destroy() : socket.write(plainAnswer("ok"))));
    });
    const backends = [{ url: backend.url, name: "Zürich" }];
    const { port } = await startBalancer({ transport, backends, backendHeader: "x-backend", retries: 0 });
    const name = Buffer.from("Zürich").toString("latin1");
    for (const status of [200, 502]) {
      const text = await say(port, `POST /${status} HTTP/1.1\r\nHost: a\r\n${CLOSE}Content-Length: 0\r\n\r\n`);
      expect([statusesIn(text), valuesOf(text.split("\r\n"), "x-backend")]).toEqual([[status], [name]]);
    }
  });
  it("lets a client that was told late to go on take the time for its body that any other has", async () => {
    // What keeps the time of requests: it goes on where the test says so.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const asked: Socket[] = [];
    const backend = await startRawBackend((socket) => {
      socket.once("data", () => asked.push(socket));
      socket.on("data", (piece) => void (piece.includes("body") && socket.write(plainAnswer("ok"))));
    });
    const { port } = await startBefore(backend, { transport, timeouts: { idleMs: 1000 } });
    const client = wireClient(port, `${POST}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`);
    await expectSoon(() => asked.length).toBe(1);
    vi.advanceTimersByTime(1500);
    asked[0]?.write("HTTP/1.1 100 Continue\r\n\r\n");
    await client.until(/100 Continue\r\n\r\n$/);
    vi.advanceTimersByTime(500);
    client.write("body");
    await client.until(/ 200 [^]*ok$/);
  });
  it("tells clients neither the backend nor the system's error, and logs both, unless it is to", async () => {
    const silent = await startRawBackend(() => undefined);
    const cases = [
      { url: GONE_URL, status: 502, text: "The backend gave no complete answer.", reason: /ECONNREFUSED/ },
      { url: silent.url, status: 504, text: "The backend did not answer in time.", reason: /within 50 ms/ },
    ];
    for (const { url, status, text, reason } of cases) {
      const options = { transport, timeouts: { responseMs: 50 } };
      const quiet = await startBefore({ url }, { ...options, errorDetails: false });
      expect(await say(quiet.port, get())).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\\r\\n\\r\\n${text}\\n$`));
      const error = expect.stringMatching(reason);
      await expectSoon(() => quiet.entries).toMatchObject([{ status, backend: "one", error }]);
      const open = await startBefore({ url }, { ...options, errorDetails: true });
      expect(await say(open.port, get())).toMatch(reason);
    }
  });
  it.each(Object.entries(ANSWER_HEADERS))("headers of an answer %s", (_, exchange) =>
    expectExchange(transport, exchange),
  );
  it.each(Object.entries(MESSAGES))("%s", (_, exchange) => expectExchange(transport, exchange));
  it.each(WITHOUT_BODY)("an answer to %s %s keeps the client's connection", (method, _, answer, length) =>
    expectExchange(transport, withoutBody(method, answer, length)),
  );
  it.each(Object.entries(FAILURES))("the balancer %s", (_, exchange) => expectExchange(transport, exchange));
});
