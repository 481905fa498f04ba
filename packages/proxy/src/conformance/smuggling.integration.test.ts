import { describe, expect, it } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import type { LimitOptions } from "../options/options.js";
import { startBefore } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { secondOpinion, startWireBackend, statusesIn, wireClient } from "../test-support/wire.js";

type Seen = { readonly target: string; readonly body: string };

/** What becomes of a case: refused with one of these statuses, or passed on as these requests and nothing else. */
type Outcome = readonly number[] | { readonly passed: readonly Seen[]; readonly orRefused?: readonly number[] };

interface Case {
  readonly name: string;
  readonly bytes: string;
  readonly outcome: Outcome;
  /** The balancer ends the connection behind what it passed on. */
  readonly closes?: boolean;
  readonly limits?: LimitOptions;
}

const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: evil\r\n\r\n";

/** A POST whose framing is in question: to a reader that believes in no chunks, the smuggled request is its body. */
function framed(name: string, headers: string, outcome: Outcome = [400, 501]): Case {
  return { name, bytes: `POST /first HTTP/1.1\r\nHost: a\r\n${headers}\r\n0\r\n\r\n${SMUGGLED}`, outcome };
}

/** A length that is in question: to a reader that takes it for 0, the body is the smuggled request. */
function measured(name: string, headers: string, outcome: Outcome = [400]): Case {
  return { name, bytes: `POST /first HTTP/1.1\r\nHost: a\r\n${headers}\r\nabcde${SMUGGLED}`, outcome };
}

/** A GET whose head is in question. */
function headed(name: string, head: string, outcome: Outcome = [400]): Case {
  return { name, bytes: `${head}${SMUGGLED}`, outcome };
}

/** A chunked body that is in question. */
function chunked(name: string, body: string, outcome: Outcome = [400]): Case {
  const head = "POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  return { name, bytes: `${head}${body}${SMUGGLED}`, outcome };
}

/** Understood as the sender meant it, with the second request as one of its own right. */
function understood(body: string, orRefused: readonly number[] = [], target = "/first"): Outcome {
  const second = { target: "/smuggled", body: "" };
  return { passed: [{ target, body }, second], orRefused };
}

/** Several texts, with spaces in them. */
const listOf = (texts: string): readonly string[] => texts.split(" | ");
/** What a text looks like in the name of a test. */
const shown = (text: string): string => JSON.stringify(text);
const GET = "GET /first HTTP/1.1\r\nHost: a\r\n";
const CODED = "Transfer-Encoding: chunked\r\n";
const inBody = { passed: [{ target: "/first", body: SMUGGLED }] };

const FRAMED: readonly Case[] = [
  framed("Content-Length before Transfer-Encoding", `Content-Length: 6\r\n${CODED}`),
  framed("Transfer-Encoding before Content-Length", `${CODED}Content-Length: 6\r\n`),
  framed("both in other cases", "content-LENGTH: 6\r\ntransfer-ENCODING: CHUNKED\r\n"),
  framed("chunks and a length that Connection names", `Connection: content-length\r\nContent-Length: 6\r\n${CODED}`),
  framed("a space before the colon of Transfer-Encoding", "Content-Length: 6\r\nTransfer-Encoding : chunked\r\n"),
  framed("a tab before the colon of Transfer-Encoding", "Content-Length: 6\r\nTransfer-Encoding\t: chunked\r\n"),
  framed("a tab before chunked", "Transfer-Encoding:\tchunked\r\n", understood("")),
  framed("blanks around chunked", "Transfer-Encoding:  \t chunked \t \r\n", understood("", [400])),
  framed("CHUNKED in capitals", "Transfer-Encoding: CHUNKED\r\n", understood("")),
  ...listOf(
    'xchunked | chunkedx | chunked;q=1 | "chunked" | chunked, identity | identity, chunked | gzip, chunked | ' +
      "chunked, chunked | chunked, | ,chunked | identity |  | \x0bchunked | \x0cchunked | \0chunked | \xa0chunked",
  ).map((coding) => framed(`the coding ${shown(coding)}`, `Transfer-Encoding: ${coding}\r\n`)),
  framed("an empty coding and then chunked", `Transfer-Encoding:\r\n${CODED}`),
  framed("two codings on two lines", CODED.repeat(2)),
  framed("two different codings on two lines", `Transfer-Encoding: identity\r\n${CODED}`),
  framed("a folded Transfer-Encoding", "Transfer-Encoding:\r\n chunked\r\n", understood("", [400])),
  framed(
    "a Transfer-Encoding folded into another header",
    `X-A: b\r\n ${CODED}Content-Length: 5\r\n`,
    understood("0\r\n\r\n", [400]),
  ),
  framed(
    "a header that only looks like Transfer-Encoding",
    "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n",
    understood("0\r\n\r\n"),
  ),
  framed("a Transfer-Encoding behind a bare CR", `X-A: b\r${CODED}`),
  {
    name: "chunks in HTTP/1.0",
    bytes: `POST /first HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n${CODED}\r\n0\r\n\r\n${SMUGGLED}`,
    outcome: [400],
  },
];

