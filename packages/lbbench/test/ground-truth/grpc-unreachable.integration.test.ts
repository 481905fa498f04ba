import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { constants, createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import net, { type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import { grpcEngine } from "../../src/engines/grpc/engine.js";
import type { Level } from "../../src/model/level.js";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import { closedPort } from "./closed-port.js";
import { expectConservation } from "./expect-accounts.js";
import { startGrpcTruthServer, type GrpcTruthServer } from "./grpc-server.js";
import { aContext, aLoad } from "./load.js";

const TIMEOUT_MS = 1500;
/** Waits of 10, 20, 40, 80, 160 and then 250 ms make eleven calls in that time; a hot loop makes thousands. */
const MOST_ATTEMPTS = 16;

describe("engine grpc, with a target that cannot be reached,", () => {
  const children = createChildPool("generator");
  let server: GrpcTruthServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });
  afterAll(() => children.close());

  it.each([1, 3])(
    "gives up with %i generators when nothing has answered for the timeout, after few attempts",
    async (generators) => {
      const load = aLoad(
        `grpc://127.0.0.1:${await closedPort()}`,
        { connections: 10, durationMs: 60_000 },
        { timeoutMs: TIMEOUT_MS, generators },
      );
      const { measurement, targetGone } = await grpcEngine.run(load, aContext(children));
      const { requests } = measurement;
      expect(targetGone).toBe(true);
      expect(requests.connectErrors).toBe(requests.sent - requests.inFlight);
      expect(requests.sent).toBeGreaterThanOrEqual(20);
      expect(requests.sent).toBeLessThanOrEqual(10 * MOST_ATTEMPTS);
      expect(measurement.errorCodes).toEqual({ ECONNREFUSED: requests.connectErrors });
      expect(measurement.connections).toEqual({ asked: 4, opened: 0, established: 0 });
      expect(measurement.bytes).toEqual({ received: 0, body: 0, sent: 0 });
      expect(measurement.statusCodes).toEqual({});
      expect(measurement).not.toHaveProperty("latency");
      expectConservation(measurement);
    },
  );

  it("makes the exact number of calls where they are used up before it gives up", async () => {
    const load = aLoad(`grpc://127.0.0.1:${await closedPort()}`, { connections: 10, requests: 20 }, { generators: 3 });
    const { measurement, targetGone } = await grpcEngine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: 20, connectErrors: 20, inFlight: 0 });
    expect(targetGone).toBe(false);
    expectConservation(measurement);
  });

  it("counts a name that is not there", async () => {
    const load = aLoad("grpc://host.invalid:50051", { connections: 1, requests: 2 });
    const { measurement } = await grpcEngine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: 2, connectErrors: 2 });
    expect(measurement.errorCodes).toEqual({ ENOTFOUND: 2 });
  });

  it.each([
    ["calls", { connections: 6, requests: 1_000_000 }],
    ["time", { connections: 6, durationMs: 60_000 }],
  ])("notices that a target is gone in the middle of a run for a number of %s", async (_, level) => {
    const mortal = await startGrpcTruthServer((number) => {
      if (number === 300) void mortal.close();
      return { end: "OK" };
    });
    const load = aLoad(mortal.url, level, { timeoutMs: TIMEOUT_MS, generators: 3 });
    const { measurement, targetGone } = await grpcEngine.run(load, aContext(children));
    expect(targetGone).toBe(true);
    expect(measurement.requests.ok).toBeLessThanOrEqual(300);
    expect(measurement.requests.ok).toBeGreaterThanOrEqual(280);
    expect(measurement.requests.non2xx).toBe(0);
    expect(measurement.requests.connectErrors).toBeGreaterThan(0);
    expect(measurement.requests.sent).toBeLessThanOrEqual(300 + 6 + 6 * MOST_ATTEMPTS);
    expectConservation(measurement);
  });

  it("goes on when a target that was gone is back", async () => {
    const before = await startGrpcTruthServer(() => ({ end: "OK" }));
    const { port } = before;
    const abort = new AbortController();
    let sent = 0;
    const run = grpcEngine.run(
      aLoad(before.url, { connections: 6, durationMs: 600_000 }, { timeoutMs: 60_000 }),
      aContext(children, { signal: abort.signal, onProgress: (progress) => (sent = progress.sent) }),
    );
    await vi.waitFor(() => expect(before.log.calls).toBeGreaterThan(100), { timeout: 20_000 });
    await before.close();
    // Those on their way and as many again: the rest found no connection.
    await vi.waitFor(() => expect(sent).toBeGreaterThan(before.log.calls + 12), { timeout: 20_000 });
    const after = await startGrpcTruthServer(() => ({ end: "OK" }), { port });
    server = after;
    await vi.waitFor(() => expect(after.log.calls).toBeGreaterThan(100), { timeout: 20_000 });
    abort.abort();
    const { measurement, targetGone } = await run;
    expect(targetGone).toBe(false);
    expect(measurement.requests.connectErrors).toBeGreaterThan(0);
    expect(measurement.requests.ok).toBeGreaterThan(before.log.calls);
    expect(measurement.connections).toMatchObject({ asked: 4, opened: 4 });
    expect(measurement.connections.established).toBeGreaterThan(4);
    expectConservation(measurement);
  });

  it.each(["hang", "fin"] as const)("does not take a target for gone on which every call ends by %s", async (end) => {
    server = await startGrpcTruthServer(() => ({ end, delayMs: 100 }));
    const load = aLoad(server.url, { connections: 4, requests: 12 }, { timeoutMs: 150 });
    const { measurement, targetGone } = await grpcEngine.run(load, aContext(children));
    expect(targetGone).toBe(false);
    expect(measurement.requests).toMatchObject({ sent: 12, inFlight: 0, ok: 0 });
    expectConservation(measurement);
  });

  it.each([40, 250, 700])("counts a call without an answer after %i ms as timed out, no sooner", async (timeoutMs) => {
    server = await startGrpcTruthServer((number) => ({ end: number % 3 === 0 ? "hang" : "OK" }));
    const load = aLoad(server.url, { connections: 5, requests: 30 }, { timeoutMs });
    const { measurement } = await grpcEngine.run(load, aContext(children));
    const { ok, timedOut } = measurement.requests;
    expect(ok + timedOut).toBe(30);
    expect(timedOut).toBeGreaterThanOrEqual(10);
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(timeoutMs);
    expectConservation(measurement);
  });

  describe("because it is none that speaks gRPC:", () => {
    const level: Level = { connections: 4, requests: 8 };

    const measure = async (foreign: Server): Promise<CompleteMeasurement> => {
      const url = await listen(foreign);
      const load = aLoad(url, level, { timeoutMs: 200 });
      const { measurement } = await grpcEngine.run(load, aContext(children));
      expectConservation(measurement);
      expect(measurement.requests).toMatchObject({ ok: 0, inFlight: 0 });
      return measurement;
    };
    const overHttp2 = (answer: (stream: ServerHttp2Stream) => void): Promise<CompleteMeasurement> => {
      const http2 = createHttp2Server();
      http2.on("stream", (stream) => {
        stream.on("error", () => {});
        stream.resume();
        answer(stream);
      });
      return measure(http2);
    };

    it("a server of HTTP/1.1 gives no connection", async () => {
      const { requests, errorCodes, connections } = await measure(
        createHttpServer((_, answer) => void answer.end("hi")),
      );
      expect(requests).toMatchObject({ sent: 8, connectErrors: 8 });
      expect(errorCodes).toEqual({ ERR_HTTP2_ERROR: 8 });
      expect(connections).toMatchObject({ opened: 0, established: 0 });
    });

    it("one that accepts connections and is silent lets calls time out", async () => {
      const { requests, connections } = await measure(net.createServer((socket) => void socket.on("error", () => {})));
      expect(requests).toMatchObject({ timedOut: requests.sent });
      expect(connections).toMatchObject({ opened: 0, established: 0 });
    });

    it("the error of a proxy has its status of HTTP, with or without a page", async () => {
      let number = 0;
      const { requests, statusCodes } = await overHttp2((stream) => {
        number += 1;
        if (number % 2 === 0) {
          stream.respond({ ":status": 503 }, { endStream: true });
        } else {
          stream.respond({ ":status": 503, "content-type": "text/html" });
          stream.end("<html><title>503 Service Unavailable</title></html>");
        }
      });
      expect(requests).toMatchObject({ sent: 8, non2xx: 8 });
      expect(statusCodes).toEqual({ "HTTP 503": 8 });
    });

    it("a page is an answer that is not as expected", async () => {
      const { requests, errorCodes } = await overHttp2((stream) => {
        stream.respond({ ":status": 200, "content-type": "text/html" });
        stream.end("<html></html>");
      });
      expect(requests).toMatchObject({ sent: 8, mismatched: 8 });
      expect(errorCodes).toEqual({ INVALID_RESPONSE: 8 });
    });

    it("calls that are refused one by one leave their connection open, and are not made again", async () => {
      let calls = 0;
      const { requests, errorCodes, connections } = await overHttp2((stream) => {
        calls += 1;
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      });
      expect(requests).toMatchObject({ sent: 8, resets: 8 });
      expect(calls).toBe(8);
      expect(errorCodes).toEqual({ RST_STREAM_REFUSED_STREAM: 8 });
      expect(connections).toMatchObject({ opened: 4, established: 4 });
    });
  });
});

/** Lets a server listen on a free port until the test has finished; returns its URL as that of a gRPC server. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return `grpc://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
