/**
 * What is right by RFC 9112: to take an answer, to refuse it, or either. Those to be refused by a `strict` parser are such that a
 * lenient one takes them, or waits for more.
 */
export type Verdict = "taken" | "refused" | "strict" | "either";

const STATUS_OK = "HTTP/1.1 200 OK\r\n";
const SIZE = "Content-Length: 5\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const SIZED = `${SIZE}\r\nhello`;
const HELLO_CHUNK = "5\r\nhello\r\n0\r\n\r\n";

const sized = (line: string): string => `${STATUS_OK}${line}\r\n\r\nhello`;
const withLines = (...headers: readonly string[]): string => `${STATUS_OK}${headers.join("\r\n")}\r\n${SIZED}`;
const chunks = (body: string): string => `${STATUS_OK}${CHUNKED}\r\n${body}`;

/** Odd answers with the body `hello`, as latin1 text. Sections are those of RFC 9112, unless another is named. */
export const FRAMINGS: readonly (readonly [name: string, verdict: Verdict, bytes: string])[] = [
  ["two lengths that differ (6.3)", "refused", withLines("Content-Length: 6")],
  ["the same length twice (6.3)", "either", withLines("Content-Length: 5")],
  ["a length of more digits than a number holds (6.3)", "strict", sized("Content-Length: 99999999999999999999")],
  ["a length with a sign (RFC 9110, 8.6)", "strict", sized("Content-Length: +5")],
  ["a hexadecimal length (RFC 9110, 8.6)", "strict", sized("Content-Length: 0x5")],
  ["a length that is empty (RFC 9110, 8.6)", "strict", sized("Content-Length:")],
  ["a length with zeros in front (RFC 9110, 8.6)", "taken", sized("Content-Length: 005")],
  ["a length with blanks around it, or none (5.1)", "taken", sized("content-length:5   ")],
  ["a length with a tab (5.1)", "either", sized("Content-Length:\t5")],
  ["a blank before a colon (5.1)", "strict", sized("Content-Length : 5")],
  ["a length and chunks (6.3)", "strict", `${STATUS_OK}${SIZE}${CHUNKED}\r\n${HELLO_CHUNK}`],
  ["chunks and a length (6.3)", "strict", `${STATUS_OK}${CHUNKED}${SIZE}\r\n${HELLO_CHUNK}`],
  ["chunks in HTTP/1.0 (6.1)", "strict", `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${CHUNKED}\r\n${HELLO_CHUNK}`],
  ["chunks twice (6.1)", "strict", `${STATUS_OK}${CHUNKED}${CHUNKED}\r\n${HELLO_CHUNK}`],
  [
    "a coding that was not asked for (6.1)",
    "strict",
    `${STATUS_OK}Transfer-Encoding: gzip, chunked\r\n\r\n${HELLO_CHUNK}`,
  ],
  ["chunks in capitals (7)", "taken", `${STATUS_OK}transfer-encoding: CHUNKED\r\n\r\n${HELLO_CHUNK}`],
  ["the size of a chunk with zeros in front (7.1)", "taken", chunks("0005\r\nhello\r\n0000\r\n\r\n")],
  ["the size of a chunk that is no number (7.1)", "refused", chunks("g\r\nhello\r\n0\r\n\r\n")],
  ["the size of a chunk that is empty (7.1)", "refused", chunks("\r\nhello\r\n0\r\n\r\n")],
  ["the size of a chunk with a minus (7.1)", "refused", chunks("-6\r\nhello\r\n0\r\n\r\n")],
  ["the size of a chunk with a plus (7.1)", "strict", chunks("+5\r\nhello\r\n0\r\n\r\n")],
  ["the size of a chunk that says that it is hexadecimal (7.1)", "strict", chunks("0x5\r\nhello\r\n0\r\n\r\n")],
  [
    "the size of a chunk of more digits than a number holds (7.1)",
    "strict",
    chunks("ffffffffffffffffffff5\r\nhello\r\n0\r\n\r\n"),
  ],
  ["a chunk that is longer than its size (7.1)", "refused", chunks("3\r\nhello\r\n0\r\n\r\n")],
  ["blanks before an extension (7.1.1)", "either", chunks("5 ; a = b\r\nhello\r\n0\r\n\r\n")],
  ["a trailer that is no header (7.1.2)", "strict", chunks("5\r\nhello\r\n0\r\nno trailer\r\n\r\n")],
  ["a trailer with a length (RFC 9110, 6.5.1)", "either", chunks("5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n")],
  ["a line feed alone behind the status (2.2)", "either", `HTTP/1.1 200 OK\n${SIZED}`],
  ["a line feed alone behind a header (2.2)", "either", `${STATUS_OK}Content-Length: 5\n\r\nhello`],
  ["a line feed alone behind the size of a chunk (7.1)", "strict", chunks("5\nhello\r\n0\r\n\r\n")],
  ["a line feed alone behind a chunk (7.1)", "strict", chunks("5\r\nhello\n0\r\n\r\n")],
  ["a carriage return alone (2.2)", "refused", withLines("X-A: a\rb")],
  ["a folded header (5.2)", "either", withLines("X-A: a\r\n b")],
  ["a folded header at the beginning (2.2)", "strict", withLines(" X-A: a")],
  ["a header without a name (5)", "strict", withLines(": a")],
  ["a header without a colon (5)", "strict", withLines("X-A")],
  ["a NUL in a name (RFC 9110, 5.1)", "strict", withLines("X\0A: a")],
  ["a NUL in a value (RFC 9110, 5.5)", "strict", withLines("X-A: a\0b")],
  ["a control character in a value (RFC 9110, 5.5)", "either", withLines("X-A: a\u0001b")],
  ["a letter with an accent in a value (RFC 9110, 5.5)", "taken", withLines("X-A: \u00e9")],
  ["a head of 60 000 bytes", "taken", withLines(`X-A: ${"a".repeat(60_000)}`)],
  ["a head of 100 000 bytes", "strict", withLines(`X-A: ${"a".repeat(100_000)}`)],
  [
    "a head of 100 000 bytes in many lines",
    "strict",
    withLines(...Array.from({ length: 5000 }, () => "X-A: aaaaaaaaaaaaaaa")),
  ],
  ["a NUL in a reason (4)", "strict", `HTTP/1.1 200 O\0K\r\n${SIZED}`],
  ["no reason (4)", "taken", `HTTP/1.1 200 \r\n${SIZED}`],
  ["no reason, nor a blank (4)", "either", `HTTP/1.1 200\r\n${SIZED}`],
  ["two blanks before a status (4)", "refused", `HTTP/1.1  200 OK\r\n${SIZED}`],
  ["an empty line first (2.2)", "either", `\r\n${STATUS_OK}${SIZED}`],
  ["HTTP/2.0 (RFC 9110, 2.5)", "refused", `HTTP/2.0 200 OK\r\n${SIZED}`],
  ["HTTP/1.2 (RFC 9110, 2.5)", "either", `HTTP/1.2 200 OK\r\n${SIZED}`],
  ["HTTP/0.9 (2.3)", "refused", `HTTP/0.9 200 OK\r\n${SIZED}`],
  ["a version in small letters (2.3)", "refused", `http/1.1 200 OK\r\n${SIZED}`],
  ["a status of two digits (4)", "refused", `HTTP/1.1 99 OK\r\n${SIZED}`],
  ["a status below 100 (RFC 9110, 15)", "refused", `HTTP/1.1 099 OK\r\n${SIZED}`],
  ["a status of four digits (4)", "strict", `HTTP/1.1 2000 OK\r\n${SIZED}`],
  ["a status that is no number (4)", "refused", `HTTP/1.1 20x OK\r\n${SIZED}`],
  [
    "an interim answer that announces a body (6.3)",
    "either",
    `HTTP/1.1 103 Early Hints\r\n${SIZE}\r\n${STATUS_OK}${SIZED}`,
  ],
  ["keep-alive among other words (9.3)", "taken", withLines("Connection: other, Keep-Alive")],
];
