import type { Draws } from "@lbbench/test-support/draws.js";

const listOf = (texts: string): readonly string[] => texts.split(" | ");
const METHODS = listOf(
  "GET | GET | GET | POST | POST | HEAD | PUT | DELETE | OPTIONS | PROPFIND | M-SEARCH | SOURCE | GOT",
);
const ODD_METHODS = listOf("get | GETS | CONNECT | PRI | G\0T |  | ANNOUNCE | post | baseline_control");
const TARGETS = listOf("/ | /a | /a?b=c&d | /%20/../x | * | http://o.test/p?q | http://o:80?q | /\xe9 | //x | /a#b");
const ODD_TARGETS = listOf(
  " | a | *a | http://u@o/ | http:// | http://o#f | HTTPS://[::1]/ | /a\tb | /a\x7f | a:80 | /a b | x://y",
);
const VERSIONS = listOf("HTTP/1.1 | HTTP/1.1 | HTTP/1.1 | HTTP/1.1 | HTTP/1.1 | HTTP/1.0");
const ODD_VERSIONS = listOf("HTTP/1.2 | HTTP/2.0 | HTTP/0.9 | http/1.1 | HTTP/1.10 | HTTP/1 |  | ICE/1.0 | RTSP/1.0");
const STATUSES = listOf(
  "200 OK | 200 OK | 200 | 200  | 404 Not Found | 204 No Content | 304 Not Modified | 500 J\xf6rg\t! | 999 x",
);
const ODD_STATUSES = listOf(
  "100 Continue | 103 Hints | 101 Switching | 099 x | 20 OK | 2000 OK | abc | 200\tOK | 200 O\x01K | -20 OK",
);
const HEADERS = listOf(
  "X-A: b | X-A: b | accept: */* | Cookie: a=b; c=d | User-Agent: x/1 (y) | X-B:c | X-C:  d \t | X-D: | X-E: \xe9\xff | " +
    "Connection: keep-alive | Connection: close | connection: Keep-Alive, X-A | Connection: upgrade | Upgrade: chat | Upgrade: h2c | " +
    "Keep-Alive: timeout=5 | Date: d | Via: 1.1 B | TE: trailers | Trailer: X-A | Expect: 100-continue | Proxy-Connection: keep-alive | " +
    "X-Forwarded-For: 1.1.1.1 | Forwarded: for=a | Accept-Encoding: gzip, br | __proto__: x | Host: b",
);
const ODD_HEADERS = listOf(
  "Host: a | Host: b c | Content-Length: 3 | Content-Length: 0 | Content-Length: +3 | Content-Length: 3, 3 | Content-Length : 3 | " +
    "Content-Length:  03 | Content-Length:\t3\t | Content-Length: 99999999999999999999 | Content-Length: | Content-Length: 3 4 | " +
    "Transfer-Encoding: chunked | Transfer-Encoding: CHUNKED | Transfer-Encoding:\tchunked  | Transfer-Encoding: identity | " +
    "Transfer-Encoding: gzip, chunked | Transfer-Encoding: chunked, chunked | Transfer-Encoding: xchunked | Transfer-Encoding: | " +
    "Transfer_Encoding: chunked | Transfer-Encoding : chunked | Content-Length\0: 3 | X-A | : b | X A: b |  folded | \tfolded | " +
    "X\xe9: b | X-A: \0 | X-A: b\rX-B: c | X-A: b\nContent-Length: 3 | X-A:\x0bb | X-A:\x7f | Expect: 200-ok | Connection: content-length",
);
const EXTENSIONS = listOf(
  ' |  |  |  | ;a | ;a=b | ;a=b;c=d | ;a="b;\\"c" | ;a= | ; a | ; | ;a=" |  ;a | ;a=\xe9 | ;a="\xe9" | ;a="\\',
);
const TRAILERS = listOf(
  " |  |  |  | X-A: b\r\n | X-A:\tb \r\nX-B: c\r\n | Host: b\r\n | X-A\r\n |  folded\r\n | X-A: b\n",
);
const SIZES: readonly ((size: number) => string)[] = [
  ...Array.from({ length: 12 }, () => (size: number) => size.toString(16)),
  (size) => size.toString(16).toUpperCase().padStart(4, "0"),
  (size) => (size + 1).toString(16),
  (size) => `0x${size.toString(16)}`,
  (size) => `${size.toString(16)} `,
  (size) => size.toString(16).padStart(20, "0"),
  (size) => `1000000000000000${size.toString(16)}`,
];
const BODIES = listOf(
  " | a | abc | abc | 0\r\n\r\n | \r\n | GET / HTTP/1.1\r\nHost: a\r\n\r\n | HTTP/1.1 200 OK\r\n\r\n",
);
const LINE_ENDS = listOf("\n | \r | \r\r\n | \r\n\r\n | \n\r");
/** Bytes that mean something somewhere in a message, and some that are allowed nowhere. */
const BYTES = '\0\t\n\x0b\f\r !"#,-./0159:;=?@ACGHTXZ[\\]_acfhx|~\x7f\x80\xa0\xff';

