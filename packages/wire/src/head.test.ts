import { describe, expect, it } from "vitest";
import { AnswerHead, RequestHead } from "./head.js";

/** Line ends, which stand in no memory by chance: what reads behind its end is found out. */
const JUNK = "\n\r\n\r";

/** Scans bytes (as latin1) as they stand in memory that has been used before, up to each of their ends. */
function scanUpTo<Head extends RequestHead | AnswerHead>(head: Head, bytes: string, length = bytes.length): number {
  const memory = Buffer.from(`${JUNK}${bytes.slice(0, length)}${JUNK}`, "latin1");
  const behind = head.scan(memory, JUNK.length, JUNK.length + length);
  return behind > 0 ? behind - JUNK.length : behind;
}

/** Scans a head as it grows (byte by byte, if it is no long one): it is whole or refused at one place, and behind it. */
function expectSplit(head: RequestHead | AnswerHead, bytes: string): void {
  const step = bytes.length > 2000 ? 997 : 1;
  const last = scanUpTo(head, bytes);
  let length = step;
  while (length < bytes.length && scanUpTo(head, bytes, length) === 0) length += step;
  expect(last > 0 ? length : last).toBe(last);
  for (; length < bytes.length; length += step) expect(scanUpTo(head, bytes, length)).toBe(last);
}

const inMemory = (bytes: string): Buffer => Buffer.from(JUNK + bytes, "latin1");

/** What a proxy does with headers of its own: leaves out what clients say there, reads it, or passes it on. */
const OWN_HEADERS = {
  drops: { dropped: ["x-forwarded-for", "forwarded", "x_own!~"], taken: ["via"] },
  takes: { taken: ["via", "x-forwarded-for", "forwarded"] },
  passes: { taken: ["via"] },
} as const;

const requestHead = (own: keyof typeof OWN_HEADERS, headBytes = 16_384) =>
  new RequestHead({ headBytes, ...OWN_HEADERS[own] });

