import { describe, expect, it } from "vitest";
import { checkFields, readFields, type Fields, type FieldsKind } from "./fields.js";

const GET: Fields = [":method", "GET", ":scheme", "https", ":authority", "a.test", ":path", "/"];
const OK: Fields = [":status", "200"];
const WELL: Readonly<Record<FieldsKind, Fields>> = { request: GET, answer: OK, trailers: [] };

/** The fields of GET without one of them. */
const without = (name: string): Fields => GET.filter((text, at) => (at % 2 === 0 ? text : GET[at - 1]) !== name);

/** The fields of GET with one of them changed. */
const withField = (name: string, value: string): Fields =>
  GET.map((text, at) => (at % 2 === 1 && GET[at - 1] === name ? value : text));

const LENGTH = ["content-length", "1"];
const ZERO = ["content-length", "0"];

type Case = readonly [name: string, kind: FieldsKind, fields: Fields];

const WELL_FORMED: readonly Case[] = [
  ["a request", "request", GET],
  ["pseudo-headers in another order", "request", [...GET.slice(4), ...GET.slice(0, 4)]],
  ["host in place of :authority", "request", [...without(":authority"), "host", "a.test"]],
  ["host that is the same as :authority, in capitals", "request", [...GET, "host", "A.test"]],
  ["an authority with a port", "request", withField(":authority", "[::1]:8080")],
  ["a path with a query and bytes beyond ASCII", "request", withField(":path", "/caf\xe9?a=b&c#d")],
  ["a method of its own", "request", withField(":method", "M-SEARCH")],
  ["OPTIONS of the server", "request", [":method", "OPTIONS", ...withField(":path", "*").slice(2)]],
  ["CONNECT", "request", [":method", "CONNECT", ":authority", "a.test:443"]],
  ["te: trailers", "request", [...GET, "te", "trailers"]],
  ["a value with a tab, and bytes beyond ASCII", "request", [...GET, "x-a", "a\tb \xff"]],
  ["an empty value", "request", [...GET, "x-a", ""]],
  ["a name of each character that is allowed", "request", [...GET, "!#$%&'*+-.^_`|~09az", "b"]],
  ["a name that objects have", "request", [...GET, "__proto__", "b", "constructor", "c"]],
  ["cookies in several fields", "request", [...GET, "cookie", "a=b", "cookie", "c=d"]],
  ["an answer", "answer", OK],
  ["an interim answer", "answer", [":status", "103", "link", "</a.css>"]],
  ["a status that is not known", "answer", [":status", "799"]],
  ["204 that says that it has no byte", "answer", [":status", "204", ...ZERO]],
  ["304 with the length of what it stands for", "answer", [":status", "304", "content-length", "9"]],
  ["trailers", "trailers", ["grpc-status", "0", "grpc-message", ""]],
  ["trailers without a field", "trailers", []],
];