const MEASURED: readonly Case[] = [
  measured("the same Content-Length twice", "Content-Length: 5\r\nContent-Length: 5\r\n"),
  measured("two different Content-Lengths", "Content-Length: 0\r\nContent-Length: 5\r\n"),
  ...listOf(
    "5, 5 | 0, 5 | +5 | -1 | 0x5 | 5 5 | 5, | 5.0 | 1e1 |  | 99999999999999999999 | 99999999999999999 | \x0b5",
  ).map((length) => measured(`the length ${shown(length)}`, `Content-Length: ${length}\r\n`)),
  measured("a space before the colon of Content-Length", "Content-Length : 5\r\n"),
  measured("a length with zeros before it", "Content-Length: 0005\r\n", understood("abcde")),
  measured("a length behind a tab", "Content-Length:\t5\r\n", understood("abcde")),
  measured(
    "a length that Connection names",
    "Connection: Content-Length\r\nContent-Length: 5\r\n",
    understood("abcde"),
  ),
  measured("a folded length", "Content-Length:\r\n 5\r\n", understood("abcde", [400])),
  measured("a length folded in two", "Content-Length: 0\r\n 5\r\n", [400]),
];

const HEADED: readonly Case[] = [
  headed("a folded header", `${GET}X-A: b\r\n c\r\n\r\n`, understood("", [400])),
  headed("a fold before the first header", "GET /first HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n"),
  headed("lines that end with a bare LF", "GET /first HTTP/1.1\nHost: a\n\n", understood("", [400])),
  headed("a head that ends with a bare LF", `${GET}\n`, understood("", [400])),
  headed("a bare CR as the end of a line", "GET /first HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n"),
  headed("a bare CR as the end of the head", `${GET}\rX`),
  ...listOf(
    "X-A: b\rc | X-A: b\0c | X\0A: b | X-A: b\x01c | X-A: b\x7fc | X\x01A: b | X\xe9A: b | X(A): b | X A: b | X-A : b | X-A | : b | Host: b | host: a",
  ).map((line) => headed(`the header ${shown(line)} behind a Host`, `${GET}${line}\r\n\r\n`)),
  headed("no Host", "GET /first HTTP/1.1\r\nX-A: b\r\n\r\n"),
  headed("an empty Host", "GET /first HTTP/1.1\r\nHost:\r\n\r\n", understood("")),
  ...listOf('a/b | a@b | a b | a"b | a, b | a\xe9 | a:b').map((host) =>
    headed(`the Host ${shown(host)}`, `GET /first HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  ),
  headed("a URL with another Host", "GET http://other/first HTTP/1.1\r\nHost: a\r\n\r\n", understood("")),
  ...listOf(
    "http://user@other/first | http:///first | ftp://other/first | first | /first\tb | /first\x0cb | /first\x0bb | /first\0b | /first\rb | /fir st | /first HTTP/1.1 GET /second | *",
  ).map((target) => headed(`the target ${shown(target)}`, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)),
  headed("two spaces before the target", "GET  /first HTTP/1.1\r\nHost: a\r\n\r\n", understood("", [400])),
  headed("two spaces before the version", "GET /first  HTTP/1.1\r\nHost: a\r\n\r\n", understood("", [400])),
  headed("a tab before the target", "GET\t/first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a target above ASCII", "GET /fir\xe9st HTTP/1.1\r\nHost: a\r\n\r\n", understood("", [400], "/fir\xe9st")),
  ...listOf("HTTP/1.2 | HTTP/0.9 | HTTP/2.0 | HTTP/1.10").map((version) =>
    headed(`the version ${version}`, `GET /first ${version}\r\nHost: a\r\n\r\n`, [400, 505]),
  ),
  headed("HTTP in small letters", "GET /first http/1.1\r\nHost: a\r\n\r\n"),
  headed("HTTP/2.0 kept alive", "GET /first HTTP/2.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", [400, 505]),
  headed("the method of the preface of HTTP/2", "PRI * HTTP/1.1\r\nHost: a\r\n\r\n", [400, 505]),
  headed("half of the preface of HTTP/2", "PRI * HTTP/1.0\r\n\r\nSM\r\n\r\n", [400, 505]),
  headed("no version", "GET /first\r\nHost: a\r\n\r\n", [400, 505]),
  headed("a method that is none", "G@T /first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a method in small letters", "get /first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", [501]),
  headed("an expectation that nobody knows", `${GET}Expect: 200-maybe\r\n\r\n`, [417]),
];

const ABCDE = "\r\nabcde\r\n0\r\n\r\n";
const TRAILED = "5\r\nabcde\r\n0\r\n";
const CHUNKED: readonly Case[] = [
  chunked("an ordinary body", `5${ABCDE}`, understood("abcde")),
  chunked("sizes with zeros and capitals", "000A\r\nabcdefghij\r\n00\r\n\r\n", understood("abcdefghij")),
  ...listOf("0x5 | -1 | +5 | 10000000000000005 | ffffffffffffffffff | xyz |  |   5").map((size) =>
    chunked(`the size ${shown(size)}`, `${size}${ABCDE}`),
  ),
  chunked("a space behind a size", `5 ${ABCDE}`, understood("abcde", [400])),
  chunked("a size with a line end of LF", "5\nabcde\r\n0\r\n\r\n"),
  chunked("a size with a line end of CR", "5\rabcde\r\n0\r\n\r\n"),
  chunked("no line end behind a chunk", "5\r\nabcde0\r\n\r\n"),
  chunked("a line end of LF behind a chunk", "5\r\nabcde\n0\r\n\r\n"),
  chunked("more in a chunk than its size", "5\r\nabcdefg\r\n0\r\n\r\n"),
  chunked("an extension", "5;a=b\r\nabcde\r\n0;c\r\n\r\n", understood("abcde")),
  chunked("an extension in quotes", `5;a="b;c"${ABCDE}`, understood("abcde")),
  chunked("an extension that ends with LF", "5;a=\nabcde\r\n0\r\n\r\n"),
  chunked("an extension with a CR in it", `5;a\rb${ABCDE}`),
  chunked("an extension of 100 KB", `5;${"a".repeat(100_000)}${ABCDE}`, [400, 413]),
  chunked("trailers", `${TRAILED}X-Sum: 1\r\n\r\n`, understood("abcde")),
  chunked("a Content-Length in the trailers", `${TRAILED}Content-Length: 99\r\n\r\n`, understood("abcde", [400])),
  chunked("a Transfer-Encoding in the trailers", `${TRAILED}${CODED}\r\n`, understood("abcde", [400])),
  chunked("a Host in the trailers", `${TRAILED}Host: evil\r\n\r\n`, understood("abcde")),
  chunked("a trailer without a colon", `${TRAILED}GET /other HTTP/1.1\r\n\r\n`),
  chunked("trailers of 100 KB", `0\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`, [400, 431]),
  chunked("a request as the body", `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`, understood(SMUGGLED)),
];

const LENGTH = `Content-Length: ${SMUGGLED.length}\r\n\r\n`;
const MANY = "a:\r\n".repeat(2100);
const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
const alone = { passed: [{ target: "/first", body: "" }] };
const OTHERS: readonly Case[] = [
  ...listOf("GET | HEAD").map((method) =>
    headed(`a ${method} with a body`, `${method} /first HTTP/1.1\r\nHost: a\r\n${LENGTH}`, inBody),
  ),
  ...listOf("GET | DELETE | OPTIONS | HEAD").map((method) => ({
    name: `a ${method} in chunks`,
    bytes: `${method} /first HTTP/1.1\r\nHost: a\r\n${CODED}\r\n${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
    outcome: inBody,
  })),
  headed("a request for h2c with another request behind it", `${GET}${H2C}\r\n`, understood("")),
  { ...headed("a request behind one that asked to close", `${GET}Connection: close\r\n\r\n`, alone), closes: true },
  ...[
    headed("a header behind two thousand others", `POST /first HTTP/1.1\r\nHost: a\r\n${MANY}${LENGTH}`, inBody),
    headed("a Host behind two thousand other headers", `${GET}${MANY}Host: b\r\n\r\n`),
  ].map((each) => ({ ...each, limits: { headLines: Infinity } })),
];