interface Request {
  readonly says: string;
  /** By default the one that drops. */
  readonly by?: keyof typeof OWN_HEADERS;
  /** Fields of the head. */
  readonly is?: Partial<RequestHead>;
  readonly path?: string;
  readonly via?: string;
  /** Lines that are passed on; by default all of them, in one piece. */
  readonly kept?: string;
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";
const GET_1_0 = GET.replace("1.1", "1.0");
const POST = GET.replace("GET", "POST");
const HOST = "Host: a\r\n";
const WEB_SOCKET = "Upgrade: websocket\r\n";
const CODED = "Transfer-Encoding: chunked\r\n";

const REQUESTS: Readonly<Record<string, Request>> = {
  "a small one is passed on as it stands": {
    says: `GET /a%20b?c=d HTTP/1.1\r\n${HOST}`,
    path: "/a%20b?c=d",
    is: { method: "GET", host: "a", isPlainTarget: true, isHttp10: false, keepAlive: true, contentLength: -1 },
  },
  "empty lines in front are skipped": { says: `\r\n\r\n${GET}`, is: { method: "GET", start: 8 } },
  "a longer method": { says: `PROPFIND /a HTTP/1.1\r\n${HOST}`, path: "/a", is: { method: "PROPFIND" } },
  ...Object.fromEntries(
    ["GOT", "BASELINE-CONTROL", "X", "!#$%&'*+-.^_`|~19az", "M".repeat(32)].map((method): [string, Request] => [
      `the unknown method ${method}`,
      { says: `${method} /a HTTP/1.1\r\n${HOST}`, path: "/a", is: { method } },
    ]),
  ),
  "an empty Host": { says: "GET / HTTP/1.1\r\nHost:\r\n", is: { host: "" } },
  "an empty Host behind blanks": { says: "GET / HTTP/1.1\r\nHost: \r\nX-A: b\r\n", is: { host: "" } },
  "an empty Host of HTTP/1.0": { says: "GET / HTTP/1.0\r\nHost:\r\n", is: { host: "" } },
  "an empty Host behind a URL": {
    says: "GET http://o/ HTTP/1.1\r\nHost:\r\n",
    is: { host: "o", isPlainTarget: false },
    kept: "Host: o\r\n",
  },
  "the host of a URL counts": {
    says: `GET http://Other.test:82?q HTTP/1.1\r\nX-A: b\r\n${HOST}X-C: d\r\n`,
    path: "/?q",
    is: { host: "Other.test:82", isPlainTarget: false },
    kept: "Host: Other.test:82\r\nX-A: b\r\nX-C: d\r\n",
  },
  "the path of a URL": { says: `GET HTTPS://o/p//q?r HTTP/1.1\r\n${HOST}`, path: "/p//q?r", kept: "Host: o\r\n" },
  "a URL from a client of HTTP/1.0 that says no Host": {
    says: "GET http://[::1]:8/ HTTP/1.0\r\nX-A: b\r\n",
    path: "/",
    is: { host: "[::1]:8", keepAlive: false },
    kept: "Host: [::1]:8\r\nX-A: b\r\n",
  },
  "* asks the balancer": { says: `OPTIONS * HTTP/1.1\r\n${HOST}`, path: "*", is: { method: "OPTIONS" } },
  "bytes above ASCII in values": { says: `${GET}X-A: J\xf6rg\r\n` },
  "a client of HTTP/1.0 needs no Host": {
    says: "GET / HTTP/1.0\r\n",
    is: { host: undefined, isHttp10: true, keepAlive: false },
  },
  "a client of HTTP/1.0 may keep its connection": {
    says: `${GET_1_0}Connection: Keep-Alive\r\n`,
    is: { keepAlive: true },
    kept: HOST,
  },
  "close wins over keep-alive": {
    says: `${GET}Connection: keep-alive\r\nX-A: b\r\nConnection: x, CLOSE\r\n`,
    is: { keepAlive: false },
    kept: `${HOST}X-A: b\r\n`,
  },
  "a length": { says: `${POST}Content-Length: 12\r\n`, is: { contentLength: 12, chunked: false } },
  "the longest length": { says: `${POST}Content-Length: ${"9".repeat(15)}\r\n`, is: { contentLength: 10 ** 15 - 1 } },
  "a length with zeros in front is written without": {
    says: `${POST}content-length: 0012\r\nX-A: b\r\n`,
    is: { contentLength: 12 },
    kept: `${HOST}Content-Length: 12\r\nX-A: b\r\n`,
  },
  "a length of zero": { says: `${POST}Content-Length: 0\r\n`, is: { contentLength: 0 } },
  "chunks, which whoever sends the body says": {
    says: `${POST}transfer-ENCODING:\tCHUNKED\r\nX-A: b\r\n`,
    is: { chunked: true, contentLength: -1 },
    kept: `${HOST}X-A: b\r\n`,
  },
  "blanks around a value are made one, or none": {
    says: `${GET}X-A:b\r\nX-B:  \t c \t\r\nX-C:\r\nX-D: \r\nX-E:  \r\nX-F:\td\r\n`,
    kept: `${HOST}X-A:b\r\nX-B: c\r\nX-C:\r\nX-D: \r\nX-E: \r\nX-F: d\r\n`,
  },
  "blanks around Host": {
    says: `GET / HTTP/1.1\r\nHost:   a.test \r\n`,
    is: { host: "a.test" },
    kept: "Host: a.test\r\n",
  },
  "what is of the connection is left out": {
    says: `${GET}Keep-Alive: 9\r\nProxy-Connection: close\r\nTE: trailers\r\nTrailer: X\r\nProxy-Authorization: x\r\nX-A: b\r\n`,
    is: { keepAlive: true },
    kept: `${HOST}X-A: b\r\n`,
  },
  "what Connection names is left out, also in front of it": {
    says: `${GET}X-Hop: 1\r\nX-Kept: 1\r\nConnection: keep-alive,, x-HOP ,te\r\nx-hop: 2\r\n`,
    kept: `${HOST}X-Kept: 1\r\n`,
  },
  "Connection cannot name away what frames and addresses a message": {
    says: `${POST}Connection: Host, Content-Length, Transfer-Encoding, Via, Connection\r\nContent-Length: 2\r\nVia: 1.1 B\r\n`,
    is: { contentLength: 2 },
    via: "1.1 B",
    kept: `${HOST}Content-Length: 2\r\n`,
  },
  "headers to drop are left out": {
    says: `${GET}X-Forwarded-For: 1\r\nforwarded: for=1\r\nX-Forwarded: 1\r\n`,
    kept: `${HOST}X-Forwarded: 1\r\n`,
  },
  "names of headers to drop may have any character of a name": {
    says: `${GET}X_OWN!~: 1\r\nx-own!~: 2\r\nX_OWN: 3\r\n`,
    kept: `${HOST}x-own!~: 2\r\nX_OWN: 3\r\n`,
  },
  "others are passed on": { says: `${GET}X-Forwarded-For: 1\r\nForwarded: for=1\r\n`, by: "passes" },
  "what is taken keeps its capitals, and is joined": {
    says: `${GET}Via: 1.1 Edge\r\nX-A: b\r\nvia: 1.0 Inner\r\n`,
    via: "1.1 Edge, 1.0 Inner",
    kept: `${HOST}X-A: b\r\n`,
  },
  "an expectation": {
    says: `${POST}Expect: 100-Continue\r\nContent-Length: 1\r\n`,
    is: { expectsContinue: true },
    kept: `${HOST}Content-Length: 1\r\n`,
  },
  "an expectation without a body": {
    says: `${GET}Expect: 100-continue\r\n`,
    is: { expectsContinue: false },
    kept: HOST,
  },
  "an expectation of HTTP/1.0 is ignored": {
    says: `${GET_1_0}Expect: 200-ok\r\nContent-Length: 1\r\n`,
    is: { expectsContinue: false },
    kept: `${HOST}Content-Length: 1\r\n`,
  },
  "an upgrade to whatever it says": {
    says: `${GET}Connection: keep-alive, Upgrade\r\nUpgrade: Chat/2\r\nupgrade: other\r\n`,
    is: { upgrade: "Chat/2, other", keepAlive: true },
    kept: HOST,
  },
  "an Upgrade that Connection does not name": { says: GET + WEB_SOCKET, is: { upgrade: "" }, kept: HOST },
  "an Upgrade of HTTP/1.0": {
    says: `${GET_1_0}Connection: keep-alive, upgrade\r\n${WEB_SOCKET}`,
    is: { upgrade: "", keepAlive: true },
    kept: HOST,
  },
  "an Upgrade of *": {
    says: `OPTIONS * HTTP/1.1\r\n${HOST}Connection: upgrade\r\n${WEB_SOCKET}`,
    path: "*",
    is: { upgrade: "", keepAlive: true },
    kept: HOST,
  },
  "an Upgrade to another HTTP": {
    says: `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: websocket, H2C\r\nHTTP2-Settings: AAM\r\n`,
    is: { upgrade: "", keepAlive: true },
    kept: HOST,
  },
  "settings of HTTP/2 that Connection does not name": {
    says: `${GET}Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n`,
    is: { upgrade: "", keepAlive: true },
    kept: HOST,
  },
};

type Refused = [what: string, bytes: string, reason?: RegExp | undefined];

/** A case for each of some texts. */
const each = (what: string, texts: readonly string[], bytesOf: (text: string) => string, reason?: RegExp): Refused[] =>
  texts.map((text) => [`${what} ${JSON.stringify(text)}`, bytesOf(text), reason]);
const withMethod = (method: string): string => GET.replace("GET", method);

const REFUSED: Readonly<Record<number, readonly Refused[]>> = {
  400: [
    ["a handshake of TLS", "\x16\x03\x01\x02\0\x01", /with a method/],
    ["a bare LF in front", `\n${GET}\r\n`],
    ["a CR in front", `\r${GET}\r\n`],
    ...each("the method", ["get", "Head", "connect", "m-search"], withMethod, /small letters/),
    ...each("the method", ["G@T", "G(T", "G\xe9T", "GET\r", "GET\t"], withMethod, /method has a char/),
    ["two blanks behind the method", GET.replace(" ", "  "), /target/],
    ["two blanks behind the target", GET.replace(" HTTP", "  HTTP"), /first line/],
    ["no version", "GET /\r\n", /first line/],
    ["a bare LF behind the version", "GET / HTTP/1.1\n"],
    ["a version in small letters", "GET / http/1.1\r\n"],
    ["a longer version", "GET / HTTP/1.10\r\n"],
    ...each("a target with", "\t\x0c\x0b\0\x01\x7f\x80\xe9\n".split(""), (byte) => `GET /a${byte}b `),
    ...each(
      "the target",
      ["http://user@o/", "http:///", "http://", "ftp://o/", "first", "*a", "http://o#a", "http://o p/", "a:80"],
      (target) => `GET ${target} HTTP/1.1\r\n`,
    ),
    ["a fold in front of the first header", `GET / HTTP/1.1\r\n ${HOST}`, /NAME: VALUE/],
    ["a folded header", `${GET}X-A: b\r\n c\r\n\r\n`, /NAME: VALUE/],
    ...each(
      "the header",
      ["X-A", "X-A : b", "X A: b", "X\t: b", ": b", "X\xe9: b", "X(A): b", "X\0: b", "Host"],
      (line) => `${GET}${line}\r\n\r\n`,
      /NAME: VALUE/,
    ),
    ["a control character in a value", `${GET}X-A: b\x01c\r\n\r\n`, /not allowed there/],
    ["a bare CR in a value", `${GET}X-A: b\rX-B: c\r\n\r\n`, /CR and LF/],
    ["a bare CR behind the lines", `${GET}\rX`, /CR and LF/],
    ["a bare LF behind the lines", `${GET}\n`],
    ["no Host", "GET / HTTP/1.1\r\nX-A: b\r\n\r\n", /has no Host/],
    ["two Hosts", `${GET}host: a\r\n\r\n`, /more than one Host/],
    ["two Hosts in HTTP/1.0", `${GET_1_0}Host: b\r\n\r\n`, /more than one Host/],
    ["two empty Hosts", "GET / HTTP/1.1\r\nHost:\r\nHost:\r\n\r\n", /more than one Host/],
    ...each(
      "the Host",
      ["a/b", "a@b", "a b", 'a"b', "a, b", "a\xe9", "a:b", "[a", "a:8:8"],
      (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      /is no host/,
    ),
    ["a Host that is none behind a URL", "GET http://o/ HTTP/1.1\r\nHost: a b\r\n\r\n", /is no host/],
    ["a URL without a Host", "GET http://o/ HTTP/1.1\r\n\r\n", /has no Host/],
    ["chunks of HTTP/1.0", `${GET_1_0}${CODED}\r\n`, /HTTP\/1\.0/],
    ["chunks and a length", `${POST}${CODED}Content-Length: 5\r\n\r\n`, /both/],
    ["a tab behind a length", `${POST}Content-Length: 5 \t\r\n\r\n`, /a tab stands behind/],
    ["a tab behind a coding", `${POST}Transfer-Encoding: chunked\t\r\n\r\n`, /a tab stands behind/],
    ["a length and an unknown coding", `${POST}Content-Length: 5\r\nTransfer-Encoding: x\r\n\r\n`, /both/],
    ["the same length twice", `${POST}${"Content-Length: 5\r\n".repeat(2)}\r\n`, /more than one Content-Length/],
    ...each(
      "the length",
      ["", "5, 5", "+5", "-1", "0x5", "5 5", "5.0", "1e1", "5,", "9".repeat(16)],
      (length) => `${POST}Content-Length: ${length}\r\n\r\n`,
      /is no length/,
    ),
  ],
  417: [["an unknown expectation", `${GET}Expect: 200-ok\r\n\r\n`, /expects something else/]],
  431: [["a head that is too long", `${GET}${"X: a\r\n".repeat(5000)}\r\n`, /longer than 16384 bytes/]],
  501: [
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\n"],
    ["a longer method than is taken", `${"M".repeat(33)} / HTTP/1.1\r\n`, /longer than 32 characters/],
    ["a method with no end", "G".repeat(3000), /longer than 32 characters/],
    ...each(
      "the coding",
      'xchunked|chunked;q=1|"chunked"|gzip, chunked|chunked, chunked|chunked,|identity||\xa0chunked'.split("|"),
      (coding) => `${POST}Transfer-Encoding: ${coding}\r\n\r\n`,
      /another one than chunked/,
    ),
    ["two codings", `${POST}${CODED}${CODED}\r\n`, /another one than chunked/],
    ["an empty coding and then chunked", `${POST}Transfer-Encoding:\r\n${CODED}\r\n`],
  ],
  505: [
    ...each(
      "the version",
      ["1.2", "0.9", "2.0", "2"],
      (version) => `GET / HTTP/${version}\r\n`,
      /neither HTTP\/1\.1 nor HTTP\/1\.0/,
    ),
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /HTTP\/2 is spoken from the beginning/],
    ["the method of HTTP/2", "PRI / HTTP/1.1\r\nHost: a\r\n\r\n", /HTTP\/2 is spoken from the beginning/],
  ],
};

describe("the head of a request", () => {
  // One for all of them, as in a process.
  const heads = { drops: requestHead("drops"), takes: requestHead("takes"), passes: requestHead("passes") };

  it.each(Object.entries(REQUESTS))("%s", (_, { says, is = {}, path = "/", via, kept, by = "drops" }) => {
    const head = heads[by];
    const bytes = `${says}\r\n`;
    expectSplit(head, bytes);
    const memory = inMemory(`${bytes}GET /next`);
    expect(head.scan(memory, JUNK.length, memory.length)).toBe(JUNK.length + bytes.length);
    expect(head).toMatchObject(is);
    const lines = memory.toString("latin1", head.linesStart, head.linesEnd);
    expect(lines).toBe(says.replace(/^(?:\r\n)*[^\n]*\n/, ""));
    expect(head.keptFrom(memory, head.linesStart)).toBe(kept ?? lines);
    expect(head.isWhole).toBe(kept === undefined);
    expect([head.path(memory), head.taken("via")]).toEqual([path, via]);
    const cut = lines.slice(0, head.cutStart - head.linesStart) + lines.slice(head.cutEnd - head.linesStart);
    expect(head.cutStart < 0 ? kept : cut).toBe(kept);
  });

  const refused = Object.entries(REFUSED).flatMap(([status, cases]) =>
    cases.map(([what, bytes, reason]) => ({ status: Number(status), what, bytes, reason })),
  );
  it.each(refused)("is refused with $status: $what", ({ status, bytes, reason = /^The .*\.$/ }) => {
    expectSplit(heads.drops, bytes);
    expect(scanUpTo(heads.drops, bytes)).toBe(-1);
    expect(heads.drops).toMatchObject({ status, reason: expect.stringMatching(reason) });
  });

  it.each([
    ["one line", `X: ${"a".repeat(100)}\r\n`],
    ["many short lines", "X: a\r\n".repeat(50)],
    ["many long lines", `X: ${"a".repeat(93)}\r\n`.repeat(15)],
  ])("may be as long as the limit says, and not a byte longer, however it comes: %s", (_, lines) => {
    const bytes = `${GET}${lines}\r\n`;
    expectSplit(requestHead("drops", bytes.length), bytes);
    expect(scanUpTo(requestHead("drops", bytes.length), `${bytes}more`)).toBe(bytes.length);
    const head = requestHead("drops", bytes.length - 1);
    expectSplit(head, bytes);
    expect(scanUpTo(head, `${bytes}more`)).toBe(-1);
    expect(head.status).toBe(431);
    expect(scanUpTo(head, "\r\n".repeat(bytes.length))).toBe(-1);
  });

  it("may have as many lines as the limit says, and not one more, however it comes", () => {
    const limited = new RequestHead({ headBytes: 16_384, headLines: 4, dropped: ["x-own"] });
    // Lines that are left out count too.
    const four = `${GET}a:\r\nX-Own: b\r\nConnection: c\r\n`;
    expectSplit(limited, `${four}\r\n`);
    expect(scanUpTo(limited, `${four}\r\n`)).toBeGreaterThan(0);
    for (const rest of ["\r\n", "b: c\r\n\r\n", `${"d:\r\n".repeat(5000)}\r\n`]) {
      expectSplit(limited, `${four}a:${rest}`);
      expect(scanUpTo(limited, `${four}a:${rest}`)).toBe(-1);
      expect(limited).toMatchObject({ status: 431, reason: expect.stringMatching(/more than 4 header lines/) });
    }
    const answers = new AnswerHead({ headBytes: 16_384, headLines: 1 });
    expect(scanUpTo(answers, "HTTP/1.1 200 OK\r\na:\r\n\r\n")).toBeGreaterThan(0);
    expect(scanUpTo(answers, "HTTP/1.1 200 OK\r\na:\r\na:\r\n\r\n")).toBe(-1);
    expect(answers.reason).toBe("that cannot be passed on: it has more than 1 header lines");
    const many = `${GET}${"a:\r\n".repeat(3000)}\r\n`;
    expect(scanUpTo(requestHead("drops"), many)).toBe(many.length);
  });

  it("tells nothing of the request before where the first line cannot be read", () => {
    expect(scanUpTo(heads.drops, `HEAD /before HTTP/1.1\r\n${HOST}\r\n`)).toBeGreaterThan(0);
    expect(scanUpTo(heads.drops, "\x16\x03\x01")).toBe(-1);
    expect(heads.drops).toMatchObject({ method: "", targetStart: 0, targetEnd: 0, host: undefined });
  });

  it("tells what headers that are taken say, each of its own message", () => {
    const lines = "X-Forwarded-For: 1.1.1.1\r\nX-FORWARDED-for: 2.2.2.2\r\nForwarded: for=A\r\n";
    expect(scanUpTo(heads.takes, `${GET}${lines}\r\n`)).toBeGreaterThan(0);
    expect(heads.takes.isWhole).toBe(false);
    expect(["x-forwarded-for", "forwarded", "x-forwarded-host"].map((name) => heads.takes.taken(name))).toEqual([
      "1.1.1.1, 2.2.2.2",
      "for=A",
      undefined,
    ]);
    expect(scanUpTo(heads.takes, `${GET}\r\n`)).toBeGreaterThan(0);
    expect(heads.takes.taken("forwarded")).toBeUndefined();
  });

  it("gives its headers as node:http does", () => {
    const bytes = inMemory(
      `${GET}X-A: b \r\nx-a:\tc\r\nCookie: d=1\r\nCookie: e=2\r\nReferer: one\r\nReferer: two\r\nSet-Cookie: f\r\nSet-Cookie: g\r\n__proto__: h\r\nconstructor: i\r\n\r\n`,
    );
    expect(heads.drops.scan(bytes, JUNK.length, bytes.length)).toBe(bytes.length);
    expect(Object.entries(heads.drops.headers(bytes))).toEqual([
      ["host", "a"],
      ["x-a", "b, c"],
      ["cookie", "d=1; e=2"],
      ["referer", "one"],
      ["set-cookie", ["f", "g"]],
      ["__proto__", "h"],
      ["constructor", "i"],
    ]);
  });

  it("finds each byte that no value may have, wherever it stands in memory and in the value", () => {
    const start = `${GET}X: `;
    const wrong: string[] = [];
    for (let place = 0; place < 40; place++) {
      // Memory that begins where a word does, and such that does not.
      for (const shift of [0, 1]) {
        const memory = Buffer.alloc(start.length + 50, "a").subarray(shift);
        memory.write(start, "latin1");
        memory.write("\r\n\r\n", memory.length - 4, "latin1");
        for (let byte = 0; byte < 256; byte++) {
          memory[start.length + place] = byte;
          const isAllowed = byte === 9 || (byte >= 32 && byte !== 127);
          const behind = heads.drops.scan(memory, 0, memory.length);
          if (behind !== (isAllowed ? memory.length : -1)) wrong.push(`${byte} at ${place}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("tells two hosts of the same length apart", () => {
    const hosts = ["one.test", "two.test", "one.test", "a", "one.test:80"];
    const seen = hosts.map((host) => {
      scanUpTo(heads.drops, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      return heads.drops.host;
    });
    expect(seen).toEqual(hosts);
  });
});

interface Answer {
  readonly says: string;
  readonly is?: Partial<AnswerHead>;
  /** Status line and lines that are passed on; by default all of it in one piece. */
  readonly kept?: string;
}

const OK = "HTTP/1.1 200 OK\r\n";
const TWO = "Content-Length: 2\r\n";
const KEEP = "Connection: keep-alive\r\n";

const ANSWERS: Readonly<Record<string, Answer>> = {
  "a usual one is passed on as it stands": {
    says: `${OK}Date: today\r\n${TWO}`,
    is: { status: 200, contentLength: 2, chunked: false, keepAlive: true, hasDate: true, upgrade: "", isHttp10: false },
  },
  "one without a line": { says: "HTTP/1.1 404 Not Found\r\n", is: { status: 404, contentLength: -1, hasDate: false } },
  "any status of three digits": { says: "HTTP/1.1 999 J\xf6rg\t!\r\n", is: { status: 999 } },
  "an empty reason": { says: `HTTP/1.1 200 \r\n${TWO}` },
  "no reason": { says: `HTTP/1.1 200\r\n${TWO}`, kept: `HTTP/1.1 200 \r\n${TWO}` },
  "HTTP/1.0": {
    says: `HTTP/1.0 200 OK\r\n${TWO}`,
    is: { isHttp10: true, keepAlive: false },
    kept: OK + TWO,
  },
  "HTTP/1.0 that keeps its connection": {
    says: `HTTP/1.0 200 OK\r\n${KEEP}${TWO}`,
    is: { keepAlive: true },
    kept: OK + TWO,
  },
  "the lines of the connection make one piece": {
    says: `${OK}Date: d\r\n${KEEP}Keep-Alive: timeout=5\r\n${TWO}`,
    is: { cutStart: OK.length + 9 + JUNK.length, cutEnd: OK.length + 9 + KEEP.length + 23 + JUNK.length },
    kept: `${OK}Date: d\r\n${TWO}`,
  },
  "or several": {
    says: `${OK}${KEEP}Date: d\r\nKeep-Alive: timeout=5\r\n${TWO}`,
    is: { cutStart: -1, cutEnd: -1 },
    kept: `${OK}Date: d\r\n${TWO}`,
  },
  "a backend that closes": { says: `${OK}Connection: Close\r\n`, is: { keepAlive: false }, kept: OK },
  "what Connection names, and what is of the hop": {
    says: `${OK}Upgrade: h2c\r\nTE: a\r\nX-Hop: 1\r\nX-Kept: 1\r\nProxy-Authenticate: x\r\nConnection: x-hop, Content-Length, date\r\nDate: d\r\n${TWO}`,
    is: { contentLength: 2, hasDate: true, upgrade: "" },
    kept: `${OK}X-Kept: 1\r\nDate: d\r\n${TWO}`,
  },
  "an own header": { says: `${OK}X-BACKEND: lie\r\nX-Kept: 1\r\n`, kept: `${OK}X-Kept: 1\r\n` },
  "an agreed upgrade": {
    says: "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: Chat\r\n",
    is: { status: 101, upgrade: "Chat" },
    kept: "HTTP/1.1 101 Switching Protocols\r\n",
  },
  "a length with zeros in front": { says: `${OK}Content-Length: 002\r\n`, is: { contentLength: 2 }, kept: OK + TWO },
};

const REFUSED_ANSWERS: readonly Refused[] = [
  ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["a request", "GET / HTTP/1.1\r\n"],
  ["an empty line", `\r\n${OK}`],
  ["no version", "HTTP 200 OK\r\n"],
  ["two digits", "HTTP/1.1 20 OK\r\n"],
  ["four digits", "HTTP/1.1 2000 OK\r\n"],
  ["no digits", "HTTP/1.1 abc OK\r\n"],
  ["two blanks", "HTTP/1.1  200 OK\r\n"],
  ["a bare LF", "HTTP/1.1 200\n"],
  ["a header without a colon", `${OK}Nothing\r\n`],
  ["a control character in a value", `${OK}X-A: \x01\r\n`],
  ["HTTP/2.0", "HTTP/2.0 200 OK\r\n", /its version is neither/],
  ["HTTP/1.2", "HTTP/1.2 200 OK\r\n", /its version is neither/],
  ["the status 42", "HTTP/1.1 042 OK\r\n", /its status is 42$/],
  ["the status 0", "HTTP/1.1 000 OK\r\n", /its status is 0$/],
  ["a NUL in the reason", "HTTP/1.1 200 O\0K\r\n", /its reason has a character/],
  ["a LF in the reason", "HTTP/1.1 200 OK\n\r\n", /its reason has a character/],
  ["two equal lengths", `${OK}${TWO}${TWO}\r\n`, /more than one Content-Length$/],
  ["a length that is none", `${OK}Content-Length: 2, 2\r\n\r\n`, /is no length$/],
  ["chunks and a length", `${OK}${TWO}${CODED}\r\n`, /both/],
  ["chunks of HTTP/1.0", `HTTP/1.0 200 OK\r\n${CODED}\r\n`, /is HTTP\/1\.0/],
  ["another coding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`, /another one than chunked$/],
  ["an interim status and a length", `HTTP/1.1 104 x\r\n${TWO}\r\n`, /interim one with a body$/],
  ["an interim status and chunks", `HTTP/1.1 199 x\r\n${CODED}\r\n`, /interim one with a body$/],
  ["a head that is too long", `${OK}X-A: ${"a".repeat(20_000)}`, /longer than 16384 bytes$/],
];

describe("the head of an answer", () => {
  const head = new AnswerHead({ headBytes: 16_384, dropped: ["x-backend"] });

  it.each(Object.entries(ANSWERS))("%s", (_, { says, is = {}, kept }) => {
    const bytes = `${says}\r\n`;
    expectSplit(head, bytes);
    const memory = inMemory(`${bytes}body`);
    expect(head.scan(memory, JUNK.length, memory.length)).toBe(JUNK.length + bytes.length);
    expect(head).toMatchObject(is);
    expect(head.keptText(memory, false)).toBe(kept ?? says);
    expect(head.keptText(memory, true)).toBe((kept ?? says).replace(/Content-Length: .*\r\n/, ""));
    expect(head.isWhole).toBe(kept === undefined);
  });

  it("tells what a header says, in all its lines", () => {
    const memory = inMemory(`${OK}x-a:b\r\nX-A-B: no\r\nX-A: \t c \r\nX-B:\r\n\r\nx-c: body`);
    expect(head.scan(memory, JUNK.length, memory.length)).toBeGreaterThan(0);
    expect(head.field("x-a", memory)).toBe("b, c");
    expect(head.field("x-b", memory)).toBe("");
    expect(head.field("x-c", memory)).toBeUndefined();
  });

  it("says its chunks where it stands, and not in the text", () => {
    const memory = inMemory(`${OK}X-A: b\r\n${CODED}X-C: d\r\n\r\n`);
    expect(head.scan(memory, JUNK.length, memory.length)).toBe(memory.length);
    expect(head).toMatchObject({ chunked: true, isWhole: true });
    expect(head.keptText(memory, false)).toBe(`${OK}X-A: b\r\nX-C: d\r\n`);
  });

  it.each(REFUSED_ANSWERS)("is refused with %s", (_, bytes, reason = /^that is no HTTP: (?:its? |one of)/) => {
    expectSplit(head, bytes);
    expect(scanUpTo(head, bytes)).toBe(-1);
    expect(head.reason).toMatch(reason);
  });
});
