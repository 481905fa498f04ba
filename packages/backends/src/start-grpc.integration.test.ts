import { Server, ServerCredentials, status, type handleUnaryCall } from "@grpc/grpc-js";
import { connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { clientOf, replyOf, type Outcome } from "./test-support/grpc-client.js";
import { loadWorkMethod, type WorkReply, type WorkRequest } from "./grpc.js";
import { send } from "@lbbench/test-support/client.js";
import { serve } from "@lbbench/test-support/servers.js";
import { gateway, grpcServer } from "./test-support/started.js";

const WAIT = { timeout: 60_000 };
const codeOf = (outcome: Outcome): number => ("code" in outcome ? outcome.code : status.OK);

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

describe("a gRPC server", () => {
  it("answers 200 calls at once, each with its own body, and large ones", async () => {
    const { url, requests } = await grpcServer("echo");
    const call = await clientOf(url);
    const bodies = Array.from({ length: 200 }, (_, i) => `body ${i}`);
    const outcomes = await Promise.all(bodies.map((body) => call(body)));
    expect(outcomes.map((outcome) => replyOf(outcome).body.toString())).toEqual(bodies);
    expect(await requests()).toBe(200);
    const large = Buffer.alloc(6 * 1024 * 1024, "x");
    expect(replyOf(await call(large)).body.equals(large)).toBe(true);
  });

  it.each([
    ["error:20%", status.INTERNAL, 502],
    ["error:20%,status=503", status.UNAVAILABLE, 503],
  ])("ends every fifth call with the status of its kind: %s; a gateway says so", async (handler, code, relayed) => {
    const { url } = await grpcServer(handler);
    const call = await clientOf(url);
    const codes: number[] = [];
    for (let i = 0; i < 10; i++) codes.push(codeOf(await call()));
    expect(codes).toEqual([0, 0, 0, 0, code, 0, 0, 0, 0, code]);
    const front = await gateway({ upstream: url });
    for (let i = 0; i < 4; i++) await send(front.url);
    const body = expect.stringContaining(`${status[code]}: `);
    expect(await send(front.url)).toMatchObject({ status: relayed, body });
  });

  const REFUSALS = [undefined, "UNAVAILABLE", "RESOURCE_EXHAUSTED"] as const;
  it.each(REFUSALS)("refuses at once what is more than it may have in progress, with %s", async (refuseWith) => {
    const how = refuseWith === undefined ? {} : { refuseWith };
    const service = await grpcServer({ handler: "sleep:10m", maxCalls: 3, ...how });
    const call = await clientOf(service.url, 600_000);
    const outcomes: number[] = [];
    const all = Array.from({ length: 20 }, async () => outcomes.push(codeOf(await call())));
    // The first three sleep on: a call that has ended by now was refused.
    const code = status[refuseWith ?? "UNAVAILABLE"];
    await vi.waitFor(() => expect(outcomes).toEqual(Array.from({ length: 17 }, () => code)), WAIT);
    expect([await service.requests(), await service.refused()]).toEqual([20, 17]);
    const { url } = await gateway({ upstream: service.url });
    const body = expect.stringContaining(`${refuseWith ?? "UNAVAILABLE"}: `);
    expect(await send(url)).toMatchObject({ status: 503, body });
    await service.stop({ graceMs: 0 });
    await Promise.all(all);
    expect(outcomes.slice(17)).toEqual([status.UNAVAILABLE, status.UNAVAILABLE, status.UNAVAILABLE]);
  });

  it("takes a call in the place of one that its client gave up", async () => {
    const call = await clientOf((await grpcServer({ handler: "sleep:10m", maxCalls: 1 })).url, 300);
    expect(codeOf(await call())).toBe(status.DEADLINE_EXCEEDED);
    // Refused until the server has heard of it; then it is taken, and given up in its turn.
    await vi.waitFor(async () => expect(codeOf(await call())).toBe(status.DEADLINE_EXCEEDED), WAIT);
  });
});

describe("a gateway", () => {
  it.each([undefined, 4])("calls over as many connections as told (%s), and closes them", async (channels) => {
    const service = await grpcServer("hello");
    // Relays, so as to see the connections.
    const relay = createServer((socket) => {
      const onward = connect(service.port, "127.0.0.1").on("error", () => {});
      onTestFinished(() => void onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
    const { port, connections, open } = await serve(relay);
    const upstream = `grpc://127.0.0.1:${port}`;
    const { url, requests, stop } = await gateway({ upstream, ...(channels === undefined ? {} : { channels }) });
    const answers = await Promise.all(Array.from({ length: 200 }, () => send(url)));
    expect(answers.every(({ status: code, body }) => code === 200 && body === "hello\n")).toBe(true);
    expect([await requests(), await service.requests(), connections()]).toEqual([200, 200, channels ?? 1]);
    await stop();
    await vi.waitFor(() => expect(open()).toEqual([]), WAIT);
  });

  it("answers 504 when its deadline has passed, gives the call up, and needs no answer at all for that", async () => {
    const service = await grpcServer({ handler: "sleep:10m", maxCalls: 1 });
    const { url } = await gateway({ upstream: service.url, deadlineMs: 200 });
    expect(await send(url)).toMatchObject({ status: 504, body: expect.stringContaining("DEADLINE_EXCEEDED: ") });
    await vi.waitFor(async () => expect((await send(url)).status).toBe(504), WAIT);
    const { port } = await serve(createServer());
    const silent = await gateway({ upstream: `grpc://127.0.0.1:${port}`, deadlineMs: 200 });
    expect((await send(silent.url)).status).toBe(504);
  });

  it.each([
    { status: 99, contentType: "text/plain", body: Buffer.from("x") },
    { status: 200, contentType: "text/plain\r\nx-injected: 1", body: Buffer.from("x") },
  ])("answers 502 to a reply that is no HTTP answer (%j)", async (reply) => {
    const { url } = await gateway({ upstream: await serviceThat((_, done) => done(null, reply)) });
    const answer = await send(url);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining("no HTTP answer") });
    expect(answer.headers).not.toHaveProperty("x-injected");
  });

  it.each(["goes away", "is stopped"])("gives its call up when the client or the gateway %s", async (what) => {
    let cancelled = 0;
    const upstream = await serviceThat((call) => call.on("cancelled", () => (cancelled += 1)));
    const front = await gateway({ upstream, deadlineMs: 600_000 });
    const controller = new AbortController();
    const pending = send(front.url, { signal: controller.signal }).catch((error: unknown) => error);
    await vi.waitFor(async () => expect(await front.requests()).toBe(1), WAIT);
    if (what === "goes away") controller.abort();
    else await front.stop({ graceMs: 0 });
    expect(await pending).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(cancelled).toBe(1), WAIT);
  });

  it.each(["127.0.0.1", "localhost"])("answers 503 while the service at %s is down, then calls it", async (host) => {
    const first = await grpcServer("hello");
    const { url } = await gateway({ upstream: `grpc://${host}:${first.port}`, deadlineMs: 600_000 });
    expect((await send(url)).status).toBe(200);
    await first.stop({ graceMs: 0 });
    for (let i = 0; i < 5; i++) expect((await send(url)).status).toBe(503);
    await grpcServer({ handler: "json", port: first.port });
    await vi.waitFor(async () => expect((await send(url)).status).toBe(200), WAIT);
  });
});
