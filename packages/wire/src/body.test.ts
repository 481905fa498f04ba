import { describe, expect, it, vi } from "vitest";
import { BodyScan } from "./body.js";
import { AnswerHead, HeaderLines, RequestHead } from "./head.js";

type Mode = "pass" | "payload";

/** What became of a body: the bytes to pass on and where it ended, or what is wrong with it. */
interface Taken {
  readonly passed: string;
  readonly end: number | undefined;
  readonly trailers: string;
  readonly payloadBytes: number;
}

/** Feeds bytes (as latin1) to a scan that has begun, in pieces that end at these places. */
function takeAll(scan: BodyScan, bytes: string, ends: readonly number[] = []): Taken | string {
  let passed = "";
  let end: number | undefined;
  let pieceStart = 0;
  for (const pieceEnd of [...ends, bytes.length]) {
    // Each piece in memory of its own, as far as it has come, with line ends behind it.
    const memory = Buffer.from(`${bytes.slice(pieceStart, pieceEnd)}\n\r\n`, "latin1");
    for (let at = 0; at < pieceEnd - pieceStart && !scan.done; at = scan.next) {
      const taken = scan.take(memory, at, pieceEnd - pieceStart);
      if (taken < 0) return scan.reason;
      expect(taken).toBeLessThanOrEqual(scan.next);
      expect(scan.next > at).toBe(true);
      passed += memory.toString("latin1", at, taken);
      if (scan.done) end = pieceStart + scan.next;
    }
    pieceStart = pieceEnd;
  }
  if (scan.done && !scan.endWritten) passed += `${scan.trailers}\r\n`;
  return { passed, end, trailers: scan.trailers, payloadBytes: scan.payloadBytes };
}

const scans = { pass: new BodyScan(), payload: new BodyScan() };

function takeChunks(mode: Mode, bytes: string, ends?: readonly number[]): Taken | string {
  scans[mode].beginChunked(mode);
  return takeAll(scans[mode], bytes, ends);
}

function everyPlaceOf(bytes: string): number[] {
  return Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
}

/** What becomes of a body that comes at once, in two pieces cut anywhere, and byte by byte: each time the same. */
function takeInAllWays(mode: Mode, bytes: string): Taken | string {
  const whole = takeChunks(mode, bytes);
  const places = everyPlaceOf(bytes);
  for (const place of bytes.length > 2000 ? [] : places) expect(takeChunks(mode, bytes, [place])).toEqual(whole);
  expect(takeChunks(mode, bytes, places)).toEqual(whole);
  return whole;
}

interface Body {
  readonly says: string;
  readonly payload: string;
  /** As it goes on, with its trailers; by default as it came. */
  readonly passed?: string;
  readonly trailers?: string;
}

const END = "0\r\n\r\n";
const ABCDE = `\r\nabcde\r\n${END}`;
const TRAILED = "5\r\nabcde\r\n0\r\n";

const BODIES: Readonly<Record<string, Body>> = {
  "one chunk": { says: `5${ABCDE}`, payload: "abcde" },
  "no chunk": { says: END, payload: "" },
  "several, also such as look like others": { says: `3\r\n0\r\n\r\n2\r\n\r\n\r\n${END}`, payload: "0\r\n\r\n" },
  "sizes with zeros and capitals": { says: "000A\r\nabcdefghij\r\n00\r\n\r\n", payload: "abcdefghij" },
  "a size of fifteen digits": { says: `${"5".padStart(15, "0")}${ABCDE}`, payload: "abcde" },
  "extensions are left out": {
    says: '5;a=b;c\r\nabcde\r\n2;d="e;\\" \xe9"\r\nfg\r\n0;h=i\r\n\r\n',
    passed: `5\r\nabcde\r\n2\r\nfg\r\n${END}`,
    payload: "abcdefg",
  },
  "trailers are kept apart": {
    says: `${TRAILED}X-Sum: 1\r\nx-sum:\tJ\xf6 \r\n\r\n`,
    passed: `${TRAILED}X-Sum: 1\r\nx-sum: J\xf6\r\n\r\n`,
    payload: "abcde",
    trailers: "X-Sum: 1\r\nx-sum: J\xf6\r\n",
  },
  "trailers that would change the message are left out": {
    says: `${TRAILED}Content-Length: 9\r\nHOST: evil\r\nX-A: b\r\nset-cookie: c\r\nTransfer-Encoding: x\r\n\r\n`,
    passed: `${TRAILED}X-A: b\r\n\r\n`,
    payload: "abcde",
    trailers: "X-A: b\r\n",
  },
};

