import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { BackendStartError, type RunningBackend } from "./backend.js";
import { startSample, type SampleChoice } from "./start-sample.js";
import { clientOf } from "./test-support/grpc-client.js";
import { isListening, keepAliveAgent, send, type Answer } from "@lbbench/test-support/client.js";
import { askWebSocket, openWebSocket } from "./test-support/web-socket-client.js";
import { gateway, grpcServer, poolOf, single, untilFinished } from "./test-support/started.js";

/** Sends one request to a server of any kind; what came of it, in the words of HTTP. */
async function ask({ url }: RunningBackend, body = "", agent = true): Promise<Answer> {
  if (url.startsWith("ws:")) {
    const socket = await openWebSocket({ url });
    const told = await askWebSocket(socket, body || "hello\n");
    if (typeof told === "number") throw Object.assign(new Error("closed"), { code: `WebSocket ${told}` });
    return { status: 200, headers: socket.headers, body: String(told) };
  }
  if (!url.startsWith("grpc:")) return send(url, { method: "POST", ...(agent ? {} : { agent: false }) }, body);
  const outcome = await (await clientOf(url, 600_000))(body);
  if (!("reply" in outcome)) throw Object.assign(new Error(outcome.details), { code: `gRPC ${outcome.code}` });
  const { status, contentType, body: bytes } = outcome.reply;
  return { status, headers: { "content-type": contentType, ...outcome.metadata }, body: bytes.toString() };
}

const KINDS = ["single", "cluster", "pool", "grpc", "grpc-gateway", "websocket"] as const;

