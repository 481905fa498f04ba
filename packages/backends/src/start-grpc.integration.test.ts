import { status } from "@grpc/grpc-js";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { BackendStartError } from "./backend-start-error.js";
import { clientOf, replyOf, type Outcome } from "./grpc/test-support/grpc-client.js";
import { grpcServer } from "./grpc/test-support/started-grpc.js";
import { HandlerSpecError } from "./handler-spec-error.js";
import { startGrpc, type GrpcOptions } from "./start-grpc.js";
import { startSingle } from "./start-single.js";
import { isListening } from "./test-support/client.js";
import { single } from "./test-support/started.js";

const codeOf = (outcome: Outcome): number => ("code" in outcome ? outcome.code : status.OK);

describe("startGrpc", () => {
  it("serves in this process, at a port of its own", async () => {
    const { url, port, pids } = await grpcServer("hello");
    expect([url, pids]).toEqual([`grpc://127.0.0.1:${port}`, [process.pid]]);
    const { body, ...head } = replyOf(await (await clientOf(url))());
    expect([head, body.toString()]).toEqual([{ status: 200, contentType: "text/plain; charset=utf-8" }, "hello\n"]);
  });

  it("answers 200 calls at once, each with its own body, and counts them", async () => {
    const { url, requests } = await grpcServer("echo");
    const call = await clientOf(url);
    const bodies = Array.from({ length: 200 }, (_, i) => `body ${i}`);
    const outcomes = await Promise.all(bodies.map((body) => call(body)));
    expect(outcomes.map((outcome) => replyOf(outcome).body.toString())).toEqual(bodies);
    expect(await requests()).toBe(200);
  });

  it("echoes a body larger than what grpc-js takes by itself", async () => {
    const call = await clientOf((await grpcServer("echo")).url);
    const body = Buffer.alloc(6 * 1024 * 1024, "x");
    const reply = replyOf(await call(body, "image/png"));
    expect([reply.contentType, reply.body.equals(body)]).toEqual(["image/png", true]);
  });

  it("names its process only on request", async () => {
    const ask = async (options: GrpcOptions): Promise<Outcome> => (await clientOf((await grpcServer(options)).url))();
    expect(await ask({ handler: "hello" })).not.toHaveProperty(["metadata", "x-worker"]);
    expect(await ask({ handler: "hello", identify: true })).toHaveProperty(
      ["metadata", "x-worker"],
      String(process.pid),
    );
  });
});

describe("a gRPC server that fails a share of the calls", () => {
  it.each([
    ["error:20%", status.INTERNAL],
    ["error:20%,status=502", status.INTERNAL],
    ["error:20%,status=503", status.UNAVAILABLE],
  ])("%s ends every fifth call with the status of its kind", async (handler, code) => {
    const call = await clientOf((await grpcServer(handler)).url);
    const codes: number[] = [];
    for (let i = 0; i < 10; i++) codes.push(codeOf(await call()));
    expect(codes).toEqual([0, 0, 0, 0, code, 0, 0, 0, 0, code]);
  });
});