/** The bytes (as latin1) of one to four messages behind one another, most of them with something odd about them. */
export function drawMessages(draws: Draws, what: "requests" | "answers"): string {
  const oddity = draws.of([0, 0, 0.02, 0.1]);
  let bytes = "";
  do bytes += drawMessage(draws, what, oddity);
  while (bytes.length < 1000 && draws.chance(0.4));
  for (let left = draws.of([0, 0, 0, 1, 1, 2, 4]); left > 0; left--) bytes = mutate(draws, bytes);
  return bytes;
}

function drawMessage(draws: Draws, what: "requests" | "answers", oddity: number): string {
  const one = (usual: readonly string[], odd: readonly string[]): string =>
    draws.of(draws.chance(oddity) ? odd : usual);
  const lineEnd = (): string => (draws.chance(oddity / 5) ? draws.of(LINE_ENDS) : "\r\n");
  let bytes = draws.chance(oddity) ? lineEnd() : "";
  if (what === "requests") {
    bytes += `${one(METHODS, ODD_METHODS)} ${one(TARGETS, ODD_TARGETS)} ${one(VERSIONS, ODD_VERSIONS)}${lineEnd()}`;
    if (!draws.chance(oddity)) bytes += `Host: a${lineEnd()}`;
  } else bytes += `${one(VERSIONS, ODD_VERSIONS)} ${one(STATUSES, ODD_STATUSES)}${lineEnd()}`;
  const body = draws.of(BODIES);
  const framing = draws.of(["none", "length", "length", "chunked", "chunked"]);
  const lines = Array.from({ length: draws.below(4) }, () => one(HEADERS.slice(0, -1), ODD_HEADERS) + lineEnd());
  if (framing === "length") lines.push(`Content-Length: ${body.length}${lineEnd()}`);
  if (framing === "chunked") lines.push(`Transfer-Encoding: chunked${lineEnd()}`);
  if (draws.chance(0.5)) lines.reverse();
  bytes += lines.join("") + lineEnd();
  if (framing === "length") return bytes + body;
  return framing === "none" ? bytes : bytes + drawChunks(draws, body, oddity, lineEnd);
}

function drawChunks(draws: Draws, body: string, oddity: number, lineEnd: () => string): string {
  const [plain = String] = SIZES;
  const size = (bytes: number): string => (draws.chance(oddity) ? draws.of(SIZES) : plain)(bytes);
  const extension = (): string => (draws.chance(oddity * 2) ? draws.of(EXTENSIONS) : "");
  let bytes = "";
  for (let at = 0; at < body.length;) {
    const piece = body.slice(at, at + 1 + draws.below(body.length));
    bytes += `${size(piece.length)}${extension()}${lineEnd()}${piece}${lineEnd()}`;
    at += piece.length;
  }
  const trailers = draws.chance(oddity * 2) ? draws.of(TRAILERS) : "";
  return `${bytes}${draws.chance(oddity) ? "000" : "0"}${extension()}${lineEnd()}${trailers}${lineEnd()}`;
}

function mutate(draws: Draws, bytes: string): string {
  const at = draws.below(bytes.length + 1);
  const behind = Math.min(bytes.length, at + 1 + draws.below(draws.of([1, 1, 8, 40])));
  const byte = BYTES.charAt(draws.below(BYTES.length));
  return draws.of([
    () => bytes.slice(0, at) + byte + bytes.slice(at),
    () => bytes.slice(0, at) + bytes.slice(behind),
    () => bytes.slice(0, at) + bytes.slice(at, behind) + bytes.slice(at),
    () => {
      const to = draws.below(bytes.length + 1);
      return bytes.slice(0, to) + bytes.slice(at, behind) + bytes.slice(to);
    },
    () => bytes.slice(0, at) + String.fromCharCode(draws.below(256)) + bytes.slice(at + 1),
    () => bytes.slice(0, at) + byte + bytes.slice(at + 1),
  ])();
}