describe.each(KINDS)("a sample server, %s", (kind) => {
  /** How it is started with a handler; a gateway has another server do the work. */
  async function choose(handler: string, more: object = {}): Promise<SampleChoice> {
    const work = kind === "grpc-gateway" ? { upstream: (await grpcServer(handler)).url } : { handler };
    const size = kind === "cluster" ? { workers: 1 } : kind === "pool" ? { pool: 2 } : {};
    return { kind, options: { ...work, ...size, ...more } } as SampleChoice;
  }
  const startWith = async (handler: string, more?: object): Promise<RunningBackend> =>
    untilFinished(startSample(await choose(handler, more)));

  it("answers at a port of its own, counts its requests, and names its process only on request", async () => {
    const backend = await startWith("hello");
    expect(backend.url).toMatch(new RegExp(`^(http|grpc|ws)://127\\.0\\.0\\.1:${backend.port}$`));
    expect(backend.pids.includes(process.pid)).toBe(kind !== "cluster");
    for (const _ of [1, 2, 3]) expect(await ask(backend)).toMatchObject({ status: 200, body: "hello\n" });
    expect(await backend.requests()).toBe(3);
    expect((await ask(backend)).headers).not.toHaveProperty("x-worker");
    const telling = await startWith("hello", { identify: true });
    expect(telling.port).not.toBe(backend.port);
    expect((await ask(telling)).headers["x-worker"]).toBe(String(telling.pids[0]));
  });

  it("says how long an answer took, with all that held it up, and only on request; in HTTP alone", async () => {
    const backend = await startWith("hello");
    expect((await ask(backend)).headers).not.toHaveProperty("server-timing");
    const telling = await startWith("hello", { timing: true });
    const said = async (): Promise<string> => String((await ask(telling)).headers["server-timing"]);
    const queue = kind === "pool" ? ", queue;dur=\\d+\\.\\d{3}" : "";
    const form = new RegExp(
      kind === "grpc" || kind === "websocket" ? "^undefined$" : `^app;dur=(\\d+\\.\\d{3})${queue}$`,
    );
    expect(await said()).toMatch(form);
    await telling.disturb({ slowMs: 30 });
    const [, slow = Infinity] = form.exec(await said()) ?? [];
    // A timer may be a little early.
    expect(Number(slow)).toBeGreaterThan(28);
  });

  it("counts the connections it has accepted, and tells which are open and which have a request under way", async () => {
    const backend = await startWith("hello");
    const agent = keepAliveAgent({ maxSockets: 1 });
    const client: Record<string, () => Promise<() => Promise<unknown>>> = {
      grpc: () => clientOf(backend.url, 600_000),
      websocket: async () => askWebSocket.bind(undefined, await openWebSocket(backend)),
    };
    const again = (await client[kind]?.()) ?? (() => send(backend.url, { agent }));
    for (const _ of [1, 2, 3]) await again();
    await expect.poll(() => backend.connections()).toEqual({ accepted: 1, open: 1, active: 0 });
    const silent = connect(backend.port, "127.0.0.1").resume();
    await backend.disturb({ slowMs: 600_000 });
    const pending = again().catch(() => undefined);
    await expect.poll(() => backend.connections()).toEqual({ accepted: 2, open: 2, active: 1 });
    silent.destroy();
    await expect.poll(() => backend.connections()).toEqual({ accepted: 2, open: 1, active: 1 });
    await backend.stop({ graceMs: 0 });
    await pending;
    await expect.poll(() => backend.connections()).toEqual({ accepted: 2, open: 0, active: 0 });
  });

  it("says that a port is in use, and which", async () => {
    const { port } = await startTestServer();
    const failure = await startSample(await choose("hello", { port })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({
      code: "EADDRINUSE",
      message: expect.stringContaining(`Cannot listen on 127.0.0.1:${port}: the port is in use.`),
    });
  });

  it("stops with requests in progress and connections open, as soon as it is asked to, and leaves no port", async () => {
    const backend = await startWith("sleep:10m");
    const pending = ask(backend, "", false).catch((error: unknown) => error);
    const silent = connect(backend.port, "127.0.0.1").resume();
    await once(silent, "connect");
    await expect.poll(() => backend.requests()).toBe(1);
    await Promise.all([600_000, 0, 500].map((graceMs) => backend.stop({ graceMs })));
    expect(await pending).toMatchObject({ code: expect.stringMatching(/^(gRPC 1[34]|WebSocket 1006|ECONNRESET)$/) });
    expect(await isListening(backend.port)).toBe(false);
  });

  it("answers late, and with errors, as it is told while it runs, and as before when that is over", async () => {
    const backend = await startWith("hello");
    const outcome = (): Promise<unknown> =>
      ask(backend).then(
        ({ status }) => status,
        ({ code }: { readonly code: unknown }) => code,
      );
    const failed = { grpc: "gRPC 14", websocket: "WebSocket 1013" }[kind as string] ?? 503;
    await backend.disturb({ errorShare: 0.5 });
    const outcomes = [];
    for (const _ of [1, 2, 3, 4]) outcomes.push(await outcome());
    expect(outcomes).toEqual([200, failed, 200, failed]);
    await backend.disturb({ slowMs: 600_000 });
    let isLate = true;
    const late = outcome().finally(() => (isLate = false));
    await expect.poll(() => backend.requests()).toBe(5);
    await backend.disturb({ slowMs: 0 });
    // The share of errors is what it was.
    for (const status of [failed, 200]) expect(await outcome()).toBe(status);
    await backend.disturb({ errorShare: 0 });
    for (const _ of [1, 2]) expect(await outcome()).toBe(200);
    expect(isLate).toBe(true);
    await backend.stop({ graceMs: 0 });
    expect(await late).toBe({ grpc: failed, websocket: "WebSocket 1006" }[kind as string] ?? "ECONNRESET");
    await expect(backend.disturb({ errorShare: 2 })).rejects.toThrow("errorShare: expected 0 to 1, got 2.");
    await expect(backend.disturb({ slowMs: -1 })).rejects.toThrow("slowMs: expected 0 to");
  });

  it("lets what is in progress finish, and does not wait longer", async () => {
    const backend = await startWith("sleep:100ms");
    const pending = Promise.all([1, 2].map(() => ask(backend)));
    await expect.poll(() => backend.requests()).toBe(2);
    await backend.stop({ graceMs: 600_000 });
    expect((await pending).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("the same work", () => {
  it.each([
    ["hello", 200, "text/plain; charset=utf-8", /^hello\n$/],
    ["hello,size=10kB", 200, "text/plain; charset=utf-8", /^[^]{10240}$/],
    ["json", 200, "application/json", /^\{"message":"hello"\}$/],
    ["json,size=3kB", 200, "application/json", /^\{[^]{3070}\}$/],
    ["echo", 200, "text/x-work", /^what is sent \u2713$/],
    ["sleep:uniform(1ms,5ms),seed=3,size=100", 200, "text/plain; charset=utf-8", /^[^]{100}$/],
    ["cpu:2ms,size=7", 200, "text/plain; charset=utf-8", /^[^]{7}$/],
    ["work:0.1ms", 200, "text/plain; charset=utf-8", /^hello\n$/],
    ["error:0%,size=5kB", 200, "text/plain; charset=utf-8", /^[^]{5120}$/],
    ["error:100%,status=503", 503, "text/plain; charset=utf-8", /./],
  ])("%s answers alike over HTTP, from a pool, over a gateway and over gRPC", async (handler, status, type, body) => {
    const options = { method: "POST", headers: { "content-type": "text/x-work" } };
    const sent = "what is sent \u2713";
    const http = await single(handler);
    const plain = await send(http.url, options, sent);
    expect([plain.status, plain.headers["content-type"]]).toEqual([status, type]);
    expect(plain.body).toMatch(body);
    const undated = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, date: "" } });
    const pool = await poolOf({ handler, pool: 1 });
    expect(undated(await send(pool.url, options, sent))).toEqual(undated(plain));
    const head = await send(http.url, { method: "HEAD" });
    expect(undated(await send(pool.url, { method: "HEAD" }))).toEqual(undated(head));
    expect([head.status, head.body]).toEqual([status, ""]);
    if (status !== 200) return;
    const service = await grpcServer(handler);
    const relayed = await send((await gateway({ upstream: service.url })).url, options, sent);
    expect([relayed.status, relayed.headers["content-type"], relayed.body]).toEqual([200, type, plain.body]);
    expect(relayed.headers["content-length"]).toBe(String(Buffer.byteLength(plain.body)));
    const outcome = await (await clientOf(service.url))(sent, "text/x-work");
    expect(outcome).toMatchObject({ reply: { status: 200, contentType: type, body: Buffer.from(plain.body) } });
  });

  it.each(["hello", "echo", "sleep:1ms", "error:100%"])("%s keeps its connection after a megabyte", async (handler) => {
    const { url } = await single(handler);
    const agent = keepAliveAgent({ maxSockets: 1 });
    const used = new Set<number | undefined>();
    for (const body of [undefined, Buffer.alloc(1024 * 1024), undefined]) {
      const sent = request(url, { agent, method: body === undefined ? "GET" : "POST" });
      sent.end(body);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      used.add(sent.socket?.localPort);
      await once(response.resume(), "end");
    }
    expect(used.size).toBe(1);
  });
});

const EVENT = "data: hel\n\n";

describe("a handler", () => {
  it("echoes in chunks what comes in chunks, while it comes, and survives a client that goes away", async () => {
    const { url } = await single("echo");
    const sent = request(url, { method: "POST" });
    sent.write("first");
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const [chunk] = (await once(response.setEncoding("utf8"), "data")) as [string];
    expect([chunk, response.headers["transfer-encoding"]]).toEqual(["first", "chunked"]);
    sent.on("error", () => {}).destroy();
    expect(await send(url, { method: "POST" }, "still here")).toMatchObject({ body: "still here" });
    expect(await send(url)).toMatchObject({ body: "", headers: { "content-type": "application/octet-stream" } });
  });

  it("sends events until the client goes away, to a HEAD none, and one where answers come whole", async () => {
    const { url } = await single("events:5ms,size=3");
    const sent = request(url).on("error", () => {});
    sent.end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    expect(response.headers["content-type"]).toBe("text/event-stream");
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) {
      text += chunk as string;
      if (text.length >= 3 * EVENT.length) break;
    }
    expect(text.startsWith(EVENT.repeat(3))).toBe(true);
    expect(await send(url, { method: "HEAD" })).toMatchObject({ body: "" });
    expect(await send((await poolOf({ handler: "events:5ms,size=3", pool: 1 })).url)).toMatchObject({ body: EVENT });
  });

  it("sleeps, or uses the processor, for as long as it was told", async () => {
    const sleeping = await single("sleep:30ms");
    const startedAt = performance.now();
    await send(sleeping.url);
    // Timers count whole milliseconds and may be early by a fraction of one.
    expect(performance.now() - startedAt).toBeGreaterThan(29);
    const costOf = async ({ url }: RunningBackend): Promise<number> => {
      const before = process.cpuUsage();
      await send(url);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    expect(await costOf(await single("cpu:30ms"))).toBeGreaterThanOrEqual(30);
    expect(await costOf(await poolOf({ handler: "cpu:30ms", pool: 1 }))).toBeGreaterThanOrEqual(30);
    // A fixed amount of work: no processor does 30 ms of it in less than 5.
    expect(await costOf(await single("work:30ms"))).toBeGreaterThan(5);
  });

  async function failuresAmong(handler: string, requests: number): Promise<readonly number[]> {
    const { url } = await single(handler);
    const agent = keepAliveAgent({ maxSockets: 1 });
    const statuses: number[] = [];
    for (let i = 0; i < requests; i++) statuses.push((await send(url, { agent })).status);
    return statuses;
  }

  it("fails exactly the share that was asked for, evenly spaced", async () => {
    const ofTen = [200, 200, 200, 200, 503, 200, 200, 200, 200, 503];
    expect(await failuresAmong("error:20%,status=503", 10)).toEqual(ofTen);
    expect((await failuresAmong("error:29%", 100)).filter((status) => status === 500)).toHaveLength(29);
  });
});