describe("a gRPC server with a limit of calls in progress", () => {
  it.each([
    [undefined, status.UNAVAILABLE],
    ["UNAVAILABLE", status.UNAVAILABLE],
    ["RESOURCE_EXHAUSTED", status.RESOURCE_EXHAUSTED],
  ] as const)("refuses the calls beyond it at once (refuseWith %s)", async (refuseWith, code) => {
    const { url, requests, refused, stop } = await grpcServer({
      handler: "sleep:10m",
      maxCalls: 3,
      ...(refuseWith === undefined ? {} : { refuseWith }),
    });
    const call = await clientOf(url, 600_000);
    const outcomes: number[] = [];
    const all = Array.from({ length: 20 }, async () => outcomes.push(codeOf(await call())));
    // The first three sleep on: whatever has ended by now was refused.
    await vi.waitFor(() => expect(outcomes).toEqual(Array.from({ length: 17 }, () => code)), { timeout: 20_000 });
    expect([await requests(), await refused()]).toEqual([20, 17]);
    await stop({ graceMs: 0 });
    await Promise.all(all);
    expect(outcomes.slice(17)).toEqual([status.UNAVAILABLE, status.UNAVAILABLE, status.UNAVAILABLE]);
  });

  it("takes calls again when others have ended, and every call is either answered or refused", async () => {
    const { url, requests, refused } = await grpcServer({ handler: "sleep:5ms", maxCalls: 2 });
    const call = await clientOf(url);
    const codes: number[] = [];
    for (let round = 0; round < 10; round++) {
      codes.push(...(await Promise.all(Array.from({ length: 5 }, () => call()))).map(codeOf));
    }
    const refusals = codes.filter((code) => code === status.UNAVAILABLE).length;
    const answers = codes.filter((code) => code === status.OK).length;
    expect(answers).toBeGreaterThanOrEqual(20);
    expect([answers + refusals, await requests(), await refused()]).toEqual([50, 50, refusals]);
  });

  it("refuses also when the work keeps the processor busy", async () => {
    const { url, refused } = await grpcServer({ handler: "cpu:20ms", maxCalls: 1 });
    const call = await clientOf(url);
    await call();
    const codes = (await Promise.all(Array.from({ length: 20 }, () => call()))).map(codeOf);
    expect(codes).toContain(status.OK);
    expect(await refused()).toBeGreaterThan(0);
    expect(codes.filter((code) => code === status.UNAVAILABLE)).toHaveLength(await refused());
  });

  it("takes a call in the place of one that its client gave up", async () => {
    const call = await clientOf((await grpcServer({ handler: "sleep:10m", maxCalls: 1 })).url, 300);
    expect(codeOf(await call())).toBe(status.DEADLINE_EXCEEDED);
    // Refused until the server has heard of it; then it is taken, and given up in its turn.
    await vi.waitFor(async () => expect(codeOf(await call())).toBe(status.DEADLINE_EXCEEDED), { timeout: 20_000 });
  });
});

describe("a gRPC server that cannot start", () => {
  it("says the same as an HTTP server when the port is in use", async () => {
    const { port } = await single("hello");
    const start = { handler: "hello", port };
    const failures = [startSingle(start), startGrpc(start)].map((starting) =>
      starting.catch((error: unknown) => error),
    );
    const [expected, failure] = await Promise.all(failures);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({ code: "EADDRINUSE", message: (expected as Error).message });
  });

  it.each([
    [{ handler: "helo" }, HandlerSpecError, /^Handler "helo": expected one of hello/],
    [{ handler: "hello", port: -1 }, BackendStartError, /^port: expected a whole number/],
    [
      { handler: "hello", maxCalls: 0 },
      BackendStartError,
      /^maxCalls: expected a whole number of at least 1.*got 0\.$/,
    ],
    [{ handler: "hello", maxCalls: 1.5 }, BackendStartError, /^maxCalls: .*got 1\.5\.$/],
    [
      { handler: "hello", refuseWith: "ABORTED" },
      BackendStartError,
      /^refuseWith: expected one of UNAVAILABLE, RES.*"ABORTED"/,
    ],
  ])("refuses %j", async (options, type, message) => {
    const failure = await startGrpc(options as GrpcOptions).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(type);
    expect(failure).toHaveProperty("message", expect.stringMatching(message));
  });
});

describe("a gRPC server that stops", () => {
  it("ends what does not finish, and leaves no port", async () => {
    const backend = await grpcServer("sleep:10m");
    const call = await clientOf(backend.url, 600_000);
    const pending = call();
    const silent = connect(backend.port, "127.0.0.1").resume();
    await once(silent, "connect");
    await vi.waitFor(async () => expect(await backend.requests()).toBe(1), { timeout: 20_000 });
    await Promise.all([backend.stop({ graceMs: 0 }), backend.stop(), backend.stop({ graceMs: 600_000 })]);
    expect(await pending).toMatchObject({ code: status.UNAVAILABLE });
    expect(await isListening(backend.port)).toBe(false);
    expect(await call()).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining("ECONNREFUSED") });
  });

  it("lets calls in progress finish, and then does not wait", async () => {
    const backend = await grpcServer("sleep:200ms");
    const call = await clientOf(backend.url);
    const pending = Promise.all(Array.from({ length: 20 }, () => call()));
    await vi.waitFor(async () => expect(await backend.requests()).toBe(20), { timeout: 20_000 });
    await backend.stop({ graceMs: 600_000 });
    expect((await pending).map(codeOf)).toEqual(Array.from({ length: 20 }, () => status.OK));
  });
});
