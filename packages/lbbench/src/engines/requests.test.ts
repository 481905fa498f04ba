import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { aRequest } from "../test-support/fixtures.js";
import { BodyMatch, planRequests, requestBytes, urlWithPath } from "./requests.js";
import { checkHttp2Request } from "./wire/http2.js";

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`;
const SPELLED = [
  ["X-Tag", "1"],
  ["HOST", "virtual.test"],
  ["x-tag", "2"],
  ["connection", "close"],
  ["content-LENGTH", "3"],
  ["AUTHORIZATION", "Bearer t"],
] as const;

describe("a request over HTTP/1.1", () => {
  const ALIVE = "Connection: keep-alive";

  it.each<[string, string, Partial<RequestSpec>, readonly string[]]>([
    [
      "path and query of the URL, host and connection",
      "http://example.test:8080/a/b?c=d%20e#fragment",
      {},
      ["GET /a/b?c=d%20e HTTP/1.1", "Host: example.test:8080", ALIVE, "", ""],
    ],
    ["no default port", "https://example.test:443/", {}, ["GET / HTTP/1.1", "Host: example.test", ALIVE, "", ""]],
    ["the brackets of an address", "http://[::1]:9000/", {}, ["GET / HTTP/1.1", "Host: [::1]:9000", ALIVE, "", ""]],
    [
      "given headers in order with their repetitions, and none besides that is given in any case of letters",
      "http://user:pass@a.test/",
      { method: "PUT", headers: SPELLED, body: "abc" },
      ["PUT / HTTP/1.1", ...SPELLED.map((header) => header.join(": ")), "", "abc"],
    ],
    [
      "the length of the body in bytes, not in letters",
      "http://a.test/",
      { method: "POST", body: "grüße" },
      ["POST / HTTP/1.1", "Host: a.test", ALIVE, "Content-Length: 7", "", Buffer.from("grüße").toString("latin1")],
    ],
    [
      "a body of base64 as the bytes that it stands for",
      "http://a.test/",
      { method: "POST", body: Buffer.from([0, 255, 10]).toString("base64"), bodyEncoding: "base64" },
      ["POST / HTTP/1.1", "Host: a.test", ALIVE, "Content-Length: 3", "", "\0\u00FF\n"],
    ],
    [
      "the length of no body where one is usual",
      "http://a.test/",
      { method: "POST" },
      ["POST / HTTP/1.1", "Host: a.test", ALIVE, "Content-Length: 0", "", ""],
    ],
    [
      "no length of a body that is framed by the user",
      "http://a.test/",
      { method: "POST", headers: [["Transfer-Encoding", "chunked"]], body: "0" },
      ["POST / HTTP/1.1", "Host: a.test", ALIVE, "Transfer-Encoding: chunked", "", "0"],
    ],
    ...[
      ["decoded", "me%40home:p%3Aw", "me@home:p:w"],
      ["with a percent sign that encodes nothing", "admin:100%", "admin:100%"],
      ["with a password alone", ":token", ":token"],
      ["with a user alone", "me", "me:"],
    ].map(([how, given, meant = ""]): [string, string, Partial<RequestSpec>, readonly string[]] => [
      `the credentials of the URL as a header, ${how}`,
      `http://${given}@a.test/`,
      {},
      ["GET / HTTP/1.1", "Host: a.test", ALIVE, `Authorization: ${basic(meant)}`, "", ""],
    ]),
  ])("has %s", (_, url, request, expected) => {
    const lines = requestBytes(new URL(url), aRequest(request), true).toString("latin1").split("\r\n");
    expect(lines).toEqual(expected);
  });
});

