import { describe, expect, it } from "vitest";
import { expectSoon } from "../../test-support/expect-soon.js";
import { startBalancer } from "../../test-support/servers.js";
import { TRANSPORTS } from "../../test-support/transports.js";
import { secondOpinion, startWireBackend, statusesIn, wireClient } from "../../test-support/wire.js";

type Seen = { readonly target: string; readonly body: string };

/** What becomes of a case: refused with one of these statuses, or passed on as these requests and nothing else. */
type Outcome = readonly number[] | { readonly passed: readonly Seen[]; readonly orRefused?: readonly number[] };

interface Case {
  readonly name: string;
  readonly bytes: string;
  readonly outcome: Outcome;
  /** The balancer ends the connection behind what it passed on. */
  readonly closes?: boolean;
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
  return {
    passed: [
      { target, body },
      { target: "/smuggled", body: "" },
    ],
    orRefused,
  };
}

const LF_HEAD = "GET /first HTTP/1.1\nHost: a\n";

const CASES: readonly Case[] = [
  framed("Content-Length before Transfer-Encoding", "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n"),
  framed("Transfer-Encoding before Content-Length", "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n"),
  framed("both in other cases", "content-LENGTH: 6\r\ntransfer-ENCODING: CHUNKED\r\n"),
  framed(
    "a Content-Length named in Connection, with chunks",
    "Connection: content-length\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n",
  ),
  framed("a space before the colon of Transfer-Encoding", "Content-Length: 6\r\nTransfer-Encoding : chunked\r\n"),
  framed("a tab before the colon of Transfer-Encoding", "Content-Length: 6\r\nTransfer-Encoding\t: chunked\r\n"),
  framed("a tab before chunked", "Transfer-Encoding:\tchunked\r\n", understood("")),
  framed("blanks around chunked", "Transfer-Encoding:  \t chunked \t \r\n", understood("", [400])),
  framed("CHUNKED in capitals", "Transfer-Encoding: CHUNKED\r\n", understood("")),
  framed("a coding that only looks like chunked", "transfer-encoding: xchunked\r\n"),
  framed("a coding that only begins like chunked", "transfer-encoding: chunkedx\r\n"),
  framed("chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n"),
  framed("chunked in quotes", 'Transfer-Encoding: "chunked"\r\n'),
  framed("chunked, identity", "Transfer-Encoding: chunked, identity\r\n"),
  framed("identity, chunked", "Transfer-Encoding: identity, chunked\r\n"),
  framed("gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n"),
  framed("chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n"),
  framed("chunked with a comma behind it", "Transfer-Encoding: chunked,\r\n"),
  framed("chunked with a comma before it", "Transfer-Encoding: ,chunked\r\n"),
  framed("identity", "Transfer-Encoding: identity\r\n"),
  framed("an empty coding", "Transfer-Encoding:\r\n"),
  framed("an empty coding and then chunked", "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n"),
  framed("two codings on two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
  framed("two different codings on two lines", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"),
  framed("a vertical tab before chunked", "Transfer-Encoding: \x0bchunked\r\n"),
  framed("a form feed before chunked", "Transfer-Encoding: \x0cchunked\r\n"),
  framed("a NUL before chunked", "Transfer-Encoding: \0chunked\r\n"),
  framed("a no-break space before chunked", "Transfer-Encoding: \xa0chunked\r\n"),
  framed("a folded Transfer-Encoding", "Transfer-Encoding:\r\n chunked\r\n", understood("", [400])),
  framed(
    "a Transfer-Encoding folded into another header",
    "X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    {
      passed: [
        { target: "/first", body: "0\r\n\r\n" },
        { target: "/smuggled", body: "" },
      ],
      orRefused: [400],
    },
  ),
  framed("a header that only looks like Transfer-Encoding", "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n", {
    passed: [
      { target: "/first", body: "0\r\n\r\n" },
      { target: "/smuggled", body: "" },
    ],
  }),
  framed("a Transfer-Encoding behind a bare CR", "X-A: b\rTransfer-Encoding: chunked\r\n"),
  {
    name: "chunks in HTTP/1.0",
    bytes: `POST /first HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
    outcome: [400],
  },
  measured("the same Content-Length twice", "Content-Length: 5\r\nContent-Length: 5\r\n"),
  measured("two different Content-Lengths", "Content-Length: 0\r\nContent-Length: 5\r\n"),
  measured("a list of equal lengths", "Content-Length: 5, 5\r\n"),
  measured("a list of different lengths", "Content-Length: 0, 5\r\n"),
  measured("a length with a plus", "Content-Length: +5\r\n"),
  measured("a negative length", "Content-Length: -1\r\n"),
  measured("a length in hexadecimal digits", "Content-Length: 0x5\r\n"),
  measured("a length with a space in it", "Content-Length: 5 5\r\n"),
  measured("a length with a comma behind it", "Content-Length: 5,\r\n"),
  measured("a length with a fraction", "Content-Length: 5.0\r\n"),
  measured("a length with an exponent", "Content-Length: 1e1\r\n"),
  measured("an empty length", "Content-Length:\r\n"),
  measured("a length of 20 digits", "Content-Length: 99999999999999999999\r\n"),
  measured("a length of 17 digits", "Content-Length: 99999999999999999\r\n"),
  measured("a length behind a vertical tab", "Content-Length: \x0b5\r\n"),
  measured("a space before the colon of Content-Length", "Content-Length : 5\r\n"),
  measured("a length with zeros before it", "Content-Length: 0005\r\n", understood("abcde")),
  measured("a length behind a tab", "Content-Length:\t5\r\n", understood("abcde")),
  measured(
    "a Content-Length that Connection names",
    "Connection: Content-Length\r\nContent-Length: 5\r\n",
    understood("abcde"),
  ),
  measured("a folded length", "Content-Length:\r\n 5\r\n", understood("abcde", [400])),
  measured("a length folded in two", "Content-Length: 0\r\n 5\r\n", [400]),
  headed("a folded header", "GET /first HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n", understood("", [400])),
  headed("a fold before the first header", "GET /first HTTP/1.1\r\n Host: a\r\nHost: b\r\n\r\n"),
  headed("lines that end with a bare LF", `${LF_HEAD}\n`, understood("", [400])),
  headed("a head that ends with a bare LF", "GET /first HTTP/1.1\r\nHost: a\r\n\n", understood("", [400])),
  headed("a bare CR as the end of a line", "GET /first HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n"),
  headed("a bare CR as the end of the head", "GET /first HTTP/1.1\r\nHost: a\r\n\rX"),
  headed("a bare CR in a value", "GET /first HTTP/1.1\r\nHost: a\r\nX-A: b\rc\r\n\r\n"),
  headed("a NUL in a value", "GET /first HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n"),
  headed("a NUL in a name", "GET /first HTTP/1.1\r\nHost: a\r\nX\0A: b\r\n\r\n"),
  headed("a control character in a value", "GET /first HTTP/1.1\r\nHost: a\r\nX-A: b\x01c\r\n\r\n"),
  headed("a DEL in a value", "GET /first HTTP/1.1\r\nHost: a\r\nX-A: b\x7fc\r\n\r\n"),
  headed("a control character in a name", "GET /first HTTP/1.1\r\nHost: a\r\nX\x01A: b\r\n\r\n"),
  headed("a byte above ASCII in a name", "GET /first HTTP/1.1\r\nHost: a\r\nX\xe9A: b\r\n\r\n"),
  headed("a parenthesis in a name", "GET /first HTTP/1.1\r\nHost: a\r\nX(A): b\r\n\r\n"),
  headed("a space in a name", "GET /first HTTP/1.1\r\nHost: a\r\nX A: b\r\n\r\n"),
  headed("a space before the colon", "GET /first HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n"),
  headed("a header without a colon", "GET /first HTTP/1.1\r\nHost: a\r\nX-A\r\n\r\n"),
  headed("a header without a name", "GET /first HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
  headed("two Hosts", "GET /first HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
  headed("the same Host twice", "GET /first HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"),
  headed("no Host", "GET /first HTTP/1.1\r\nX-A: b\r\n\r\n"),
  headed("an empty Host", "GET /first HTTP/1.1\r\nHost:\r\n\r\n"),
  headed("a Host with a slash", "GET /first HTTP/1.1\r\nHost: a/b\r\n\r\n"),
  headed("a Host with a user", "GET /first HTTP/1.1\r\nHost: a@b\r\n\r\n"),
  headed("a Host with a space", "GET /first HTTP/1.1\r\nHost: a b\r\n\r\n"),
  headed("a Host with a quote", 'GET /first HTTP/1.1\r\nHost: a"b\r\n\r\n'),
  headed("a Host with a comma", "GET /first HTTP/1.1\r\nHost: a, b\r\n\r\n"),
  headed("a Host with a byte above ASCII", "GET /first HTTP/1.1\r\nHost: a\xe9\r\n\r\n"),
  headed("a Host with a port that is none", "GET /first HTTP/1.1\r\nHost: a:b\r\n\r\n"),
  headed("a URL with another Host", "GET http://other/first HTTP/1.1\r\nHost: a\r\n\r\n", understood("")),
  headed("a URL with a user", "GET http://user@other/first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a URL without a host", "GET http:///first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a URL of another scheme", "GET ftp://other/first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a target that is no path", "GET first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("two spaces before the target", "GET  /first HTTP/1.1\r\nHost: a\r\n\r\n", understood("", [400])),
  headed("two spaces before the version", "GET /first  HTTP/1.1\r\nHost: a\r\n\r\n", understood("", [400])),
  headed("a tab before the target", "GET\t/first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a tab in the target", "GET /first\tb HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a form feed in the target", "GET /first\x0cb HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a vertical tab in the target", "GET /first\x0bb HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a NUL in the target", "GET /first\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a CR in the target", "GET /first\rb HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a space in the target", "GET /fir st HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a second request line in the target", "GET /first HTTP/1.1 GET /second HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed(
    "bytes above ASCII in the target",
    "GET /fir\xe9st HTTP/1.1\r\nHost: a\r\n\r\n",
    understood("", [400], "/fir\xe9st"),
  ),
  headed("HTTP/1.2", "GET /first HTTP/1.2\r\nHost: a\r\n\r\n", [400, 505]),
  headed("HTTP/0.9", "GET /first HTTP/0.9\r\nHost: a\r\n\r\n", [400, 505]),
  headed("HTTP/2.0", "GET /first HTTP/2.0\r\nHost: a\r\n\r\n", [400, 505]),
  headed("HTTP/2.0 kept alive", "GET /first HTTP/2.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", [400, 505]),
  headed("HTTP/1.10", "GET /first HTTP/1.10\r\nHost: a\r\n\r\n", [400, 505]),
  headed("HTTP in small letters", "GET /first http/1.1\r\nHost: a\r\n\r\n"),
  headed("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400, 505]),
  headed("no version", "GET /first\r\nHost: a\r\n\r\n", [400, 505]),
  headed("a method that is none", "G@T /first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("a method in small letters", "get /first HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", [501]),
  headed("GET of *", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
  headed("an expectation that nobody knows", "GET /first HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n", [417]),
  chunked("an ordinary body", "5\r\nabcde\r\n0\r\n\r\n", understood("abcde")),
  chunked("sizes with zeros and capitals", "000A\r\nabcdefghij\r\n00\r\n\r\n", understood("abcdefghij")),
  chunked("a size with 0x", "0x5\r\nabcde\r\n0\r\n\r\n"),
  chunked("a negative size", "-1\r\nabcde\r\n0\r\n\r\n"),
  chunked("a size with a plus", "+5\r\nabcde\r\n0\r\n\r\n"),
  chunked("a size that overflows", "10000000000000005\r\nabcde\r\n0\r\n\r\n"),
  chunked("a huge size", "ffffffffffffffffff\r\nabcde\r\n0\r\n\r\n"),
  chunked("a size that is no number", "xyz\r\nabcde\r\n0\r\n\r\n"),
  chunked("an empty size", "\r\nabcde\r\n0\r\n\r\n"),
  chunked("spaces before a size", "  5\r\nabcde\r\n0\r\n\r\n"),
  chunked("a space behind a size", "5 \r\nabcde\r\n0\r\n\r\n", understood("abcde", [400])),
  chunked("a size with a line end of LF", "5\nabcde\r\n0\r\n\r\n"),
  chunked("a size with a line end of CR", "5\rabcde\r\n0\r\n\r\n"),
  chunked("no line end behind a chunk", "5\r\nabcde0\r\n\r\n"),
  chunked("a line end of LF behind a chunk", "5\r\nabcde\n0\r\n\r\n"),
  chunked("more in a chunk than its size", "5\r\nabcdefg\r\n0\r\n\r\n"),
  chunked("an extension", "5;a=b\r\nabcde\r\n0;c\r\n\r\n", understood("abcde")),
  chunked("an extension in quotes", '5;a="b;c"\r\nabcde\r\n0\r\n\r\n', understood("abcde")),
  chunked("an extension that ends with LF", "5;a=\nabcde\r\n0\r\n\r\n"),
  chunked("an extension with a CR in it", "5;a\rb\r\nabcde\r\n0\r\n\r\n"),
  chunked("an extension of 100 KB", `5;${"a".repeat(100_000)}\r\nabcde\r\n0\r\n\r\n`, [400, 413]),
  chunked("trailers", "5\r\nabcde\r\n0\r\nX-Sum: 1\r\n\r\n", understood("abcde")),
  chunked(
    "a Content-Length in the trailers",
    "5\r\nabcde\r\n0\r\nContent-Length: 99\r\n\r\n",
    understood("abcde", [400]),
  ),
  chunked(
    "a Transfer-Encoding in the trailers",
    "5\r\nabcde\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
    understood("abcde", [400]),
  ),
  chunked("a Host in the trailers", "5\r\nabcde\r\n0\r\nHost: evil\r\n\r\n", understood("abcde")),
  chunked("a trailer without a colon", "5\r\nabcde\r\n0\r\nGET /other HTTP/1.1\r\n\r\n"),
  chunked("trailers of 100 KB", `0\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`, [400, 431]),
  chunked(
    "a smuggled request as the body",
    `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
    understood(SMUGGLED),
  ),
  {
    name: "a GET with a body",
    bytes: `GET /first HTTP/1.1\r\nHost: a\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    outcome: { passed: [{ target: "/first", body: SMUGGLED }] },
  },
  {
    name: "a HEAD with a body",
    bytes: `HEAD /first HTTP/1.1\r\nHost: a\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    outcome: { passed: [{ target: "/first", body: SMUGGLED }] },
  },
  ...["GET", "DELETE", "OPTIONS", "HEAD"].map((method): Case => ({
    name: `a ${method} in chunks`,
    bytes: `${method} /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`,
    outcome: { passed: [{ target: "/first", body: SMUGGLED }] },
  })),
  {
    name: "a request for h2c with what might be frames behind it",
    bytes: `GET /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${SMUGGLED}`,
    outcome: { passed: [{ target: "/first", body: "" }] },
    closes: true,
  },
  {
    name: "a header behind two thousand others",
    bytes: `POST /first HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(2100)}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    outcome: { passed: [{ target: "/first", body: SMUGGLED }] },
  },
  {
    name: "a Host behind two thousand other headers",
    bytes: `GET /first HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(2100)}Host: b\r\n\r\n${SMUGGLED}`,
    outcome: [400],
  },
  {
    name: "a request behind one that asked to close",
    bytes: `GET /first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${SMUGGLED}`,
    outcome: { passed: [{ target: "/first", body: "" }] },
    closes: true,
  },
];

/** In an order of their own: requests of one client may go to a backend at the same time. */
function sorted(requests: readonly Seen[]): Seen[] {
  return requests
    .map(({ target, body }) => ({ target, body }))
    .toSorted((one, other) => one.target.localeCompare(other.target));
}

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  it.each(CASES)("never splits otherwise than its backend: $name", async ({ bytes, outcome, closes }) => {
    const backend = await startWireBackend();
    const { port, snapshot } = await startBalancer({ transport, backends: [{ url: backend.url }] });
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
