import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { constants } from "node:http2";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { undiciEngine } from "../../src/engines/undici/engine.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Level } from "../../src/model/level.js";
import { fixture } from "../support/fixture.js";
import { closedPort } from "./closed-port.js";
import {
  expectAccountsWithinFlight,
  expectConservation,
  expectSameAccounts,
  expectSameBytes,
} from "./expect-accounts.js";
import type { ServerIdentity } from "./ground-truth-server.js";
import {
  closeConnection,
  neverReply,
  reply,
  resetStream,
  startHttp2Server,
  type Http2Behaviour,
  type Http2Request,
  type Http2Server,
} from "./http2-server.js";
import { aContext, aLoad, type LoadOptions } from "./load.js";

const IDENTITY = {
  key: readFileSync(fixture("localhost-key.pem"), "utf8"),
  cert: readFileSync(fixture("localhost-cert.pem"), "utf8"),
};
const REQUESTS = 200;
const ARRIVAL = { spacing: "uniform", seed: 1, maxInFlight: 1000 } as const;

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR, NGHTTP2_REFUSED_STREAM } =
  constants;

interface Case {
  readonly name: string;
  readonly behaviour: Http2Behaviour;
  readonly load?: LoadOptions;
}

const BODY = "b".repeat(200_000);

const ANSWERING: readonly Case[] = [
  { name: "a body", behaviour: () => reply() },
  { name: "a body with its length", behaviour: () => reply({ headers: { "content-length": "5" } }) },
  { name: "no body", behaviour: () => reply({ body: "" }) },
  { name: "a large body", behaviour: () => reply({ body: "x".repeat(300_000) }) },
  { name: "trailers", behaviour: () => reply({ trailers: true }) },
  { name: "trailers without a body", behaviour: () => reply({ body: "", trailers: true }) },
  { name: "early hints before the answer", behaviour: () => reply({ hints: true }) },
  { name: "204", behaviour: () => reply({ status: 204, body: "" }) },
  {
    name: "304 with a length",
    behaviour: () => reply({ status: 304, body: "", headers: { "content-length": "5" } }),
    load: { request: { expectStatus: "304" } },
  },
  {
    name: "HEAD with a length",
    behaviour: () => reply({ body: "", headers: { "content-length": "5" } }),
    load: { request: { method: "HEAD" } },
  },
  {
    name: "a request with a body",
    behaviour: (_, { body }) => reply({ body: `${body.length}`, outcome: body === BODY ? "ok" : "mismatched" }),
    load: { request: { method: "POST", body: BODY, expectBody: "200000" } },
  },
  {
    name: "statuses that are expected",
    behaviour: (number) => reply({ status: number % 2 === 0 ? 404 : 200 }),
    load: { request: { expectStatus: "200,4xx" } },
  },
];

const FAULTY: readonly Case[] = [
  { name: "answers with errors", behaviour: every(4, () => reply({ status: 503, outcome: "non2xx" })) },
  {
    name: "answers with another body",
    behaviour: every(4, () => reply({ body: "hallo", outcome: "mismatched" })),
    load: { request: { expectBody: "hello" } },
  },
  { name: "refuses streams", behaviour: every(4, () => resetStream(NGHTTP2_REFUSED_STREAM, "resets")) },
  { name: "breaks streams off", behaviour: every(4, () => resetStream(NGHTTP2_INTERNAL_ERROR, "resets")) },
  { name: "cancels streams", behaviour: every(4, () => resetStream(NGHTTP2_CANCEL, "resets")) },
  { name: "ends streams without an answer", behaviour: every(4, () => resetStream(NGHTTP2_NO_ERROR, "dropped")) },
  { name: "finds fault", behaviour: every(4, () => resetStream(NGHTTP2_PROTOCOL_ERROR, "mismatched")) },
  { name: "never answers some", behaviour: every(50, () => neverReply()), load: { timeoutMs: 400 } },
];

/** A load over HTTP/2, `streams` on each connection. */
function overHttp2(url: string, level: Level, streams: number, options: LoadOptions = {}): ReturnType<typeof aLoad> {
  return aLoad(url, level, { ...options, httpVersion: "2", options: { streams } });
}

/** What is done with every so many-th request; the others are answered. */
function every(nth: number, action: Http2Behaviour): Http2Behaviour {
  return (number, request) => (number % nth === 0 ? action(number, request) : reply());
}

type Ending = "fin" | "rst";

