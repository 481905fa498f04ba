import { once } from "node:events";
import { request, type ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { RequestLogEntry } from "./options/options.js";
import { exchange, keepAliveAgent, send } from "./test-support/client.js";
import {
  startBackend,
  startBalancer,
  startRawBackend,
  startScriptedBackend,
  type TestServer,
} from "./test-support/servers.js";
import { TRANSPORTS } from "./test-support/transports.js";

/** Starts balancers over one backend that speak to it in the given way. */
function balanceBy(transport: (typeof TRANSPORTS)[number]) {
  return async (backend: Pick<TestServer, "url">) => {
    const entries: RequestLogEntry[] = [];
    const balancer = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
      backendHeader: "x-backend",
      onRequest: (entry) => entries.push(entry),
    });
    return { ...balancer, entries };
  };
}

const oneError = { one: { requests: 1, errors: 1, aborted: 0, inFlight: 0 } };

describe.each(TRANSPORTS)("a balancer by %s whose backend fails", (transport) => {
  const balance = balanceBy(transport);

  it("answers 502 with the backend's name when nobody listens there", async () => {
    const gone = await startBackend(() => undefined);
    await gone.close();
    const { url, stats, entries } = await balance(gone);
    const answer = await send(url);
    expect(answer.status).toBe(502);
    expect(answer.headers).toMatchObject({ "content-type": "text/plain; charset=utf-8", "x-backend": "one" });
    expect(answer.body).toBe(`Backend one did not answer: connect ECONNREFUSED 127.0.0.1:${gone.port}\n`);
    await expect.poll(stats).toEqual(oneError);
    expect(entries).toMatchObject([{ status: 502, backend: "one", error: expect.stringContaining("ECONNREFUSED") }]);
  });

  it("serves again when the backend is back", async () => {
    const before = await startBackend((_, response) => response.end("before"));
    const { url } = await balance(before);
    expect((await send(url)).body).toBe("before");
    await before.close();
    await expect.poll(async () => (await send(url)).status).toBe(502);
    await startBackend((_, response) => response.end("after"), before.port);
    expect((await send(url)).body).toBe("after");
  });

  it("keeps the client's connection usable after a 502, also when a body was on its way", async () => {
    const gone = await startBackend(() => undefined);
    await gone.close();
    const { url, stats } = await balance(gone);
    const agent = keepAliveAgent({ maxSockets: 1 });
    for (let i = 0; i < 3; i++) {
      const answer = await send(url, { method: "POST", agent }, Buffer.alloc(1024 * 1024));
      expect(answer.status).toBe(502);
    }
    await expect.poll(() => stats().one).toEqual({ requests: 3, errors: 3, aborted: 0, inFlight: 0 });
  });

  it.each([
    ["closes", (socket: { end(): void }) => socket.end()],
    ["resets", (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy()],
  ])("answers 502 when the backend %s the connection without an answer", async (_, end) => {
    const backend = await startRawBackend((socket) => socket.once("data", () => end(socket)));
    const { url, stats } = await balance(backend);
    const answer = await send(url);
    expect([answer.status, answer.body]).toEqual([502, expect.stringMatching(/^Backend one did not answer: /)]);
    await expect.poll(stats).toEqual(oneError);
  });

  it.each([
    ["a control character in a header", "HTTP/1.1 200 OK\r\nX-Bad: a\x01b\r\nContent-Length: 2\r\n\r\nok"],
    ["a control character in the reason", "HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\nok"],
    ["an impossible status", "HTTP/1.1 042 OK\r\nContent-Length: 2\r\n\r\nok"],
    ["a head that cannot be parsed", "HTTP/1.1 200 OK\r\nNo colon here\r\n\r\nok"],
    ["something else than HTTP", "+PONG\r\n"],
    [
      "a switch of protocol that nobody asked for",
      "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    ],
    ["an impossible answer without a body", "HTTP/1.1 204 N\x01\r\n\r\n"],
  ])("answers 502 to %s, and goes on", async (_, bytes) => {
    const { url, stats } = await balance(await startScriptedBackend(bytes));
    const agent = keepAliveAgent({ maxSockets: 1 });
    for (let i = 0; i < 2; i++) expect((await send(url, { agent })).status).toBe(502);
    await expect.poll(() => stats().one).toEqual({ requests: 2, errors: 2, aborted: 0, inFlight: 0 });
  });

  it.each([
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "end"],
    ["with a length, by a reset", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "resetAndDestroy"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "end"],
    ["in chunks, by a reset", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "resetAndDestroy"],
  ] as const)("never ends a broken answer %s as if it were whole", async (_, bytes, how) => {
    const { url, stats, entries } = await balance(await startScriptedBackend(bytes, (socket) => void socket[how]()));
    await expect(send(url)).rejects.toMatchObject({ code: "ECONNRESET" });
    await expect.poll(stats).toEqual(oneError);
    expect(entries).toMatchObject([{ status: 200, error: expect.stringMatching(/^Backend one /) }]);
  });

  it("resets the connection of a client to whom its end would mean a complete answer", async () => {
    const bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
    const { port } = await balance(await startScriptedBackend(bytes, (socket) => void socket.end()));
    expect((await exchange(port, "GET / HTTP/1.0\r\n\r\n")).reset).toBe(true);
  });

  it("passes an answer on whose end is the end of the connection", async () => {
    const bytes = "HTTP/1.0 200 OK\r\n\r\nwhole";
    const { url, stats } = await balance(await startScriptedBackend(bytes, (socket) => void socket.end()));
    expect((await send(url)).body).toBe("whole");
    await expect.poll(() => stats().one).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("counts a 5xx of the backend as an answer", async () => {
    const backend = await startBackend((_, response) => response.writeHead(500).end());
    const { url, stats } = await balance(backend);
    expect((await send(url)).status).toBe(500);
    await expect.poll(() => stats().one).toEqual({ requests: 1, errors: 0, aborted: 0, inFlight: 0 });
  });

  it("answers a request whose target cannot be forwarded", async () => {
    const backend = await startBackend((_, response) => response.end());
    const { port, url } = await balance(backend);
    const { text } = await exchange(port, "GET http://[::1/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await send(url)).status).toBe(200);
  });
});

describe.each(TRANSPORTS)("a balancer by %s whose client goes away", (transport) => {
  const balance = balanceBy(transport);

  it.each(["GET", "POST"])("ends a %s at the backend and counts it as aborted", async (method) => {
    const { promise: reached, resolve: reach } = deferred<ServerResponse>();
    const backend = await startBackend((incoming, response) => {
      incoming.resume();
      reach(response);
    });
    const { url, stats, entries } = await balance(backend);
    const sent = request(url, { method });
    sent.on("error", () => undefined);
    sent.end(method === "POST" ? "body" : undefined);
    const response = await reached;
    expect(stats().one?.inFlight).toBe(1);
    const ended = once(response, "close");
    sent.destroy();
    await ended;
    expect(response.writableFinished).toBe(false);
    await expect.poll(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
    expect(entries).toMatchObject([{ backend: "one", error: "The client closed the connection." }]);
    expect(entries[0]).not.toHaveProperty("status");
  });

  it("ends it also in the middle of an upload and of an answer", async () => {
    const { promise: reached, resolve: reach } = deferred<ServerResponse>();
    const backend = await startBackend((incoming, response) => {
      incoming.on("error", () => undefined).resume();
      response.write("some");
      reach(response);
    });
    const { url, stats } = await balance(backend);
    const sent = request(url, { method: "POST", headers: { "content-length": 1000 } });
    sent.on("error", () => undefined);
    sent.write("part");
    await once(sent, "response");
    const ended = once(await reached, "close");
    sent.destroy();
    await ended;
    await expect.poll(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
  });
});

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