const MALFORMED: readonly (readonly [...Case, why: string])[] = [
  ["no :method", "request", without(":method"), '":method" is no method'],
  ["a method with a space", "request", withField(":method", "GET /"), '":method" is no method'],
  ["an empty method", "request", withField(":method", ""), '":method" is no method'],
  ["no :scheme", "request", without(":scheme"), '":scheme" is no scheme'],
  ["a scheme with a colon", "request", withField(":scheme", "http:"), '":scheme" is no scheme'],
  ["no :path", "request", without(":path"), '":path" is no path'],
  ["an empty path", "request", withField(":path", ""), '":path" is no path'],
  ["a path with a space", "request", withField(":path", "/ HTTP/1.1"), '":path" is no path'],
  ["a path without a slash", "request", withField(":path", "a"), '":path" does not begin with a slash'],
  ["a path that is a URL", "request", withField(":path", "http://b/"), '":path" does not begin with a slash'],
  ["* for GET", "request", withField(":path", "*"), '":path" does not begin with a slash'],
  ["neither :authority nor host", "request", without(":authority"), 'there is no ":authority" and no "host"'],
  ["an empty authority", "request", withField(":authority", ""), '":authority" is no authority'],
  ["an authority with a user", "request", withField(":authority", "u@a.test"), '":authority" is no authority'],
  ["an authority with a slash", "request", withField(":authority", "a/b"), '":authority" is no authority'],
  ["an authority beyond ASCII", "request", withField(":authority", "\xe9"), '":authority" is no authority'],
  ["an empty host", "request", [...without(":authority"), "host", ""], '"host" is no authority'],
  ["host that differs", "request", [...GET, "host", "b.test"], '":authority" and "host" differ'],
  ["host twice", "request", [...GET, "host", "a.test", "host", "a.test"], '"host" stands there twice'],
  ["CONNECT with a path", "request", withField(":method", "CONNECT"), 'CONNECT takes ":authority" and no other'],
  ["CONNECT to nothing", "request", [":method", "CONNECT"], 'CONNECT takes ":authority" and no other'],
  ["an unknown pseudo-header", "request", [...GET, ":x", "y"], '":x" has no meaning here'],
  ["extended CONNECT", "request", [...GET, ":protocol", "websocket"], '":protocol" has no meaning here'],
  ["a pseudo-header twice", "request", [...GET, ":path", "/"], '":path" stands there twice'],
  ["a pseudo-header behind a field", "request", ["x-a", "b", ...GET], '":method" stands behind other fields'],
  [":status in a request", "request", [...GET, ":status", "200"], '":status" has no meaning here'],
  [":path in an answer", "answer", [...OK, ":path", "/"], '":path" has no meaning here'],
  [":status in trailers", "trailers", OK, '":status" has no meaning here'],
  ["a capital letter", "request", [...GET, "X-A", "b"], '"X-A" is no name of a field'],
  ["an empty name", "request", [...GET, "", "b"], '"" is no name of a field'],
  ["a name with a colon", "request", [...GET, "a:b", "c"], '"a:b" is no name of a field'],
  ["a name beyond ASCII", "request", [...GET, "\xe9", "b"], '"\xe9" is no name of a field'],
  ["a name that ends a line", "request", [...GET, "a\r\nb", "c"], '"a\\r\\nb" is no name of a field'],
  ...["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"].flatMap((name) =>
    (["request", "answer", "trailers"] as const).map(
      (kind) =>
        [
          `${name} (${kind})`,
          kind,
          [...WELL[kind], name, "a"],
          `"${name}" belongs to connections of HTTP/1.1`,
        ] as const,
    ),
  ),
  ["te: gzip", "request", [...GET, "te", "trailers, gzip"], '"te" says something else than "trailers"'],
  ["a length twice", "request", [...GET, ...LENGTH, ...LENGTH], '"content-length" stands there twice'],
  ["a length with a sign", "request", [...GET, "content-length", "+1"], '"content-length" is no number'],
  ["an empty length", "request", [...GET, "content-length", ""], '"content-length" is no number'],
  ["a list of lengths", "request", [...GET, "content-length", "1, 1"], '"content-length" is no number'],
  ["a length of 16 digits", "request", [...GET, "content-length", "9".repeat(16)], '"content-length" is no number'],
  ["a length in trailers", "trailers", LENGTH, '"content-length" stands in trailers'],
  ["host in trailers", "trailers", ["host", "a"], '"host" stands in trailers'],
  ["a length of 100", "answer", [":status", "100", ...ZERO], '"content-length" stands in an interim answer'],
  ["a length of 204", "answer", [":status", "204", ...LENGTH], '"content-length" stands in an answer 204'],
  ["no :status", "answer", ["x-a", "b"], '":status" is no status'],
  ["a status twice", "answer", [...OK, ...OK], '":status" stands there twice'],
  ["a status of four digits", "answer", [":status", "2000"], '":status" is no status'],
  ["a status of two digits", "answer", [":status", "20"], '":status" is no status'],
  ["a status that begins with 0", "answer", [":status", "099"], '":status" is no status'],
  ["101", "answer", [":status", "101"], "it switches protocols, which HTTP/2 cannot"],
];

const BAD_VALUES: readonly (readonly [name: string, value: string])[] = [
  ["ends a line", "a\r\nb: c"],
  ["has a line feed", "a\nb"],
  ["has a carriage return", "a\rb"],
  ["has a zero byte", "a\0b"],
  ["has DEL", "a\x7fb"],
  ["begins with a space", " a"],
  ["ends with a tab", "a\t"],
  ["is a space", " "],
];

describe("checkFields", () => {
  it.each(WELL_FORMED)("takes %s", (_name, kind, fields) => {
    expect(checkFields(fields, kind)).toBeUndefined();
  });

  it.each(MALFORMED)("refuses %s", (_name, kind, fields, why) => {
    expect(checkFields(fields, kind)).toBe(why);
  });

  it.each(BAD_VALUES)("refuses a value that %s, of whatever field", (_name, value) => {
    for (const kind of ["request", "answer", "trailers"] as const)
      expect(checkFields([...WELL[kind], "x-a", value], kind)).toMatch(/^the value of "x-a" has/);
    for (const name of [":method", ":scheme", ":authority", ":path"])
      expect(checkFields(withField(name, value), "request")).toMatch(/^the value of ":/);
  });

  it("says no more of a name than 40 characters", () => {
    expect(checkFields([...GET, "A".repeat(1000), "b"], "request")).toBe(`"${"A".repeat(40)}" is no name of a field`);
  });
});

describe("readFields", () => {
  it("says the length and the status of a message", () => {
    const request = { malformed: undefined, contentLength: 12, status: 0 };
    expect(readFields([...GET, "content-length", "0012"], "request")).toEqual(request);
    expect(readFields([":status", "404"], "answer")).toEqual({ malformed: undefined, contentLength: -1, status: 404 });
  });

  it("says neither of what is malformed", () => {
    const malformed = { malformed: '"X" is no name of a field', contentLength: -1, status: 0 };
    expect(readFields([...OK, ...LENGTH, "X", ""], "answer")).toEqual(malformed);
  });
});
