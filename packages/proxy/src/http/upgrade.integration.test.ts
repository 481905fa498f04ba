import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { BalancerOptions, RequestLogEntry } from "../options/options.js";
import { exchange, send } from "../test-support/client.js";
import { startBackend, startBalancer } from "../test-support/servers.js";
import { findSilentPort } from "../tcp/test-support/full-backlog.js";
import { AGREED, askForChat, endWithPeer, openRaw, startChat } from "../test-support/upgrade-peers.js";

type Peer = Parameters<typeof startChat>[0];

/** A balancer in front of one backend that does with a connection what it is told. */
async function start(onRequest: Peer, options: Partial<BalancerOptions> = {}) {
  const backend = await startChat(onRequest);
  const entries: RequestLogEntry[] = [];
  const backends = [{ url: backend.url, name: "one" }];
  const balancer = await startBalancer({ backends, onRequest: (entry) => entries.push(entry), ...options });
  return { ...balancer, backend, entries };
}

const one = { requests: 1, errors: 0, aborted: 0, inFlight: 0 };

describe("an upgrade to any protocol", () => {
  it("is passed on with what it asks for, and then whatever is said", async () => {
    let asked = "";
    const { port } = await start((socket, head) => {
      asked = head;
      socket.write(`${AGREED}hello`);
      socket.on("data", (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat("/room//x"));
    await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nhello$/);
    expect(seen.text).toMatch(/\r\nConnection: Upgrade\r\nUpgrade: chat\r\n/);
    socket.write("ping");
    await expect.poll(() => seen.text).toMatch(/helloPING$/);
    expect(asked).toMatch(/^GET \/room\/\/x HTTP\/1\.1\r\n/);
    expect(asked).toMatch(/\r\nConnection: Upgrade\r\nUpgrade: chat$/m);
    expect(asked).toMatch(/\r\nHost: chat\.test\r\n[^]*\r\nForwarded: for=127\.0\.0\.1;host=chat\.test;proto=http\r\n/);
  });

  it("loses nothing that the client sends behind its request", async () => {
    const agree: { now?: () => void } = {};
    const { port } = await start((socket) => {
      agree.now = () => {
        socket.write(AGREED);
        socket.pipe(socket);
      };
    });
    const { socket, seen } = openRaw({ port });
    const more = "x".repeat(300_000);
    socket.write(`${askForChat()}at once;`);
    await expect.poll(() => agree.now !== undefined).toBe(true);
    socket.write(`later;${more}`);
    await expect.poll(() => socket.writableLength).toBeLessThan(300_000);
    agree.now?.();
    await expect.poll(() => seen.text.split("\r\n\r\n")[1]).toBe(`at once;later;${more}`);
  });

  it("passes on an end of either side, while the other side goes on", async () => {
    const { port, stats, entries } = await start((socket) => {
      socket.write(AGREED);
      let got = "";
      socket.on("data", (chunk: Buffer) => (got += chunk.toString()));
      socket.on("end", () => socket.end(`you said ${got}`));
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => seen.text).toMatch(/\r\n\r\n$/);
    socket.end("goodbye");
    await expect.poll(() => seen).toMatchObject({ ended: true, closed: true, reset: false });
    expect(seen.text).toMatch(/you said goodbye$/);
    await expect.poll(stats).toEqual({ one });
    expect(entries).toMatchObject([{ status: 101, bodyBytes: "you said goodbye".length, host: "chat.test" }]);

    const other = await start((peer) => {
      peer.end(`${AGREED}bye`);
      peer.on("data", (chunk: Buffer) => (late += chunk.toString()));
    });
    let late = "";
    const client = openRaw({ port: other.port });
    client.socket.write(askForChat());
    await expect.poll(() => client.seen.ended).toBe(true);
    client.socket.end("late words");
    await expect.poll(() => late).toBe("late words");
    await expect.poll(other.stats).toEqual({ one });
  });

  it("passes a reset of the backend on, and counts it as an error", async () => {
    const { port, stats, entries } = await start((socket) => {
      socket.write(AGREED);
      socket.once("data", () => socket.resetAndDestroy());
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => seen.text).toMatch(/\r\n\r\n$/);
    socket.write("!");
    await expect.poll(() => seen).toMatchObject({ closed: true, reset: true });
    await expect.poll(stats).toEqual({ one: { ...one, errors: 1 } });
    expect(entries).toMatchObject([{ status: 101, error: expect.stringContaining("backend's connection broke") }]);
  });

  it("passes a reset of the client on, and counts it as aborted", async () => {
    let errored: string | undefined;
    const { port, stats, entries } = await start((socket) => {
      socket.write(AGREED);
      socket.on("error", (error: NodeJS.ErrnoException) => (errored = error.code));
      socket.resume();
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => seen.text).toMatch(/\r\n\r\n$/);
    socket.resetAndDestroy();
    await expect.poll(() => errored).toBe("ECONNRESET");
    await expect.poll(stats).toEqual({ one: { ...one, aborted: 1 } });
    expect(entries).toMatchObject([{ error: expect.stringContaining("client's connection broke") }]);
  });

  it("makes the side that sends wait for the side that reads slowly", async () => {
    const chunk = Buffer.alloc(1024 * 1024, "a");
    let pending = (): number => 0;
    const { port } = await start((socket) => {
      socket.write(AGREED);
      for (let sent = 0; sent < 64; sent++) socket.write(chunk);
      socket.end();
      pending = () => socket.writableLength;
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await once(socket, "data");
    socket.pause();
    let before = -1;
    // It has come to a stop when nothing more is taken.
    await expect.poll(() => before === (before = pending()), { interval: 100 }).toBe(true);
    expect(before).toBeGreaterThan(32 * chunk.length);
    socket.resume();
    await expect.poll(() => seen.ended, { timeout: 20_000 }).toBe(true);
    expect(seen.text.length - seen.text.indexOf("\r\n\r\n") - 4).toBe(64 * chunk.length);
  });
});

describe("a backend that does not agree to an upgrade", () => {
  const refusal = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nX-A: 1\r\n";

  it.each([
    ["by length", "Content-Length: 8\r\n\r\nnot you!", /\r\nContent-Length: 8\r\nConnection: close\r\n\r\nnot you!$/],
    [
      "in chunks",
      "Transfer-Encoding: chunked\r\n\r\n4\r\nnot \r\n4\r\nyou!\r\n0\r\n\r\n",
      /\r\nTransfer-Encoding: chunked\r\n[^]*\r\n0\r\n\r\n$/,
    ],
    [
      "until close",
      "\r\nnot you!",
      /\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n8\r\nnot you!\r\n0\r\n\r\n$/,
    ],
  ])("has its answer passed on whole: %s", async (how, rest, expected) => {
    const { port, stats, entries } = await start((socket) => {
      socket.write(refusal + rest);
      if (how === "until close") socket.end();
    });
    const { text, reset } = await exchange(port, `${askForChat()}bytes for nobody`);
    expect(text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nX-A: 1\r\n/);
    expect(text).toMatch(expected);
    expect(reset).toBe(false);
    await expect.poll(stats).toEqual({ one });
    expect(entries).toMatchObject([{ status: 401, bodyBytes: 8 }]);
  });

  it("has a big answer passed on whole, and its connection is closed", async () => {
    const body = randomBytes(3_000_000).toString("hex");
    const { url, backend } = await start((socket) => {
      endWithPeer(socket);
      socket.write(`HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const answer = await send(url, { headers: { connection: "upgrade", upgrade: "chat" } });
    expect([answer.status, answer.body === body]).toEqual([403, true]);
    await backend.quiet();
  });

  it("has the end of an answer broken off that it breaks off", async () => {
    const { port, stats, entries } = await start((socket) => {
      socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nhalf");
    });
    const { text } = await exchange(port, askForChat());
    expect(text).toMatch(/\r\nContent-Length: 100\r\n[^]*\r\n\r\n(?:half)?$/);
    await expect.poll(stats).toEqual({ one: { ...one, errors: 1 } });
    expect(entries).toMatchObject([{ status: 401, error: expect.stringContaining("before its answer was complete") }]);
  });

  it("may say something before its answer", async () => {
    const { port } = await start((socket) => {
      socket.end(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${AGREED}`);
      socket.resume();
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => seen.ended).toBe(true);
    expect(seen.text).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n[^]*\r\n\r\nHTTP\/1\.1 101 /);
  });

  it.each([
    ["garbage", "SSH-2.0-OpenSSH_9.6\r\n\r\n", /^Backend one sent an answer that is no HTTP: .+\n$/],
    ["a 101 to no protocol", "HTTP/1.1 101 OK\r\n\r\n", /^Backend one sent an answer that cannot be passed on: .+\n$/],
    [
      "two lengths",
      "HTTP/1.1 401 No\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
      /^Backend one sent an answer .+\n$/,
    ],
    ["nothing", "", /^Backend one did not answer: .+\n$/],
  ])("is answered for with 502 when it says %s", async (_, bytes, expected) => {
    const { url, stats, backend } = await start((socket) => {
      endWithPeer(socket);
      if (bytes === "") socket.end();
      else socket.write(bytes);
    });
    const answer = await send(url, { headers: { connection: "upgrade", upgrade: "chat" } });
    expect(answer).toMatchObject({ status: 502, headers: { "content-type": "text/plain; charset=utf-8" } });
    expect(answer.body).toMatch(expected);
    await expect.poll(stats).toEqual({ one: { ...one, errors: 1 } });
    await backend.quiet();
  });
});

describe("an upgrade that gets no answer", () => {
  const asking = { headers: { connection: "Upgrade", upgrade: "chat" } };

  it("goes to another backend when the first cannot be connected to, as often as that may be", async () => {
    const gone = await startBackend(() => undefined);
    await gone.close();
    const { url, stats, entries, backend, addBackend, close } = await start(
      (socket) => {
        socket.end("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n");
      },
      { backends: [{ url: gone.url, name: "gone" }] },
    );
    expect((await send(url, asking)).status).toBe(502);
    addBackend({ url: backend.url, name: "one" });
    expect((await send(url, asking)).status).toBe(400);
    expect((await send(url, asking)).status).toBe(400);
    await expect.poll(() => entries.length).toBe(3);
    expect(entries.filter(({ retries }) => retries === 1)).toMatchObject([{ backend: "one", status: 400 }]);
    expect(stats()).toMatchObject({ gone: { requests: 2, errors: 2, inFlight: 0 }, one: { requests: 2, errors: 0 } });
    await close();
  });

  it("is not asked twice when that is turned off, nor when it is no GET", async () => {
    const gone = await startBackend(() => undefined);
    await gone.close();
    const both = (url: string) => [
      { url: gone.url, name: "gone" },
      { url, name: "one" },
    ];
    const never = await startChat(() => undefined);
    const off = await startBalancer({ backends: both(never.url), retries: 0 });
    expect((await send(off.url, asking)).status).toBe(502);
    const on = await startBalancer({ backends: both(never.url) });
    expect(
      (await send(on.url, { ...asking, method: "POST", headers: { ...asking.headers, "content-length": 0 } })).status,
    ).toBe(502);
    expect(never.accepted()).toBe(0);
  });

  it("is answered with 504 when the backend does not answer in time", async () => {
    const { url, stats, backend } = await start(endWithPeer, { timeouts: { responseMs: 50 } });
    const answer = await send(url, asking);
    expect([answer.status, answer.body]).toEqual([504, "Backend one did not answer within 50 ms.\n"]);
    await expect.poll(stats).toEqual({ one: { ...one, errors: 1 } });
    await backend.quiet();
  });

  it("is answered with 504 when the backend cannot be connected to in time", async () => {
    const silent = `http://127.0.0.1:${await findSilentPort()}`;
    const { url, stats } = await startBalancer({
      backends: [{ url: silent, name: "one" }],
      timeouts: { connectMs: 50 },
    });
    const answer = await send(url, asking);
    expect([answer.status, answer.body]).toEqual([504, "Backend one could not be connected to within 50 ms.\n"]);
    await expect.poll(stats).toEqual({ one: { ...one, errors: 1 } });
  });

  it("is answered with 503 and when to come back when no backend is available", async () => {
    const { url, drainBackend, snapshot, entries } = await start(() => undefined);
    await drainBackend("one");
    const answer = await send(url, asking);
    expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1", connection: "close" } });
    expect(answer.body).toBe("No backend is available.\n");
    expect(snapshot().refused).toEqual({ 503: 1 });
    await expect.poll(() => entries).toMatchObject([{ status: 503, error: "No backend is available." }]);
  });

  it("is answered with 503 when no connection is free in time", async () => {
    const { url, port, snapshot } = await start((socket) => void socket.write(AGREED), {
      limits: { connectionsPerBackend: 1 },
      timeouts: { queueMs: 50 },
    });
    const { socket, seen } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => seen.text).toMatch(/^HTTP\/1\.1 101/);
    const answer = await send(url, asking);
    expect([answer.status, answer.body]).toEqual([503, "Backend one had no connection free in time.\n"]);
    expect(answer.headers).toHaveProperty("retry-after");
    expect(snapshot().backends[0]).toMatchObject({ queued: 0, inFlight: 1 });
  });

  it("is given up when its client goes away", async () => {
    let asked = false;
    const { port, stats, backend, entries } = await start((socket) => {
      asked = true;
      endWithPeer(socket);
    });
    const { socket } = openRaw({ port });
    socket.write(askForChat());
    await expect.poll(() => asked).toBe(true);
    socket.destroy();
    await backend.quiet();
    await expect.poll(stats).toEqual({ one: { ...one, aborted: 1 } });
    expect(entries).toMatchObject([{ error: "The client closed the connection." }]);
    expect(entries[0]).not.toHaveProperty("status");
  });
});

describe("a request for an upgrade that is not passed on as one", () => {
  it("is refused when it has a body", async () => {
    const { port, backend, snapshot } = await start(() => undefined);
    const { text } = await exchange(port, `${askForChat("/", "Content-Length: 2\r\n", "POST")}ab`);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\nA request for an upgrade has a body\.\n$/);
    const chunked = await exchange(port, `${askForChat("/", "Transfer-Encoding: chunked\r\n", "POST")}0\r\n\r\n`);
    expect(chunked.text).toMatch(/^HTTP\/1\.1 400 /);
    expect(backend.accepted()).toBe(0);
    expect(snapshot().refused).toEqual({ 400: 2 });
  });

  it("is refused when its head is ambiguous, like any other", async () => {
    const { port } = await start(() => undefined);
    const { text } = await exchange(port, askForChat("/", "Host: other.test\r\n"));
    expect(text).toMatch(/^HTTP\/1\.1 400 [^]*more than one Host/);
  });

  it("is refused behind a request that has no answer yet", async () => {
    const { port } = await start(() => undefined);
    const { text } = await exchange(port, `GET / HTTP/1.1\r\nHost: a\r\n\r\n${askForChat()}`);
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
  });

  it.each(["h2c", "websocket, h2c", "H2C"])(
    "is answered as an ordinary one when it asks for %s, however long the answer",
    async (protocol) => {
      const body = "x".repeat(2_000_000);
      const seen: unknown[] = [];
      const backend = await startBackend((incoming, response) => {
        seen.push(incoming.headers.upgrade, incoming.headers.connection, incoming.headers["http2-settings"]);
        response.end(body);
      });
      const { url, stats } = await startBalancer({ backends: [{ url: backend.url, name: "one" }] });
      const headers = {
        connection: "Upgrade, HTTP2-Settings",
        upgrade: protocol,
        "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
      };
      const answer = await send(url, { headers });
      expect([answer.status, answer.body === body, answer.headers.connection]).toEqual([200, true, "close"]);
      expect(seen).toEqual([undefined, "keep-alive", undefined]);
      await expect.poll(stats).toEqual({ one });
    },
  );

  it("is answered as an ordinary one to a client of HTTP/1.0", async () => {
    const backend = await startBackend((incoming, response) => response.end(incoming.headers.upgrade ?? "none"));
    const { port } = await startBalancer({ backends: [{ url: backend.url }] });
    const { text } = await exchange(port, "GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n");
    expect(text).toMatch(/\r\n\r\nnone$/);
  });
});