const CASES: readonly Case[] = [...FRAMED, ...MEASURED, ...HEADED, ...CHUNKED, ...OTHERS];

/** In an order of their own: requests of one client may go to a backend at the same time. */
function sorted(requests: readonly Seen[]): Seen[] {
  return requests
    .map(({ target, body }) => ({ target, body }))
    .toSorted((one, other) => one.target.localeCompare(other.target));
}

/** How a client of HTTP/2 begins: the preface, and a frame with settings. */
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS = "\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0d";

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  it.each([
    ["the preface of HTTP/2", PREFACE, [200, 505]],
    ["the preface of HTTP/2, when the answer has come", PREFACE, [200, 505], true],
    ["frames of HTTP/2", SETTINGS, [200, 400]],
    ["another request for h2c, and then the preface", `${GET}${H2C}\r\n${PREFACE}`, [200, 200, 505]],
  ] as const)("refuses %s behind a request for h2c, and sends the backend nothing of it", async (...args) => {
    const [, behind, expected, waits] = args;
    const backend = await startWireBackend();
    const { port } = await startBefore(backend, { transport });
    const rest = behind + SETTINGS + SMUGGLED;
    const client = wireClient(port, `${GET}${H2C}\r\n${waits === true ? "" : rest}`);
    if (waits === true) {
      await client.until(/\/first$/);
      client.write(rest);
    }
    const text = await client.ended();
    expect(statusesIn(text)).toEqual(expected);
    expect(text).not.toContain("101");
    const passed = backend.received().join("");
    expect(passed).not.toMatch(/PRI|SM\r\n|\0|smuggled|h2c|settings/i);
    expect(backend.requests().map(({ target }) => target)).toEqual(expected.slice(1).map(() => "/first"));
  });

  it.each(CASES)("never splits otherwise than its backend: $name", async ({ bytes, outcome, closes, limits = {} }) => {
    const backend = await startWireBackend();
    const { port, snapshot } = await startBefore(backend, { transport, limits });
    const client = wireClient(port, bytes);
    const passed = "passed" in outcome ? outcome.passed : [];
    if ("passed" in outcome) await client.until(new RegExp(`(?:HTTP[^]*){${passed.length}}|HTTP/1.1 [45]`));
    // Had the balancer kept something of the first request back, this one would not be understood.
    client.write("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const statuses = statusesIn(await client.ended());
    await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
    const seen = sorted(backend.requests());
    const refusals = "passed" in outcome ? (outcome.orRefused ?? []) : outcome;
    const isRefused = passed.length === 0 || refusals.includes(statuses[0] ?? 0);
    const all = closes === true ? passed : [...passed, { target: "/last", body: "" }];
    const understoodAs = isRefused ? [] : all;
    const expected = isRefused
      ? statuses.filter((status) => refusals.includes(status)).slice(0, 1)
      : all.map(() => 200);
    expect(expected).not.toEqual([]);
    expect(statuses).toEqual(expected);
    expect(seen).toEqual(sorted(understoodAs));
    expect(isRefused && backend.received().some((wire) => wire.includes("/smuggled"))).toBe(false);
    // Where a refused request had got as far as the backend, what is there is no whole request: nothing to read.
    const opinions = await Promise.all(isRefused ? [] : backend.received().map((wire) => secondOpinion(wire)));
    expect(sorted(opinions.flat())).toEqual(sorted(understoodAs));
  });
});