const NO_NUMBER = "the size of a chunk is no number";
const TOO_LONG = "the size of a chunk is too long";
const NO_END = "a chunk does not end where its size says";
const NO_TRAILER = "its trailers cannot be read: one of its headers is not NAME: VALUE";
const NO_LINE_END = "its trailers cannot be read: one of its lines does not end with CR and LF";
const NO_EXTENSION = "an extension of a chunk is not NAME=VALUE";
const MALFORMED: readonly (readonly [what: string, bytes: string, reason: string])[] = [
  ...["0x5", "-1", "+5", "xyz", "g", "", "  5", "5 ", "5\t", "\r5", "5,"].map(
    (size) => [`the size ${JSON.stringify(size)}`, `${size}${ABCDE}`, NO_NUMBER] as const,
  ),
  ["a size of sixteen digits", `${"5".padStart(16, "0")}${ABCDE}`, TOO_LONG],
  ["a size above 2^53", `20000000000001${ABCDE}`, TOO_LONG],
  ["a line end of LF behind a size", "5\nabcde\r\n", NO_NUMBER],
  ["a line end of CR behind a size", "5\rabcde\r\n", "the size of a chunk does not end with CR and LF"],
  ["no line end behind a chunk", `5\r\nabcde${END}`, NO_END],
  ["another byte for the CR behind a chunk", `5\r\nabcdeX\n${END}`, NO_END],
  ["a line end of LF behind a chunk", `5\r\nabcde\n${END}`, NO_END],
  ["a line end of CR behind a chunk", `5\r\nabcde\r${END}`, NO_END],
  ["more in a chunk than its size", `5\r\nabcdefg\r\n${END}`, NO_END],
  ["an extension with a CR", `5;a\rb${ABCDE}`, "the size of a chunk does not end with CR and LF"],
  ...["", ";", "=b", "a=", "a b", " a=b", 'a="', 'a="b"c', "a=b\n", "a\0"].map(
    (extension) => [`the extension ${JSON.stringify(extension)}`, `5;${extension}${ABCDE}`, NO_EXTENSION] as const,
  ),
  ["a trailer without a colon", `${TRAILED}GET / HTTP/1.1\r\n\r\n`, NO_TRAILER],
  ["a folded trailer", `${TRAILED}X-A: b\r\n c\r\n\r\n`, NO_TRAILER],
  ["a bare LF behind the trailers", `${TRAILED}X-A: b\r\n\n`, NO_TRAILER],
  ["a CR behind the last chunk", `0\r\n\rX`, NO_LINE_END],
];
const MANY = "extensions of its chunks and trailers are longer than 16384 bytes";

describe("a body in chunks", () => {
  it.each(Object.entries(BODIES))(
    "is followed to its end: %s",
    (_, { says, passed = says, payload, trailers = "" }) => {
      const last = { end: says.length, trailers, payloadBytes: payload.length };
      // What stands behind it is not touched.
      for (const behind of ["", "GET / HTTP/1.1\r\n"]) {
        expect(takeInAllWays("pass", says + behind)).toEqual({ passed, ...last });
        const plain = `${payload}${trailers}\r\n`;
        expect(takeInAllWays("payload", says + behind)).toEqual({ passed: plain, ...last });
      }
    },
  );

  it("is refused as soon as an extension has a control character", () => {
    expect(takeChunks("pass", "0;a\n")).toMatch(NO_EXTENSION);
  });

  it("goes on as one piece with the end in it, unless there is something to leave out", () => {
    const bytes = Buffer.from(`1\r\na\r\n5${ABCDE}next`);
    const scan = new BodyScan();
    scan.beginChunked("pass");
    expect(scan.take(bytes, 0, bytes.length)).toBe(bytes.length - 4);
    expect(scan).toMatchObject({ done: true, endWritten: true, next: bytes.length - 4, payloadBytes: 6 });
  });

  it("is moved together where it stands, so that many small chunks with extensions come as one piece", () => {
    const large = "x".repeat(100);
    const bytes = Buffer.from(`>${"1;e=f\r\na\r\n".repeat(1000)}64\r\n${large}\r\n5${ABCDE}next`);
    const scan = new BodyScan();
    scan.beginChunked("payload");
    expect(scan.take(bytes, 1, bytes.length)).toBe(1 + 1105);
    expect(bytes.toString("latin1", 0, 1 + 1105)).toBe(`>${"a".repeat(1000)}${large}abcde`);
    expect(bytes.toString("latin1", scan.next)).toBe("next");
    expect(scan).toMatchObject({ done: true, payloadBytes: 1105 });
  });

  it("has trailers that are read once, however small the pieces are in which they come", () => {
    const scanLines = vi.spyOn(HeaderLines.prototype, "scanLines");
    const trailers = `X-A: ${"a".repeat(8000)}\r\n`.repeat(2);
    const body = `0\r\n${trailers}\r\n`;
    expect(takeChunks("pass", body, everyPlaceOf(body))).toMatchObject({ trailers });
    const readBytes = scanLines.mock.calls.reduce((sum, [, from, end]) => sum + end - from, 0);
    scanLines.mockRestore();
    expect(readBytes).toBeLessThan(4 * trailers.length);
  });

  it.each(MALFORMED)("is refused with %s", (_, bytes, reason) => {
    expect(takeInAllWays("pass", bytes)).toBe(reason);
    expect(takeInAllWays("payload", bytes)).toBe(reason);
  });

  it.each([
    ["one extension", `5;${"a".repeat(16_384)}${ABCDE}`],
    ["many extensions", `${"1;ab\r\na\r\n".repeat(5462)}${END}`],
    ["one trailer", `${TRAILED}X-A: ${"a".repeat(16_384)}\r\n\r\n`],
    ["many trailers", `${TRAILED}${"X: y\r\n".repeat(2731)}\r\n`],
  ])("may not have more than 16 KiB beside it: %s", (_, bytes) => {
    expect(takeChunks("pass", bytes)).toBe(MANY);
    const ends = Array.from({ length: Math.floor(bytes.length / 101) }, (__, index) => (index + 1) * 101);
    expect(takeChunks("pass", bytes, ends)).toBe(MANY);
  });
});