describe("a request over HTTP/2", () => {
  it.each<[string, RequestSpec["headers"], Partial<RequestSpec>?]>([
    ...["Connection", "keep-alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade"].map(
      (name): [string, RequestSpec["headers"]] => [`"${name.toLowerCase()}" belongs to connections`, [[name, "x"]]],
    ),
    ["te", [["TE", "gzip"]]],
    ["CONNECT", [], { method: "CONNECT" }],
  ])("is refused where it cannot be sent: %s", (message, headers, request = {}) => {
    expect(() => checkHttp2Request(aRequest({ ...request, headers }))).toThrow(message);
  });

  it("passes with what only looks like that", () => {
    const headers = [
      ["Host", "shop.example"],
      ["TE", "trailers"],
      ["Accept", "a"],
      ["Accept", "b"],
      ["Content-Type", "a"],
      ["content-type", "b"],
      ["Cookie", "a=1"],
      ["Cookie", "b=2"],
    ] as const;
    expect(() => checkHttp2Request(aRequest({ headers, method: "POST", body: "x" }))).not.toThrow();
  });
});

describe("a mix of requests", () => {
  const REQUEST = aRequest();

  const anEntry = (
    path: string,
    weight: number,
    change: Partial<RequestSpec> = {},
    bodies?: string[],
  ): MixedRequest => ({
    name: path,
    weight,
    request: { ...REQUEST, path, ...change },
    bodies: bodies ?? null,
  });
  const pick = (mix: readonly MixedRequest[], count: number, place = { index: 0, of: 1 }) => {
    const next = planRequests({ url: "http://shop.test/own", request: REQUEST, mix, keepAlive: true }, place);
    return Array.from({ length: count }, next);
  };

  it("deals bodies out in turn, with their length, so that generators send each once before any comes again", () => {
    const bodies = ["0", "1", "2", "3", "4", "5", "bytes"];
    const taken = [0, 1, 2].map((index) =>
      pick([anEntry("/", 1, { method: "HEAD" }, bodies)], 4, { index, of: 3 }).map(({ request, bytes, isHead }) => {
        expect(isHead).toBe(true);
        expect(bytes.toString()).toMatch(new RegExp(`Content-Length: ${request.body?.length}\r\n\r\n${request.body}$`));
        return request.body;
      }),
    );
    expect(taken).toEqual([
      ["0", "3", "bytes", "2"],
      ["1", "4", "0", "3"],
      ["2", "5", "1", "4"],
    ]);
    expect(pick([anEntry("/", 1, {}, ["x"])], 1, { index: 4, of: 5 })[0]?.request.body).toBe("x");
  });

  it.each([
    ["http://127.0.0.1:8080/", "/cart?of=me", "http://127.0.0.1:8080/cart?of=me"],
    ["https://me:secret@shop.test/own?path=1#here", "/cart", "https://me:secret@shop.test/cart"],
    ["http://[::1]:8080", "/a b?c d", "http://[::1]:8080/a%20b?c%20d"],
    ["http://shop.test/", "/a#b", "http://shop.test/a"],
    ["http://shop.test/", "//other.test/a", "http://shop.test//other.test/a"],
    ["http://shop.test/", "/%2e%2E/a?b=%zz", "http://shop.test/a?b=%zz"],
  ])("goes to the host of %s with the path %s", (base, path, expected) => {
    expect(urlWithPath(new URL(base), path).href).toBe(expected);
  });
});

it("a body is the expected one whatever pieces it comes in, and whatever came before it", () => {
  const body = new BodyMatch();
  const text = fc.string({ unit: fc.constantFrom("a", "b", "ö"), maxLength: 8 });
  fc.assert(
    fc.property(fc.option(text), text, fc.array(fc.nat(16)), (expected, came, cuts) => {
      body.start(expected === null ? null : Buffer.from(expected));
      const bytes = Buffer.from(came);
      const ends = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      for (const [index, end] of ends.entries()) {
        const start = ends[index - 1] ?? 0;
        // As a parser hands it out: a part of a larger chunk.
        if (end > start) body.add(Buffer.concat([Buffer.from("head"), bytes]), 4 + start, end - start);
      }
      expect(body.matches()).toBe(expected === null || expected === came);
    }),
    { numRuns: 500 },
  );
});