describe.each<[string, { readonly identity?: ServerIdentity }, readonly Ending[]]>([
  ["without TLS", {}, ["fin", "rst"]],
  // Node cannot reset a connection of TLS.
  ["over TLS", { identity: IDENTITY }, ["fin"]],
])("engine undici over HTTP/2, %s,", (_, encryption, endings) => {
  beforeAll(() => void vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem")));
  afterAll(() => void vi.unstubAllEnvs());
  const children = createChildPool("generator");
  let server: Http2Server | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  const measure = async (
    { behaviour, load }: Omit<Case, "name">,
    level: Level,
    streams: number,
    options: LoadOptions = {},
  ): Promise<[CompleteMeasurement, Http2Server]> => {
    server = await startHttp2Server(behaviour, encryption);
    const asked = overHttp2(server.url, level, streams, { ...load, ...options });
    const { measurement } = await undiciEngine.run(asked, aContext(children));
    // Node's server may not notice that a connection of TLS was closed while it wrote to it.
    const isCut = level.durationMs !== undefined && options.atEnd !== "drain";
    if (!isCut) await server.drained();
    expectConservation(measurement);
    return [measurement, server];
  };

  describe.each(ANSWERING)("agrees with a server that answers with $name", (example) => {
    it.each([
      [10, 1, 1, 10],
      [10, 4, 1, 3],
      [10, 4, 3, 3],
      [1, 4, 3, 1],
    ])(
      "over %i users, %i to a connection, by %i generators, on every byte",
      async (users, streams, generators, connections) => {
        const level = { connections: users, requests: REQUESTS };
        const [measurement, { log }] = await measure(example, level, streams, { generators });
        expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
        expect(measurement.connections).toEqual({ asked: connections, opened: connections, established: connections });
        expect(log.mostStreams).toBeLessThanOrEqual(streams);
        expectSameAccounts(measurement, log);
        expectSameBytes(measurement, log);
      },
    );

    it("for a time at whose end the open requests are cut, or answered", async () => {
      const level = { connections: 10, durationMs: 200 };
      const [cut, { log }] = await measure(example, level, 4);
      expectAccountsWithinFlight(cut, log);
      const [drained, other] = await measure(example, level, 4, { atEnd: "drain", generators: 2 });
      expectSameAccounts(drained, other.log);
      expectSameBytes(drained, other.log);
    });
  });

  it.each(FAULTY)("agrees with a server that $name, and keeps the connection", async (example) => {
    for (const [streams, connections] of [
      [1, 10],
      [5, 2],
    ] as const) {
      const [measurement, { log }] = await measure(example, { connections: 10, requests: REQUESTS }, streams);
      expect(measurement.requests.sent).toBe(REQUESTS);
      expect(measurement.requests.ok).toBeLessThan(REQUESTS);
      expect(measurement.connections.established).toBe(connections);
      expectSameAccounts(measurement, log);
    }
  });

  it.each(endings)("agrees with a server that closes connections by %s", async (how) => {
    const behaviour = every(4, () => closeConnection(how));
    const [measurement, { log }] = await measure({ behaviour }, { connections: 10, requests: REQUESTS }, 1);
    expect(measurement.requests[how === "fin" ? "dropped" : "resets"]).toBe(REQUESTS / 4);
    expectSameAccounts(measurement, log);
  });

  it.each(endings)("loses all streams of a connection that is closed by %s", async (how) => {
    const behaviour = every(20, () => closeConnection(how));
    const [{ requests, connections }, { log }] = await measure(
      { behaviour },
      { connections: 5, requests: REQUESTS },
      5,
    );
    const lost = requests[how === "fin" ? "dropped" : "resets"];
    expect(requests.ok + lost).toBe(REQUESTS);
    expect(lost).toBeGreaterThanOrEqual(log.outcomes[how === "fin" ? "dropped" : "resets"]);
    expect(lost).toBeLessThanOrEqual(5 * log.accepted);
    expect(connections).toMatchObject({ asked: 1, opened: 1, established: log.accepted });
  });

  it("opens another connection when the server ends one in order, and counts no failure", async () => {
    const behaviour = every(10, () => reply({ goaway: true }));
    for (const streams of [1, 5]) {
      const [measurement, { log }] = await measure({ behaviour }, { connections: 5, requests: REQUESTS }, streams);
      expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
      expect(measurement.connections.established).toBe(log.accepted);
      expect(log.accepted).toBeGreaterThan(5);
      expect(log.requests).toBe(REQUESTS);
    }
  });

  it("opens a connection for each request where they are not kept", async () => {
    for (const generators of [1, 3]) {
      const level = { connections: 10, requests: REQUESTS };
      const [measurement, { log }] = await measure({ behaviour: () => reply() }, level, 1, {
        keepAlive: false,
        generators,
      });
      expect(measurement.requests).toMatchObject({ sent: REQUESTS, ok: REQUESTS });
      expect(measurement.connections).toEqual({ asked: 10, opened: 10, established: REQUESTS });
      expectSameAccounts(measurement, log);
      expectSameBytes(measurement, log);
      const [failing, other] = await measure(
        { behaviour: every(4, () => resetStream(NGHTTP2_REFUSED_STREAM, "resets")) },
        level,
        1,
        { keepAlive: false, generators },
      );
      expect(failing.connections.established).toBe(REQUESTS);
      expectSameAccounts(failing, other.log);
    }
  });

  it.each([
    [1, 1],
    [4, 1],
    [4, 3],
  ])("sends on a schedule, %i requests to a connection, by %i generators", async (streams, generators) => {
    const level = { rate: 1000, requests: 301 };
    const options = { arrival: ARRIVAL, generators };
    const [measurement, { log }] = await measure({ behaviour: () => reply({ delayMs: 20 }) }, level, streams, options);
    expect(measurement.requests).toMatchObject({ sent: 301, ok: 301 });
    expect(measurement.schedule).toMatchObject({ rate: 1000, planned: 301, unsent: 0 });
    expect(measurement.connections.opened).toBe(measurement.connections.asked);
    expect(log.mostStreams).toBeGreaterThanOrEqual(Math.min(2, streams));
    expect(log.mostStreams).toBeLessThanOrEqual(streams);
    expectSameAccounts(measurement, log);
    expectSameBytes(measurement, log);
  });

  it("sends no more of a schedule than may be in flight, on as few connections as that takes", async () => {
    const level = { rate: 500, durationMs: 600 };
    const options = { arrival: { ...ARRIVAL, maxInFlight: 10 }, generators: 2 };
    const [measurement, { log }] = await measure({ behaviour: () => neverReply() }, level, 5, options);
    expect(measurement.requests).toMatchObject({ sent: 10, inFlight: 10 });
    expect(measurement.schedule?.unsent).toBe((measurement.schedule?.planned ?? 0) - 10);
    expect(measurement.connections).toEqual({ asked: 2, opened: 2, established: 2 });
    expect(log.mostStreams).toBe(5);
  });

  it("keeps connecting and answering apart", async () => {
    const behaviour = (): ReturnType<typeof reply> => reply({ delayMs: 10 });
    const [kept] = await measure({ behaviour }, { connections: 4, requests: 40 }, 4);
    expect(kept.phases?.connect).toMatchObject({ min: 0, median: 0 });
    expect(kept.phases?.connect.max).toBeGreaterThan(0);
    expect(kept.phases?.waiting.min).toBeGreaterThan(9);
    const [each] = await measure({ behaviour }, { connections: 4, requests: 40 }, 1, { keepAlive: false });
    expect(each.phases?.connect.min).toBeGreaterThan(0);
    expect(each.phases?.total.mean).toBeLessThanOrEqual(each.latency?.mean ?? Number.NaN);
  });

  it("ends at once when it is aborted", async () => {
    const abort = new AbortController();
    server = await startHttp2Server((number) => {
      if (number === 100) abort.abort();
      return reply({ delayMs: 2 });
    }, encryption);
    const load = overHttp2(server.url, { connections: 12, durationMs: 3_600_000 }, 4, { generators: 3 });
    const { measurement } = await undiciEngine.run(load, aContext(children, { signal: abort.signal }));
    expect(measurement.requests.sent).toBeGreaterThanOrEqual(100);
    expectConservation(measurement);
    expectAccountsWithinFlight(measurement, server.log);
  });
});

describe("engine undici over HTTP/2", () => {
  const children = createChildPool("generator");
  let server: Http2Server | undefined;
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const close of closing.splice(0)) await close();
    vi.unstubAllEnvs();
  });
  afterAll(() => children.close());

  it("sends the headers as HTTP/2 has them", async () => {
    const seen: Http2Request[] = [];
    server = await startHttp2Server((_number, request) => {
      seen.push(request);
      return reply();
    });
    const url = server.url.replace("http://", "http://user:pa%20ss@");
    const headers = [
      ["X-First", "1"],
      ["Host", "shop.example"],
      ["Accept", "text/plain"],
      ["x-first", "2"],
    ] as const;
    const request = { method: "POST", body: "aGk=", bodyEncoding: "base64", headers } as const;
    const load = overHttp2(`${url}shop?item=1`, { connections: 1, requests: 1 }, 1, { request });
    await undiciEngine.run(load, aContext(children));
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
    const seen = new Map<string, number>();
    server = await startHttp2Server((_number, { headers, body }) => {
      const what = `${headers[":method"]} ${headers[":path"]} ${body}`;
      seen.set(what, (seen.get(what) ?? 0) + 1);
      return reply({ body: body || "hello" });
    });
    const { request } = aLoad(server.url, {});
    const mix = [
      { name: "look", weight: 3, request: { ...request, path: "/look", expectBody: "hello" }, bodies: null },
      { name: "buy", weight: 1, request: { ...request, method: "POST", path: "/buy" }, bodies: ["one", "two"] },
    ];
    const load = overHttp2(server.url, { connections: 4, requests: 80 }, 2, { mix });
    const { measurement } = await undiciEngine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: 80, ok: 80 });
    expect(Object.fromEntries(seen)).toEqual({ "GET /look ": 60, "POST /buy one": 10, "POST /buy two": 10 });
    expect(measurement.mix).toMatchObject([{ ok: 60 }, { ok: 20 }]);
  });

  it("leaves the users waiting that a server does not take at a time", async () => {
    server = await startHttp2Server(() => reply({ delayMs: 5 }), { maxConcurrentStreams: 3 });
    const load = overHttp2(server.url, { connections: 10, requests: 100 }, 10);
    const { measurement } = await undiciEngine.run(load, aContext(children));
    await server.drained();
    expect(measurement.requests).toMatchObject({ sent: 100, ok: 100 });
    expect(measurement.connections.established).toBe(1);
    expect(server.log.mostStreams).toBe(3);
    expectSameAccounts(measurement, server.log);
  });

  it("finds no connection where nobody listens, and gives up", async () => {
    const load = overHttp2(`http://127.0.0.1:${await closedPort()}/`, { connections: 6, durationMs: 60_000 }, 3, {
      timeoutMs: 300,
      generators: 2,
    });
    const { measurement, targetGone } = await undiciEngine.run(load, aContext(children));
    expect(targetGone).toBe(true);
    expect(measurement.requests.connectErrors).toBe(measurement.requests.sent - measurement.requests.inFlight);
    expect(measurement.errorCodes).toEqual({ ECONNREFUSED: measurement.requests.connectErrors });
    expect(measurement.connections).toEqual({ asked: 2, opened: 0, established: 0 });
    expectConservation(measurement);
  });

  it("says that a server speaks only HTTP/1.1", async () => {
    const target = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => target.close(resolve)));
    const { port } = target.address() as AddressInfo;
    const load = overHttp2(`http://127.0.0.1:${port}/`, { connections: 4, requests: 20 }, 2);
    const { measurement } = await undiciEngine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: 20, mismatched: 20 });
    expect(measurement.errorCodes).toEqual({ ERR_HTTP2_NOT_SPOKEN: 20 });
    expectConservation(measurement);
  });

  it.each([
    ["that offers nothing", {}],
    ["that offers HTTP/1.1", { ALPNProtocols: ["http/1.1"] }],
  ])("says that a server %s over TLS does not agree on HTTP/2", async (_, protocols) => {
    vi.stubEnv("NODE_EXTRA_CA_CERTS", fixture("localhost-cert.pem"));
    const trusting = createChildPool("trusting");
    closing.push(() => trusting.close());
    const target = tls.createServer({ ...IDENTITY, ...protocols }, (socket) => socket.on("error", () => {}));
    target.on("tlsClientError", () => {});
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => target.close(resolve)));
    const { port } = target.address() as AddressInfo;
    const load = overHttp2(`https://127.0.0.1:${port}/`, { connections: 4, requests: 20 }, 2);
    const { measurement } = await undiciEngine.run(load, aContext(trusting));
    expect(measurement.requests).toMatchObject({ sent: 20, connectErrors: 20 });
    expect(measurement.errorCodes).toEqual({ ERR_HTTP2_NOT_NEGOTIATED: 20 });
    expect(measurement.connections).toEqual({ asked: 2, opened: 0, established: 0 });
    expectConservation(measurement);
  });

  it("verifies the certificate", async () => {
    server = await startHttp2Server(() => reply(), { identity: IDENTITY });
    const { measurement } = await undiciEngine.run(
      overHttp2(server.url, { connections: 2, requests: 6 }, 2),
      aContext(children),
    );
    expect(measurement.requests).toMatchObject({ sent: 6, connectErrors: 6 });
    expect(measurement.errorCodes).toEqual({ DEPTH_ZERO_SELF_SIGNED_CERT: 6 });
    expect(server.log.requests).toBe(0);
  });

  it.each<[string, LoadOptions]>([
    ["Expected streams (--streams) only with HTTP/2", { options: { streams: 2 } }],
    [
      "Expected streams (--streams) only where connections are kept",
      { httpVersion: "2", keepAlive: false, options: { streams: 2 } },
    ],
    [
      'got "Connection", which is about the connection',
      { httpVersion: "2", request: { headers: [["Connection", "close"]] } },
    ],
    [
      '"content-type" must only have a single value',
      {
        httpVersion: "2",
        request: {
          headers: [
            ["Content-Type", "a"],
            ["content-type", "b"],
          ],
        },
      },
    ],
    ["one that Node refuses: ", { httpVersion: "2", request: { method: "CONNECT" } }],
  ])("refuses what it cannot do: %s", async (message, options) => {
    const load = aLoad("http://127.0.0.1:9/", { connections: 1, requests: 1 }, options);
    await expect(undiciEngine.run(load, aContext(children))).rejects.toThrow(message);
  });
});
