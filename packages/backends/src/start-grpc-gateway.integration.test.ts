import { Server, ServerCredentials, type handleUnaryCall } from "@grpc/grpc-js";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BackendStartError } from "./backend-start-error.js";
import { clientOf, replyOf } from "./grpc/test-support/grpc-client.js";
import { gateway, grpcServer } from "./grpc/test-support/started-grpc.js";
import { loadWorkMethod, type WorkReply, type WorkRequest } from "./grpc/work-method.js";
import { startGrpcGateway, type GrpcGatewayOptions } from "./start-grpc-gateway.js";
import { startSingle } from "./start-single.js";
import { isListening, keepAliveAgent, send, type Answer } from "./test-support/client.js";
import { single } from "./test-support/started.js";

const POST = { method: "POST", headers: { "content-type": "text/x-work" } };

/** Port of a server of TCP that the test gives what connects to it. */
async function tcpServer(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    onSocket(socket);
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** URL of a service that replies as it is told. */
async function serviceThat(answers: handleUnaryCall<WorkRequest, WorkReply>): Promise<string> {
  const service = new Server();
  service.addService({ method: await loadWorkMethod() }, { method: answers });
  onTestFinished(() => service.forceShutdown());
  const port = await new Promise<number>((resolve, reject) => {
    service.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return `grpc://127.0.0.1:${port}`;
}

describe("the same work", () => {
  it.each([
    "hello",
    "hello,size=10kB",
    "json",
    "json,size=3kB",
    "echo",
    "sleep:10ms",
    "sleep:uniform(1ms,5ms),seed=3,size=100",
    "cpu:2ms",
    "cpu:2ms,size=7",
    "error:0%",
    "error:0%,size=5kB",
  ])("%s answers alike over HTTP, over a gateway and over gRPC", async (handler) => {
    const [http, service] = [await single(handler), await grpcServer(handler)];
    const [front, call] = [await gateway({ upstream: service.url }), await clientOf(service.url)];
    const sent = "what is sent \u2713";
    const plain = await send(http.url, POST, sent);
    const relayed = await send(front.url, POST, sent);
    const { body, ...head } = replyOf(await call(sent, "text/x-work"));
    const seen = ({ status, headers, body: text }: Answer): unknown => [status, headers["content-type"], text];
    expect(plain.body).not.toBe("");
    expect(seen(relayed)).toEqual(seen(plain));
    expect(relayed.headers["content-length"]).toBe(String(body.length));
    expect([head.status, head.contentType, body.toString()]).toEqual(seen(plain));
    expect([await http.requests(), await front.requests(), await service.requests()]).toEqual([1, 1, 2]);
  });

  it("echo without a body or a type answers alike", async () => {
    const [http, service] = [await single("echo"), await grpcServer("echo")];
    const front = await gateway({ upstream: service.url });
    const [plain, relayed] = [await send(http.url), await send(front.url)];
    expect(plain).toMatchObject({ status: 200, body: "", headers: { "content-type": "application/octet-stream" } });
    expect(relayed).toMatchObject({ status: 200, body: "", headers: { "content-type": "application/octet-stream" } });
  });
});

describe("startGrpcGateway", () => {
  it("serves in this process, and names it only on request", async () => {
    const { url: upstream } = await grpcServer("hello");
    const silent = await gateway({ upstream });
    const telling = await gateway({ upstream, identify: true });
    expect([silent.url, silent.pids]).toEqual([`http://127.0.0.1:${silent.port}`, [process.pid]]);
    expect((await send(silent.url)).headers).not.toHaveProperty("x-worker");
    expect((await send(telling.url)).headers).toHaveProperty("x-worker", String(process.pid));
  });

  it.each([undefined, 1, 4])(
    "calls over as many connections as it is told, and closes them in the end (%s)",
    async (channels) => {
      const service = await grpcServer("hello");
      // Relays, so as to see the connections.
      let connections = 0;
      let open = 0;
      const port = await tcpServer((socket) => {
        connections += 1;
        open += 1;
        socket.once("close", () => (open -= 1));
        const onward = connect(service.port, "127.0.0.1").on("error", () => undefined);
        onTestFinished(() => void onward.destroy());
        socket.pipe(onward).pipe(socket);
      });
      const upstream = `grpc://127.0.0.1:${port}`;
      const { url, requests, stop } = await gateway({ upstream, ...(channels === undefined ? {} : { channels }) });
      const answers = await Promise.all(Array.from({ length: 200 }, () => send(url)));
      expect(answers.every(({ status, body }) => status === 200 && body === "hello\n")).toBe(true);
      expect([await requests(), await service.requests(), connections]).toEqual([200, 200, channels ?? 1]);
      await stop();
      await vi.waitFor(() => expect(open).toBe(0), { timeout: 20_000 });
    },
  );

  it.each([
    ["error:100%", 502, "INTERNAL: "],
    ["error:100%,status=502", 502, "INTERNAL: "],
    ["error:100%,status=503", 503, "UNAVAILABLE: "],
  ])("answers for %s with %d", async (handler, status, body) => {
    const { url } = await gateway({ upstream: (await grpcServer(handler)).url });
    expect(await send(url)).toMatchObject({ status, body: expect.stringContaining(body) });
  });

  it.each(["UNAVAILABLE", "RESOURCE_EXHAUSTED"] as const)(
    "answers 503 to what is refused with %s",
    async (refuseWith) => {
      const service = await grpcServer({ handler: "sleep:10m", maxCalls: 1, refuseWith });
      const { url } = await gateway({ upstream: service.url });
      const pending = send(url).catch((error: unknown) => error);
      await vi.waitFor(async () => expect(await service.requests()).toBe(1), { timeout: 20_000 });
      expect(await send(url)).toMatchObject({ status: 503, body: expect.stringContaining(`${refuseWith}: `) });
      await service.stop({ graceMs: 0 });
      expect(await pending).toMatchObject({ status: 503 });
    },
  );

  it("answers 504 when the service takes longer than the deadline, and gives the call up", async () => {
    const service = await grpcServer({ handler: "sleep:10m", maxCalls: 1 });
    const { url } = await gateway({ upstream: service.url, deadlineMs: 200 });
    expect(await send(url)).toMatchObject({ status: 504, body: expect.stringContaining("DEADLINE_EXCEEDED: ") });
    await vi.waitFor(async () => expect((await send(url)).status).toBe(504), { timeout: 20_000 });
  });

  it("answers 504 when something accepts connections and says nothing", async () => {
    const port = await tcpServer(() => undefined);
    const { url } = await gateway({ upstream: `grpc://127.0.0.1:${port}`, deadlineMs: 200 });
    expect((await send(url)).status).toBe(504);
  });

  it.each([
    { status: 99, contentType: "text/plain", body: Buffer.from("x") },
    { status: 200, contentType: "text/plain\r\nx-injected: 1", body: Buffer.from("x") },
  ])("answers 502 to a reply that is no HTTP answer (%j)", async (reply) => {
    const upstream = await serviceThat((_, done) => done(null, reply));
    const { url } = await gateway({ upstream });
    const answer = await send(url);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining("no HTTP answer") });
    expect(answer.headers).not.toHaveProperty("x-injected");
  });

  it("gives the call up when its client goes away", async () => {
    let cancelled = 0;
    const upstream = await serviceThat((call) => call.on("cancelled", () => (cancelled += 1)));
    const { url, requests } = await gateway({ upstream });
    const controller = new AbortController();
    const pending = send(url, { signal: controller.signal }).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await requests()).toBe(1), { timeout: 20_000 });
    controller.abort();
    await pending;
    await vi.waitFor(() => expect(cancelled).toBe(1), { timeout: 20_000 });
  });
});

