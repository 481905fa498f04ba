import { createServer } from "node:http";
import { constants } from "node:http2";
import { describe, expect, it } from "vitest";
import { aRequest } from "../../src/test-support/fixtures.js";
import { expectConservation, expectSameAccounts, expectSameBytes } from "./expect-accounts.js";
import { everyNth } from "../../src/testing/ground-truth/cases.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";
import {
  closeConnection,
  neverReply,
  reply,
  resetStream,
  startHttp2Server,
  type Http2Action,
  type Http2Behaviour,
  type Http2Request,
} from "./http2-server.js";
import { measure, send, type LoadOptions } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

const { NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

type Case = [name: string, behaviour: Http2Behaviour, load?: LoadOptions];

const BODY = "b".repeat(200_000);
const headers = { "content-length": "5" };

const ANSWERING: readonly Case[] = [
  ["a body", () => reply()],
  ["a body with its length", () => reply({ headers })],
  ["no body", () => reply({ body: "" })],
  ["a large body", () => reply({ body: "x".repeat(300_000) })],
  ["trailers", () => reply({ trailers: true })],
  ["trailers without a body", () => reply({ body: "", trailers: true })],
  ["early hints before the answer", () => reply({ hints: true })],
  ["204", () => reply({ status: 204, body: "" })],
  ["304 with a length", () => reply({ status: 304, body: "", headers }), { request: { expectStatus: "304" } }],
  ["HEAD with a length", () => reply({ body: "", headers }), { request: { method: "HEAD" } }],
  [
    "a request with a body",
    (_, { body }) => reply({ body: `${body.length}`, outcome: body === BODY ? "ok" : "mismatched" }),
    { request: { method: "POST", body: BODY, expectBody: "200000" } },
  ],
];

const every = (nth: number, action: Http2Action): Http2Behaviour => everyNth({ [nth]: action }, reply());
const FAULTY: readonly Case[] = [
  [
    "answers with another body",
    every(4, reply({ body: "hallo", outcome: "mismatched" })),
    { request: { expectBody: "hello" } },
  ],
  ["refuses streams", every(4, resetStream(NGHTTP2_REFUSED_STREAM, "resets"))],
  ["ends streams without an answer", every(4, resetStream(NGHTTP2_NO_ERROR, "dropped"))],
  ["never answers some", every(25, neverReply()), { timeoutMs: 1500 }],
];

const REQUESTS = 100;
const LEVEL = { connections: 10, requests: REQUESTS };
const of = (streams: number): LoadOptions => ({ options: { streams } });

describe.each(SUBJECTS.filter(({ load }) => load.httpVersion === "2"))("$name", (subject) => {
  it.each(ANSWERING)("agrees with a server that answers with %s, on every byte", async (_, behaviour, load) => {
    for (const streams of [1, 4]) {
      const connections = Math.ceil(10 / streams);
      const options = { ...load, ...of(streams) };
      const { measurement, log } = await measure(subject, startHttp2Server(behaviour), LEVEL, options);
      expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
      expect(measurement.connections).toEqual({ asked: connections, opened: connections, established: connections });
      expect(log.mostStreams).toBeLessThanOrEqual(streams);
      expectSameAccounts(measurement, log);
      expectSameBytes(measurement, log);
    }
  });

  it.each(FAULTY)("agrees with a server that %s, and keeps the connection", async (_, behaviour, load) => {
    const { measurement, log } = await measure(subject, startHttp2Server(behaviour), LEVEL, { ...load, ...of(5) });
    expect(measurement.requests.ok).toBeLessThan(REQUESTS);
    expect(measurement.connections.established).toBe(2);
    expectSameAccounts(measurement, log);
    const options = { ...load, keepAlive: false };
    const each = await measure(subject, startHttp2Server(behaviour), LEVEL, options);
    expect(each.measurement.connections).toEqual({ asked: 10, opened: 10, established: REQUESTS });
    expectSameAccounts(each.measurement, each.log);
  });

  it.each(["fin", "rst"] as const)("loses all streams of a connection that is closed by %s", async (how) => {
    const behaviour = every(20, closeConnection(how));
    const level = { connections: 5, requests: REQUESTS };
    const { measurement, log } = await measure(subject, startHttp2Server(behaviour), level, of(5));
    const kind = how === "fin" ? "dropped" : "resets";
    const { ok, [kind]: lost } = measurement.requests;
    expect(ok + lost).toBe(REQUESTS);
    expect(lost).toBeGreaterThanOrEqual(log.outcomes[kind]);
    expect(lost).toBeLessThanOrEqual(5 * log.accepted);
    expect(measurement.connections).toMatchObject({ asked: 1, opened: 1, established: log.accepted });
    expectConservation(measurement);
  });

  it("shares connections in an open loop, and opens no more than may be in flight need", async () => {
    const behaviour: Http2Behaviour = () => reply({ delay: 20 });
    const level = { rate: 1000, requests: 101 };
    const { measurement, log } = await measure(subject, startHttp2Server(behaviour), level, of(4));
    expect(measurement.requests).toMatchObject({ sent: 101, ok: 101 });
    expect(log.mostStreams).toBeGreaterThanOrEqual(2);
    expect(log.mostStreams).toBeLessThanOrEqual(4);
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
  });

  it.each([1, 3])("leaves the users waiting that a server does not take at a time, which takes %i", async (most) => {
    const server = startHttp2Server(() => reply({ delay: 5 }), { maxConcurrentStreams: most });
    const { measurement, log } = await measure(subject, server, LEVEL, of(10));
    expect(measurement.connections.established).toBe(1);
    expect(log.mostStreams).toBe(most);
    expectSameAccounts(measurement, log);
  });

  it("sends bodies to a server that takes one byte at a time", async () => {
    const server = startHttp2Server((_, { body }) => reply({ body: `${body.length}` }), { initialWindowSize: 1 });
    const request = { method: "POST", body: BODY.slice(0, 300), expectBody: "300" };
    const { measurement, log } = await measure(subject, server, LEVEL, { request, ...of(5) });
    expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
  });

  it("sends the headers as HTTP/2 has them", async () => {
    const seen: Http2Request[] = [];
    const server = await startHttp2Server((_number, request) => {
      seen.push(request);
      return reply();
    });
    const url = `${server.url.replace("http://", "http://user:pa%20ss@")}shop?item=1`;
    const sent = { "X-First": "1", Host: "shop.example", Accept: "text/plain", "x-first": "2" };
    const request = { method: "POST", body: "aGk=", bodyEncoding: "base64", headers: Object.entries(sent) } as const;
    await measure(subject, { ...server, url }, { connections: 1, requests: 1 }, { request });
    expect(seen.map(({ body, headers: { ...all } }) => ({ body, headers: Object.entries(all) }))).toEqual([
      {
        body: "hi",
        headers: [
          [":method", "POST"],
          [":scheme", "http"],
          [":authority", "shop.example"],
          [":path", "/shop?item=1"],
          ["authorization", `Basic ${Buffer.from("user:pa ss").toString("base64")}`],
          ["content-length", "2"],
          ["x-first", "1, 2"],
          ["accept", "text/plain"],
        ],
      },
    ]);
  });

  it("sends a mix, the bodies of an entry in turn", async () => {
    const seen: string[] = [];
    const server = startHttp2Server((_number, { headers, body }) => {
      seen.push(`${headers[":method"]} ${headers[":path"]} ${body}`);
      return reply();
    });
    const mix = [
      { name: "look", weight: 3, request: aRequest({ path: "/look", expectBody: "hello" }), bodies: null },
      { name: "buy", weight: 1, request: aRequest({ method: "POST", path: "/buy" }), bodies: ["one", "two"] },
    ];
    const { measurement } = await measure(subject, server, { connections: 4, requests: 80 }, { mix, ...of(2) });
    expect(measurement.mix).toMatchObject([{ ok: 60 }, { ok: 20 }]);
    const times = (what: string): number => seen.filter((one) => one === what).length;
    expect(["GET /look ", "POST /buy one", "POST /buy two"].map(times)).toEqual([60, 10, 10]);
  });

  it("names what is wrong with a server that speaks only HTTP/1.1", async () => {
    const server = createServer((_request, response) => response.end("hello"));
    const { url, close } = await standUp(server, "http");
    const { measurement } = await send(subject, url, { connections: 4, requests: 20 }, of(2));
    await close();
    expect(measurement.requests).toMatchObject({ sent: 20, mismatched: 20 });
    expect(measurement.errorCodes).toEqual({ ERR_HTTP2_NOT_SPOKEN: 20 });
    expectConservation(measurement);
  });

  it.each<[string, LoadOptions]>([
    ["Expected streams (--streams) only with HTTP/2", { httpVersion: "1.1", ...of(2) }],
    ["Expected streams (--streams) only where connections are kept", { keepAlive: false, ...of(2) }],
    ['"connection" belongs to connections of HTTP/1.1', { request: { headers: [["Connection", "close"]] } }],
  ])("refuses what it cannot do: %s", async (message, options) => {
    const sent = send(subject, "http://127.0.0.1:9/", { connections: 1, requests: 1 }, options);
    await expect(sent).rejects.toThrow(message);
  });
});
