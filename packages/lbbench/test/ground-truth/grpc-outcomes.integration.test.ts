import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { grpcEngine } from "../../src/engines/grpc/engine.js";
import type { Level } from "../../src/model/level.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import { expectConservation } from "./expect-accounts.js";
import { startGrpcTruthServer, type CallBehaviour, type GrpcTruthServer } from "./grpc-server.js";
import { aContext, aLoad, type LoadOptions } from "./load.js";

const CALLS = 200;

describe("engine grpc agrees with the server", () => {
  const children = createChildPool("generator");
  let server: GrpcTruthServer | undefined;
  afterEach(() => server?.close());
  afterAll(() => children.close());

  const measure = async (
    behaviour: CallBehaviour,
    level: Level,
    options: LoadOptions = {},
  ): Promise<[CompleteMeasurement, GrpcTruthServer]> => {
    server = await startGrpcTruthServer(behaviour);
    const { measurement } = await grpcEngine.run(aLoad(server.url, level, options), aContext(children));
    await server.drained();
    expectConservation(measurement);
    return [measurement, server];
  };

  it.each([
    [1, 1, 1],
    [10, 1, 1],
    [10, 4, 1],
    [10, 4, 3],
    [7, 7, 3],
  ])(
    "on every call, byte and connection, of %i users over %i channels from %i generators",
    async (connections, channels, generators) => {
      const level = { connections, requests: CALLS };
      const [measurement, { log }] = await measure(() => ({ end: "OK" }), level, { generators, options: { channels } });
      expect(log.calls).toBe(CALLS);
      expect(measurement.requests).toMatchObject({ sent: CALLS, ok: CALLS });
      expect(measurement.statusCodes).toEqual({ OK: CALLS });
      expect(measurement.connections).toEqual({ asked: channels, opened: channels, established: channels });
      expect(log.accepted).toBe(channels);
      expect(measurement.bytes.body).toBe(log.bodyBytes);
      expectBytesOfWire(measurement, log, channels);
    },
  );

  it.each([1, 3])("on each status, sent at once or after headers, with %i generators", async (generators) => {
    const ends = ["OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "INTERNAL", "DEADLINE_EXCEEDED"] as const;
    const behaviour: CallBehaviour = (number) => ({
      end: ends[number % ends.length] ?? "OK",
      headersFirst: number % 2 === 0,
    });
    const level = { connections: 10, requests: CALLS };
    const [measurement, { log }] = await measure(behaviour, level, { generators });
    expect(measurement.statusCodes).toEqual(log.statuses);
    expect(log.statuses).toEqual(Object.fromEntries(ends.map((end) => [end, CALLS / ends.length])));
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 40, non2xx: 160, timedOut: 0, connectErrors: 0 });
    expect(measurement.errorCodes).toEqual({});
    expect(log.calls).toBe(CALLS);
  });

  it.each([
    "Connection dropped",
    "read ECONNRESET",
    "Stream refused by server",
    "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ",
  ])("on a status whose text is that of a client without an answer: %s", async (details) => {
    const [measurement] = await measure(() => ({ end: "UNAVAILABLE", details }), { connections: 4, requests: 40 });
    expect(measurement.requests).toMatchObject({ sent: 40, non2xx: 40 });
    expect(measurement.statusCodes).toEqual({ UNAVAILABLE: 40 });
    expect(measurement.errorCodes).toEqual({});
  });

  it.each([
    ["fin", "dropped", {}, 1],
    ["fin", "dropped", {}, 3],
    ["rst", "resets", { ECONNRESET: 20 }, 1],
    ["rst", "resets", { ECONNRESET: 20 }, 3],
  ] as const)("on connections that end in the middle of a call by %s", async (end, kind, codes, generators) => {
    // A channel for each user: a connection that ends takes one call with it.
    const behaviour: CallBehaviour = (number) => ({
      end: number % 10 === 0 ? end : "OK",
      headersFirst: number % 20 === 0,
    });
    const level = { connections: 5, requests: CALLS };
    const [measurement, { log }] = await measure(behaviour, level, { generators, options: { channels: 5 } });
    expect(log.hungUp).toBe(20);
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 180, non2xx: 0, connectErrors: 0, [kind]: 20 });
    expect(measurement.errorCodes).toEqual(codes);
    expect(measurement.statusCodes).toEqual({ OK: 180 });
    expect(measurement.connections).toEqual({ asked: 5, opened: 5, established: log.accepted });
    expect(log.calls).toBe(CALLS);
    expectBytesOfWire(measurement, log, 5);
  });

  it.each(["fin", "rst"] as const)("on connections that end by %s with the calls of many users", async (end) => {
    const behaviour: CallBehaviour = (number) => ({ end: number % 50 === 0 ? end : "OK", delayMs: 2 });
    const level = { connections: 20, requests: 400 };
    const [measurement, { log }] = await measure(behaviour, level, { options: { channels: 2 } });
    const { sent, ok, dropped, resets } = measurement.requests;
    expect(sent).toBe(400);
    expect(ok + dropped + resets).toBe(sent);
    // Closing while calls are on their way is a reset as well.
    expect(end === "rst" ? dropped : 0).toBe(0);
    // Each takes up to ten calls with it, its own at least.
    expect(dropped + resets).toBeGreaterThanOrEqual(log.hungUp);
    expect(dropped + resets).toBeLessThanOrEqual(log.hungUp * 10);
    expect(ok).toBeLessThanOrEqual(log.statuses["OK"] ?? 0);
    expect(measurement.connections.established).toBe(log.accepted);
  });

  it("on calls that are never answered, while others on the connection are", async () => {
    const behaviour: CallBehaviour = (number) => ({ end: number % 20 === 0 ? "hang" : "OK", headersFirst: true });
    const level = { connections: 5, requests: CALLS };
    const [measurement, { log }] = await measure(behaviour, level, { timeoutMs: 1000, options: { channels: 2 } });
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 190, timedOut: 10 });
    expect(log.cancelled).toBe(10);
    expect(log.accepted).toBe(2);
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(1000);
    expect(measurement.failedLatency?.p50).toBeLessThan(1250);
  });

  it("on answers with another message than expected", async () => {
    const behaviour: CallBehaviour = (number) => ({ end: "OK", body: number % 4 === 0 ? "hullo" : "hello" });
    const expectBody = JSON.stringify({ status: 200, body: Buffer.from("hello").toString("base64") });
    const [measurement] = await measure(behaviour, { connections: 4, requests: 40 }, { request: { expectBody } });
    expect(measurement.requests).toMatchObject({ sent: 40, ok: 30, mismatched: 10 });
    expect(measurement.statusCodes).toEqual({ OK: 40 });
  });

  it("on what every call carries", async () => {
    const request = {
      body: JSON.stringify({ body: Buffer.from("payload").toString("base64"), content_type: "text/plain" }),
      headers: [
        ["Authorization", "Bearer t"],
        ["Content-Type", "application/json"],
      ] as const,
    };
    const [, { log }] = await measure(() => ({ end: "OK" }), { connections: 1, requests: 1 }, { request });
    expect(log.first).toMatchObject({ body: "payload", metadata: { authorization: "Bearer t" } });
  });

  it("for a time at whose end the open calls are cut", async () => {
    const level = { connections: 12, durationMs: 400 };
    const [measurement, { log }] = await measure(() => ({ end: "OK", delayMs: 3 }), level, { generators: 3 });
    expect(measurement.elapsedMs).toBeGreaterThanOrEqual(399);
    expect(measurement.requests.inFlight).toBeLessThanOrEqual(12);
    expect(log.calls).toBeLessThanOrEqual(measurement.requests.sent);
    expect(log.calls).toBeGreaterThanOrEqual(measurement.requests.sent - measurement.requests.inFlight);
    expect(measurement.requests.ok).toBeLessThanOrEqual(log.statuses["OK"] ?? 0);
  });

  it("for a time at whose end the open calls are answered", async () => {
    const level = { connections: 12, durationMs: 250 };
    const load: LoadOptions = { atEnd: "drain", generators: 3 };
    const [measurement, { log }] = await measure(() => ({ end: "OK", delayMs: 30 }), level, load);
    expect(measurement.requests).toMatchObject({ sent: log.calls, ok: log.calls, inFlight: 0 });
    expect(log.cancelled).toBe(0);
  });

  it.each([
    [20, 1, 1],
    [20, 4, 1],
    [20, 4, 3],
  ])(
    "on how many calls are under way: those of %i users and no more, over %i channels from %i generators",
    async (connections, channels, generators) => {
      const level = { connections, requests: 400 };
      const behaviour: CallBehaviour = (number) => ({ end: number % 7 === 0 ? "INTERNAL" : "OK", delayMs: 25 });
      const [measurement, { log }] = await measure(behaviour, level, { generators, options: { channels } });
      expect(log.mostInProgress).toBe(connections);
      expect(log.calls).toBe(measurement.requests.sent);
    },
  );

  it("on calls under way also where they are given up", async () => {
    const behaviour: CallBehaviour = (number) => (number % 3 === 0 ? { end: "hang" } : { end: "OK", delayMs: 5 });
    const level = { connections: 6, requests: 60 };
    const [measurement, { log }] = await measure(behaviour, level, { timeoutMs: 500, options: { channels: 2 } });
    expect(measurement.requests).toMatchObject({ sent: 60, ok: 40, timedOut: 20 });
    expect(log.mostInProgress).toBeLessThanOrEqual(6);
  });

  it("on the time that calls take, answers and failures apart", async () => {
    const behaviour: CallBehaviour = (number) =>
      number % 2 === 0 ? { end: "UNAVAILABLE", delayMs: 200 } : { end: "OK", delayMs: 5 + (number % 80) };
    const [measurement, { log }] = await measure(behaviour, { connections: 10, requests: CALLS });
    const served = log.serviceMs.filter((ms) => ms < 190).toSorted((a, b) => a - b);
    expect(served).toHaveLength(CALLS / 2);
    expect(measurement.latency?.min).toBeGreaterThanOrEqual(served[0] ?? Number.NaN);
    const median = served[Math.ceil(served.length / 2) - 1] ?? Number.NaN;
    expect(measurement.latency?.p50).toBeGreaterThanOrEqual(median);
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(199);
    expect(measurement.latency?.min).toBeLessThan(150);
  });
});

/** What the server read and wrote beyond that came after the last answer: the end of the last connections. */
function expectBytesOfWire(
  { bytes }: CompleteMeasurement,
  log: { readonly readBytes: number; readonly writtenBytes: number },
  channels: number,
): void {
  const most = 200 * channels;
  expect(log.readBytes - bytes.sent).toBeGreaterThanOrEqual(0);
  expect(log.readBytes - bytes.sent).toBeLessThan(most);
  expect(log.writtenBytes - bytes.received).toBeGreaterThanOrEqual(0);
  expect(log.writtenBytes - bytes.received).toBeLessThan(most);
  expect(bytes.received).toBeGreaterThan(bytes.body);
}