describe("any other body", () => {
  it("is as long as was said, though more stands behind it", () => {
    for (const ends of [[], [1], [4], [5], [1, 2, 3, 4, 5, 6]]) {
      scans.pass.beginLength(5);
      expect(takeAll(scans.pass, "abcdeGET", ends)).toMatchObject({ end: 5, payloadBytes: 5 });
    }
  });

  it("may be none", () => {
    scans.pass.beginLength(0);
    expect(scans.pass).toMatchObject({ done: true, payloadBytes: 0, trailers: "" });
    expect(scans.pass.take(Buffer.from("GET"), 1, 3)).toBe(1);
    expect(scans.pass.next).toBe(1);
  });

  it("ends with its connection if nothing else is said", () => {
    scans.pass.beginUntilClose();
    const body = "abcde0\r\n\r\n";
    expect(takeAll(scans.pass, body, [2])).toMatchObject({ passed: body, end: undefined, payloadBytes: 10 });
    expect(scans.pass.done).toBe(false);
  });
});

describe("what a head says of its body", () => {
  const CHUNKS = "Transfer-Encoding: chunked\r\n";
  const LENGTH = "Content-Length: 3\r\n";
  const GET = "GET / HTTP/1.1\r\nHost: a\r\n";
  const OK = "HTTP/1.1 200 OK\r\n";
  const BEHIND = `2\r\nab\r\n${END}`;
  const heads = { requests: new RequestHead({ headBytes: 1000 }), answers: new AnswerHead({ headBytes: 1000 }) };

  it.each([
    ["a request with chunks", GET + CHUNKS, "ab"],
    ["a request with a length", GET + LENGTH, "2\r\n"],
    ["a request with neither", GET, ""],
    ["an answer with chunks", OK + CHUNKS, "ab"],
    ["an answer with a length", OK + LENGTH, "2\r\n"],
    ["an answer with neither, which lasts until the close", OK, BEHIND],
    ["an answer to HEAD with chunks", OK + CHUNKS, "", true],
    ["an answer to HEAD with a length", OK + LENGTH, "", true],
    ["an answer to HEAD with neither", OK, "", true],
    ["a 204 with chunks", `HTTP/1.1 204 No Content\r\n${CHUNKS}`, ""],
    ["a 304 with a length", `HTTP/1.1 304 Not Modified\r\n${LENGTH}`, ""],
    ["a 103 with neither", "HTTP/1.1 103 Early Hints\r\n", ""],
  ])("is followed: %s", (_, head, payload, isToHead = false) => {
    const bytes = Buffer.from(`${head}\r\n`);
    const scan = scans.payload;
    const isRequest = head.startsWith("GET");
    expect((isRequest ? heads.requests : heads.answers).scan(bytes, 0, bytes.length)).toBe(bytes.length);
    if (isRequest) scan.beginRequest(heads.requests, "payload");
    else scan.beginAnswer(heads.answers, "payload", isToHead);
    const isEndless = payload === BEHIND;
    expect(takeAll(scan, BEHIND)).toMatchObject({ passed: isEndless ? BEHIND : `${payload}\r\n` });
    expect([scan.payloadBytes, scan.done, scan.endsByClose]).toEqual([payload.length, !isEndless, isEndless]);
  });
});