describe("a gateway whose service is down", () => {
  it("answers 503 without waiting for the deadline, also while it tries again", async () => {
    const service = await grpcServer("hello");
    const { url } = await gateway({ upstream: service.url, deadlineMs: 600_000 });
    await service.stop({ graceMs: 0 });
    for (let i = 0; i < 5; i++) {
      expect(await send(url)).toMatchObject({ status: 503, body: expect.stringContaining("ECONNREFUSED") });
    }
  });

  it.each(["127.0.0.1", "localhost"])("calls it again when it is back (%s)", async (host) => {
    const first = await grpcServer("hello");
    const { url } = await gateway({ upstream: `grpc://${host}:${first.port}` });
    expect((await send(url)).status).toBe(200);
    await first.stop({ graceMs: 0 });
    expect((await send(url)).status).toBe(503);
    await grpcServer({ handler: "json", port: first.port });
    await vi.waitFor(async () => expect((await send(url)).status).toBe(200), { timeout: 20_000 });
  });
});

describe("a gateway that cannot start", () => {
  it("says the same as an HTTP server when the port is in use", async () => {
    const { port } = await single("hello");
    const failures = [
      startSingle({ handler: "hello", port }),
      startGrpcGateway({ upstream: "grpc://127.0.0.1:1", port }),
    ];
    const [expected, failure] = await Promise.all(failures.map((start) => start.catch((error: unknown) => error)));
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({ code: "EADDRINUSE", message: (expected as Error).message });
  });

  it.each([
    [{ upstream: "http://127.0.0.1:1" }, /^upstream: expected a URL like grpc:/],
    [{ port: 65_536 }, /^port: expected a whole number/],
    [{ channels: 0 }, /^channels: expected a whole number from 1 to 1024, got 0\.$/],
    [{ channels: 2.5 }, /^channels: .*got 2\.5\.$/],
    [{ deadlineMs: 0 }, /^deadlineMs: expected a whole number from 1 to \d+, got 0\.$/],
    [{ deadlineMs: 2 ** 31 }, /^deadlineMs: /],
  ] satisfies readonly (readonly [Partial<GrpcGatewayOptions>, RegExp])[])("refuses %j", async (options, message) => {
    const failure = await startGrpcGateway({ upstream: "grpc://127.0.0.1:1", ...options }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toHaveProperty("message", expect.stringMatching(message));
  });
});

describe("a gateway that stops", () => {
  it("ends what does not finish, with its call, and leaves no port", async () => {
    let cancelled = 0;
    const upstream = await serviceThat((call) => call.on("cancelled", () => (cancelled += 1)));
    const front = await gateway({ upstream, deadlineMs: 600_000 });
    const pending = send(front.url).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await front.requests()).toBe(1), { timeout: 20_000 });
    await Promise.all([front.stop({ graceMs: 0 }), front.stop()]);
    expect(await pending).toMatchObject({ code: "ECONNRESET" });
    expect(await isListening(front.port)).toBe(false);
    await vi.waitFor(() => expect(cancelled).toBe(1), { timeout: 20_000 });
  });

  it("lets requests in progress finish", async () => {
    const front = await gateway({ upstream: (await grpcServer("sleep:100ms")).url });
    const answer = send(front.url, { agent: keepAliveAgent() });
    await vi.waitFor(async () => expect(await front.requests()).toBe(1), { timeout: 20_000 });
    await front.stop({ graceMs: 600_000 });
    expect((await answer).status).toBe(200);
  });
});
