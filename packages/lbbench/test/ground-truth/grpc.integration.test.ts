import { createServer as createHttpServer } from "node:http";
import { constants, createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import net, { type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Server as GrpcServer, ServerCredentials, status as statuses, type ServerWritableStream } from "@grpc/grpc-js";
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
  const call = (
    behaviour: CallBehaviour,
    level: Load["level"] = LEVEL,
    options: LoadOptions = {},
  ): Promise<Measured<CallLog>> => measure(subject, startGrpcTruthServer(behaviour), level, options);

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
    "Connection dropped",
    "No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ",
  ])("takes a status for the server's whose text is that of a client without an answer: %s", async (details) => {
    const { measurement } = await call(() => ({ end: "UNAVAILABLE", details }));
    expect(measurement.requests).toMatchObject({ sent: CALLS, non2xx: CALLS });
    expect(measurement.statusCodes).toEqual({ UNAVAILABLE: CALLS });
    expect(measurement.errorCodes).toEqual({});
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

  it.each(["fin", "rst"] as const)("loses the calls of many users with a connection that ends by %s", async (end) => {
    const behaviour: CallBehaviour = (number) => ({ end: number % 50 === 0 ? end : "OK", delay: 2 });
    const level = { connections: 20, requests: 200 };
    const { measurement, log } = await call(behaviour, level, { options: { channels: 2 } });
    const { sent, ok, dropped, resets } = measurement.requests;
    expect([sent, ok + dropped + resets]).toEqual([200, 200]);
    // Closing while calls are on their way is a reset as well.
    expect(end === "rst" ? dropped : 0).toBe(0);
    // Each takes up to ten calls with it, its own at least.
    const hungUp = log.outcomes.dropped + log.outcomes.resets;
    expect(dropped + resets).toBeGreaterThanOrEqual(hungUp);
    expect(dropped + resets).toBeLessThanOrEqual(hungUp * 10);
    expect(measurement.connections.established).toBe(log.accepted);
  });

  it("gives up calls that are never answered, and keeps the connection for others", async () => {
    const behaviour: CallBehaviour = (number) => ({ end: number % 20 === 0 ? "hang" : "OK", headersFirst: true });
    const { measurement, log } = await call(behaviour, LEVEL, { timeoutMs: 1000, options: { channels: 2 } });
    expect(measurement.requests).toMatchObject({ sent: CALLS, ok: 95, timedOut: 5 });
    expect(log).toMatchObject({ cancelled: 5, accepted: 2 });
    expectSameAccounts(measurement, log);
  });

  it.each([
    ["each of them, where no answer comes", "hang" as const],
    ["those that take too long", "OK" as const],
  ])("ends calls at their deadline, which the server is told: %s", async (_, end) => {
    const behaviour: CallBehaviour = (number) =>
      number % 10 === 0 ? { end, delay: 10_000, headersFirst: true } : { end: "OK" };
    const options = { channels: 2, deadline: "1500ms" };
    const { measurement, log } = await call(behaviour, LEVEL, { options });
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
    const { measurement, log } = await call(behaviour, LEVEL, { request });
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
    const watch = async (serve: (call: Watching, number: number) => void, asked: LoadOptions = {}) => {
      const options = { proto: SHOP_PROTO, call: "shop.v1.Shop/Watch", channels: 2 };
      const { measurement } = await send(subject, await startShop(serve), LEVEL, { ...asked, options });
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

    it("each message has to be the expected one", async () => {
      const asked = { request: { expectBody: JSON.stringify(receipt) } };
      const { requests } = await watch((call, number) => {
        call.write(receipt);
        call.write(number % 4 === 0 ? { id: "b" } : receipt);
        call.end();
      }, asked);
      expect(requests).toMatchObject({ sent: CALLS, ok: 75, mismatched: 25 });
    });

    it("a status that comes behind messages counts", async () => {
      const { requests, statusCodes } = await watch((call, number) => {
        call.write(receipt);
        if (number % 4 === 0) call.emit("error", { code: statuses.UNAVAILABLE, details: "down" });
        else call.end();
      });
      expect(requests).toMatchObject({ sent: CALLS, ok: 75, non2xx: 25 });
      expect(statusCodes).toEqual({ OK: 75, UNAVAILABLE: 25 });
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

  describe("with a server that does not speak gRPC", () => {
    const overHttp2 = (answer: (stream: ServerHttp2Stream, number: number) => void) => (): Server => {
      let number = 0;
      return createHttp2Server().on("stream", (stream) => {
        stream.on("error", () => {});
        stream.resume();
        number += 1;
        answer(stream, number);
      });
    };
    const unopened = { opened: 0, established: 0 };
    const proxyError = (stream: ServerHttp2Stream, number: number): void => {
      if (number % 2 === 0) return stream.respond({ ":status": 503 }, { endStream: true });
      stream.respond({ ":status": 503, "content-type": "text/html" });
      stream.end("<html><title>503 Service Unavailable</title></html>");
    };

    it.each<[string, () => Server, Partial<Record<keyof CompleteMeasurement, object>>]>([
      [
        "one of HTTP/1.1 gives no connection",
        () => createHttpServer((_, answer) => void answer.end("hi")),
        { requests: { connectErrors: 8 }, errorCodes: { ERR_HTTP2_NOT_SPOKEN: 8 }, connections: unopened },
      ],
      [
        "one that accepts connections and is silent lets calls time out",
        () => net.createServer((socket) => void socket.on("error", () => {})),
        { requests: { timedOut: 8 }, connections: unopened },
      ],
      [
        "the error of a proxy has its status of HTTP, with or without a page",
        overHttp2(proxyError),
        { requests: { non2xx: 8 }, statusCodes: { "HTTP 503": 8 } },
      ],
      [
        "a page is an answer that is not as expected",
        overHttp2((stream) => {
          stream.respond({ ":status": 200, "content-type": "text/html" });
          stream.end("<html></html>");
        }),
        { requests: { mismatched: 8 }, errorCodes: { INVALID_RESPONSE: 8 } },
      ],
      [
        "calls that are refused one by one leave their connection open, and are not made again",
        overHttp2((stream, number) => stream.close(number > 8 ? 0 : constants.NGHTTP2_REFUSED_STREAM)),
        { requests: { resets: 8 }, errorCodes: { RST_STREAM_REFUSED_STREAM: 8 }, connections: { established: 4 } },
      ],
    ])("%s", async (_, create, expected) => {
      const { url, close } = await standUp(create(), "grpc");
      const { measurement } = await send(subject, url, { connections: 4, requests: 8 }, { timeoutMs: 2000 });
      await close();
      expect(measurement).toMatchObject(expected);
      expect(measurement.requests).toMatchObject({ sent: 8, ok: 0, inFlight: 0 });
      expectConservation(measurement);
    });
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
