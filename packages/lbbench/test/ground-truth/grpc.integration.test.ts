import { createServer as createHttpServer } from "node:http";
import net, { type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Server as GrpcServer, ServerCredentials, type ServerWritableStream } from "@grpc/grpc-js";
import { loadSync, type ServiceDefinition } from "@grpc/proto-loader";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CompleteMeasurement } from "../../src/model/measurement.js";
import type { Load } from "../../src/plugin.js";
import { expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";
import { startGrpcTruthServer, type CallBehaviour, type CallLog } from "./grpc-server.js";
import { measure, send, type LoadOptions, type Measured } from "./measure.js";
import { SUBJECTS } from "./subjects.js";

const CALLS = 100;
const LEVEL = { connections: 10, requests: CALLS };

describe.each(SUBJECTS.filter(({ scheme }) => scheme === "grpc"))("$name", (subject) => {
  const call = (behaviour: CallBehaviour, options: LoadOptions = {}): Promise<Measured<CallLog>> =>
    measure(subject, startGrpcTruthServer(behaviour), LEVEL, options);

  it.each([
    ["four by itself", {}, 50, 4],
    ["as many as it is told", { channels: 9 }, 50, 9],
    ["one for each user", { channels: 50 }, 50, 50],
    ["no more than there are users", { channels: 9 }, 2, 2],
  ])("opens channels: %s, and agrees with the server on every call and byte", async (_, options, users, channels) => {
    const starting = startGrpcTruthServer(() => ({ end: "OK" }));
    const sender = { ...subject, load: {} };
    const { measurement, log } = await measure(sender, starting, { connections: users, requests: CALLS }, { options });
    expect(measurement.connections).toEqual({ asked: channels, opened: channels, established: channels });
    expect(log.mostOpen).toBeLessThanOrEqual(users);
    expect(measurement.bytes.body).toBe(log.bodyBytes);
    expectSameAccounts(measurement, log);
    expectBytesOfWire(measurement, log);
  });

  it("agrees on each status, sent at once or after headers", async () => {
    const ends = ["OK", "UNAVAILABLE", "RESOURCE_EXHAUSTED", "INTERNAL", "DEADLINE_EXCEEDED"] as const;
    const { measurement, log } = await call((n) => ({ end: ends[n % ends.length] ?? "OK", headersFirst: n % 2 === 0 }));
    expect(log.statusCodes).toEqual(Object.fromEntries(ends.map((end) => [end, CALLS / ends.length])));
    expect(measurement.errorCodes).toEqual({});
    expectSameAccounts(measurement, log);
  });

  it.each([
    ["fin", {}],
    ["rst", { ECONNRESET: 10 }],
  ] as const)("agrees on connections that end in the middle of a call by %s", async (end, codes) => {
    // A channel for each user: a connection that ends takes one call with it.
    const { measurement, log } = await call((n) => ({ end: n % 10 === 0 ? end : "OK", headersFirst: n % 20 === 0 }));
    expect(measurement.errorCodes).toEqual(codes);
    expectSameAccounts(measurement, log);
    expectBytesOfWire(measurement, log);
  });

  it("ends calls that take too long at their deadline, which the server is told", async () => {
    const behaviour: CallBehaviour = (number) =>
      number % 10 === 0 ? { end: "OK", delay: 10_000, headersFirst: true } : { end: "OK" };
    const options = { channels: 2, deadline: "1500ms" };
    const { measurement, log } = await call(behaviour, { options });
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 90, non2xx: 10 });
    expect(measurement.statusCodes).toEqual({ OK: 90, DEADLINE_EXCEEDED: 10 });
    expect(measurement.failedLatency?.min).toBeGreaterThanOrEqual(1490);
    expect(log).toMatchObject({ accepted: 2, withDeadline: CALLS });
    expectConservation(measurement);
  });

  it.each([
    ["connecting", undefined],
    ["a handshake of TLS", LOCALHOST],
  ])(
    "has a connection also where %s takes longer than the deadline, which calls miss until then",
    async (_, identity) => {
      const server = await startGrpcTruthServer(() => ({ end: "OK" }), { identity });
      let accepted = 0;
      // What the client says is passed on later.
      const front = net.createServer((socket) => {
        accepted += 1;
        const passOn = (): void => {
          const behind = net.connect(Number(new URL(server.url).port), "127.0.0.1");
          behind
            .on("error", () => {})
            .pipe(socket)
            .pipe(behind);
        };
        const timer = setTimeout(passOn, 700);
        socket.on("error", () => {}).once("close", () => clearTimeout(timer));
      });
      const { url, close } = await standUp(front, "grpc", { identity });
      const options = { options: { channels: 1, deadline: "300ms" }, insecure: true };
      const { measurement } = await send(subject, url, { connections: 1, requests: 8 }, options);
      await Promise.all([close(), server.close()]);
      const { ok, non2xx, sent } = measurement.requests;
      expect(ok).toBeGreaterThan(0);
      expect(non2xx).toBeGreaterThan(0);
      expect(sent).toBe(ok + non2xx);
      expect(measurement.statusCodes).toEqual({ OK: ok, DEADLINE_EXCEEDED: non2xx });
      expect([accepted, measurement.connections.established]).toEqual([1, 1]);
      expectConservation(measurement);
    },
  );

  it("carries message and metadata, and tells answers with another message than expected", async () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    const request: LoadOptions["request"] = {
      body: JSON.stringify({ body: base64("payload") }),
      headers: [["Authorization", "Bearer t"]],
      expectBody: JSON.stringify({ status: 200, body: base64("hello") }),
    };
    const behaviour: CallBehaviour = (number) => ({ end: "OK", body: number % 4 === 0 ? "hullo" : "hello" });
    const { measurement, log } = await call(behaviour, { request });
    expect(log.first).toMatchObject({ body: "payload", metadata: { authorization: "Bearer t" } });
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 75, mismatched: 25 });
    expect(measurement.statusCodes).toEqual({ OK: CALLS });
  });

  it.each<[string, Partial<Load>, string]>([
    ["a method that is not there", { options: { call: "lbbench.sample.Work/Done" } }, 'got "lbbench.sample.Work/Done"'],
    ["a file that is not there", { options: { proto: "none.proto" } }, "none.proto: ENOENT"],
    ["a deadline after the timeout", { options: { deadline: "10s" } }, "deadline (--deadline): expected a time below"],
    ["a URL of HTTP", {}, "expected a URL of host and port alone, such as grpc://"],
  ])("refuses %s before a generator is started", async (_, options, message) => {
    const onStart = vi.fn<() => void>();
    const url = options.options === undefined ? "http://127.0.0.1:1/" : "grpc://127.0.0.1:1";
    const sent = send({ ...subject, load: {} }, url, { connections: 1, requests: 1 }, options, { onStart });
    await expect(sent).rejects.toThrow(message);
    expect(onStart).not.toHaveBeenCalled();
  });

  it("has no connection to a server that speaks TLS, without it", async () => {
    const server = await startGrpcTruthServer(() => ({ end: "OK" }), { identity: LOCALHOST });
    const url = server.url.replace("grpcs", "grpc");
    const { measurement } = await measure(subject, { ...server, url }, { connections: 4, requests: 8 });
    expect(measurement.requests).toMatchObject({ sent: 8, connectErrors: 8 });
    expect(measurement.errorCodes).toEqual({ CLOSED_IN_HANDSHAKE: 8 });
  });

  describe("with a method that answers with a stream", () => {
    /** Calls a method that answers each call so; what it does is told by its number, from 1. */
    const watch = async (serve: (call: Watching, number: number) => void) => {
      const options = { proto: SHOP_PROTO, call: "shop.v1.Shop/Watch", channels: 2 };
      const { measurement } = await send(subject, await startShop(serve), LEVEL, { options });
      expectConservation(measurement);
      return measurement;
    };
    const receipt = { id: "a", number: 7 };
    const RECEIPT_BYTES = 5;

    it("a call is one request, however many messages come", async () => {
      let written = 0;
      const { requests, bytes, connections } = await watch((call, number) => {
        for (let message = 0; message < number % 5; message += 1) call.write(receipt);
        written += number % 5;
        call.end();
      });
      expect(requests).toMatchObject({ sent: CALLS, ok: CALLS });
      expect(bytes.body).toBe(written * RECEIPT_BYTES);
      expect(connections).toEqual({ asked: 2, opened: 2, established: 2 });
    });

    it("its time is told up to the first message and up to the last", async () => {
      const { phases, latency } = await watch((call) => {
        call.write(receipt);
        setTimeout(() => {
          call.write(receipt);
          call.end();
        }, 100);
      });
      // A timer may be early by less than a millisecond.
      expect(latency?.min).toBeGreaterThanOrEqual(99);
      expect(phases?.processing.min).toBeGreaterThanOrEqual(99);
      expect(phases?.waiting.min).toBeLessThan(99);
    });
  });

  it.each<[string, () => Server, Partial<CompleteMeasurement["requests"]>, Record<string, number>]>([
    [
      "speaks HTTP/1.1",
      () => createHttpServer((_, answer) => void answer.end("hi")),
      { connectErrors: 8 },
      { ERR_HTTP2_NOT_SPOKEN: 8 },
    ],
    [
      "accepts connections and is silent",
      () => net.createServer((socket) => void socket.on("error", () => {})),
      { timedOut: 8 },
      {},
    ],
  ])("has no connection to a server that %s", async (_, create, requests, errorCodes) => {
    const { url, close } = await standUp(create(), "grpc");
    const { measurement } = await send(subject, url, { connections: 4, requests: 8 }, { timeoutMs: 2000 });
    await close();
    expect(measurement).toMatchObject({ errorCodes, connections: { opened: 0, established: 0 } });
    expect(measurement.requests).toMatchObject({ sent: 8, ok: 0, inFlight: 0, ...requests });
    expectConservation(measurement);
  });
});

const SHOP_PROTO = fileURLToPath(new URL("../../src/engines/grpc/test-support/shop.proto", import.meta.url));

type Watching = ServerWritableStream<unknown, unknown>;

/** Starts a server of grpc-js whose method `Watch` streams its answers, until the test has finished; resolves with its URL. */
async function startShop(serve: (call: Watching, number: number) => void): Promise<string> {
  const server = new GrpcServer({ "grpc.enable_channelz": 0 });
  onTestFinished(() => server.forceShutdown());
  const service = loadSync(SHOP_PROTO)["shop.v1.Shop"] as ServiceDefinition;
  let number = 0;
  server.addService(service, { Watch: (call: Watching) => serve(call, (number += 1)) });
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", ServerCredentials.createInsecure());
  return `grpc://127.0.0.1:${port}`;
}

/** What the server read and wrote beyond that came after the last answer: the end of the last connections. */
function expectBytesOfWire({ bytes, connections }: CompleteMeasurement, log: CallLog): void {
  for (const beyond of [log.readBytes - bytes.sent, log.writtenBytes - bytes.received]) {
    expect(beyond).toBeGreaterThanOrEqual(0);
    expect(beyond).toBeLessThan(200 * connections.asked);
  }
  expect(bytes.received).toBeGreaterThan(bytes.body);
}
