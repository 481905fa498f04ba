import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { RequestLogEntry } from "../options/options.js";
import { isListening, startBackend, startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { echo, openWebSocket, startEcho } from "../test-support/upgrade-peers.js";

describe.each(TRANSPORTS)("a WebSocket through a balancer by %s", (transport) => {
  async function start() {
    const backend = await startEcho();
    const entries: RequestLogEntry[] = [];
    const balancer = await startBalancer({
      transport,
      backends: [{ url: `${backend.url}/base`, name: "one" }],
      backendHeader: "x-backend",
      onRequest: (entry) => entries.push(entry),
    });
    return { ...balancer, backend, entries };
  }

  it("carries texts and bytes in both directions, also a megabyte", async () => {
    const { url } = await start();
    const socket = await openWebSocket(url);
    const big = randomBytes(1024 * 1024);
    expect(await echo(socket, "grüß dich")).toEqual({ data: Buffer.from("grüß dich"), isBinary: false });
    expect(await echo(socket, Buffer.from([0, 255, 13, 10]))).toMatchObject({ isBinary: true });
    expect((await echo(socket, big)).data.equals(big)).toBe(true);
  });

  it("carries pings and what the backend says of itself", async () => {
    const { url, backend } = await start();
    const socket = await openWebSocket(url);
    const pong = once(socket, "pong");
    socket.ping("p");
    expect(String((await pong)[0])).toBe("p");
    const [ping, message] = [once(socket, "ping"), once(socket, "message")];
    for (const client of backend.wss.clients) {
      client.ping("q");
      client.send("unasked");
    }
    expect(String((await ping)[0])).toBe("q");
    expect(String((await message)[0])).toBe("unasked");
  });

  it("carries the code and the reason with which either side closes, and counts it as answered", async () => {
    const { url, backend, stats, snapshot, entries } = await start();
    const first = await openWebSocket(url);
    const [accepted] = backend.wss.clients;
    const closedThere = once(accepted ?? first, "close");
    first.close(4001, "enough");
    expect((await closedThere).map(String)).toEqual(["4001", "enough"]);
    const second = await openWebSocket(url);
    const closedHere = once(second, "close");
    for (const client of backend.wss.clients) client.close(4002, "no more");
    expect((await closedHere).map(String)).toEqual(["4002", "no more"]);
    await expect.poll(stats).toEqual({ one: { requests: 2, errors: 0, aborted: 0, inFlight: 0 } });
    expect(snapshot().backends[0]?.answers).toMatchObject({ "1xx": 2 });
    expect(entries).toMatchObject([
      { method: "GET", path: "/", status: 101, backend: "one", remoteAddress: "127.0.0.1" },
      { status: 101 },
    ]);
    expect(entries[0]).not.toHaveProperty("error");
    expect(entries[0]?.bodyBytes).toBeGreaterThan(0);
  });

  it("agrees on a subprotocol, and tells the backend who asked as for any request", async () => {
    const { url, backend } = await start();
    const socket = await openWebSocket(`${url}/a%20b?c=d`, ["superchat", "chat"], { headers: { "x-own": "1" } });
    expect(socket.protocol).toBe("superchat");
    const host = url.slice("http://".length);
    expect(backend.requests[0]?.url).toBe("/base/a%20b?c=d");
    expect(backend.requests[0]?.headers).toMatchObject({
      host,
      via: "1.1 lbbench",
      "x-own": "1",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": host,
    });
  });

  it("names the backend in the answer", async () => {
    const { url } = await start();
    const socket = new WebSocket(url.replace("http", "ws"));
    const [answer] = (await once(socket, "upgrade")) as [IncomingMessage];
    expect(answer.headers).toHaveProperty("x-backend", "one");
    socket.terminate();
  });

  it("keeps many apart that are open at the same time", async () => {
    const { url, stats } = await start();
    const sockets = await Promise.all(Array.from({ length: 60 }, () => openWebSocket(url)));
    expect(stats()).toEqual({ one: { requests: 60, errors: 0, aborted: 0, inFlight: 60 } });
    const answers = await Promise.all(sockets.map((socket, index) => echo(socket, `message ${index}`)));
    expect(answers.map(({ data }) => String(data))).toEqual(sockets.map((_, index) => `message ${index}`));
    for (const socket of sockets) socket.close();
    await expect.poll(() => stats()["one"]?.inFlight).toBe(0);
  });

  it("is not ended for being idle", async () => {
    const backend = await startEcho();
    const { url, stats } = await startBalancer({
      transport,
      backends: [{ url: backend.url, name: "one" }],
      timeouts: { idleMs: 1, responseMs: 2000, connectMs: 2000, keepAliveMs: 1, headMs: 1000 },
    });
    const socket = await openWebSocket(url);
    // Another request has time to run late meanwhile.
    const slow = await startBackend(() => undefined);
    const other = await startBalancer({ transport, backends: [{ url: slow.url }], timeouts: { responseMs: 1200 } });
    expect((await fetch(other.url)).status).toBe(504);
    expect(String((await echo(socket, "still here")).data)).toBe("still here");
    expect(stats()["one"]?.inFlight).toBe(1);
  });

  it("is ended by close() when the grace period is over, and not before", async () => {
    const { url, port, close, stats } = await start();
    const socket = await openWebSocket(url);
    const ended = once(socket, "close");
    const closing = close({ graceMs: 600_000 });
    expect(String((await echo(socket, "still here")).data)).toBe("still here");
    await Promise.all([close({ graceMs: 0 }), closing]);
    expect((await ended)[0]).toBe(1006);
    expect(await isListening(port)).toBe(false);
    expect(stats()).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
  });

  it("lets close() resolve as soon as the last one has closed", async () => {
    const { url, close, stats } = await start();
    const socket = await openWebSocket(url);
    const closing = close({ graceMs: 600_000 });
    socket.close();
    await closing;
    await expect.poll(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 0, inFlight: 0 } });
  });

  it("is waited for when its backend is removed", async () => {
    const { url, removeBackend, snapshot } = await start();
    const socket = await openWebSocket(url);
    let removed = false;
    const removing = removeBackend("one").then(() => (removed = true));
    expect(String((await echo(socket, "still here")).data)).toBe("still here");
    expect([removed, snapshot().backends]).toEqual([false, []]);
    socket.close();
    await removing;
  });

  it("is cut off when its backend is removed and the grace period is over", async () => {
    const { url, removeBackend, entries, backend } = await start();
    const socket = await openWebSocket(url);
    const ended = once(socket, "close");
    await removeBackend("one", { graceMs: 10 });
    expect((await ended)[0]).toBe(1006);
    await backend.quiet();
    await expect
      .poll(() => entries)
      .toMatchObject([{ error: "The backend was removed before the connection had ended." }]);
  });

  it("goes to another backend when the one that it waits for becomes unavailable", async () => {
    const [one, two] = [await startEcho(), await startEcho()];
    const { url, snapshot, addBackend, drainBackend } = await startBalancer({
      transport,
      backends: [{ url: one.url, name: "one" }],
      limits: { connectionsPerBackend: 1 },
    });
    await openWebSocket(url);
    const second = openWebSocket(url);
    await expect.poll(() => snapshot().backends[0]?.queued).toBe(1);
    addBackend({ url: two.url, name: "two" });
    void drainBackend("one");
    await second;
    expect(two.requests.length).toBe(1);
  });

  it("waits for a slot of its backend, and gives it back", async () => {
    const backend = await startEcho();
    const { url, snapshot } = await startBalancer({
      transport,
      backends: [{ url: backend.url }],
      limits: { connectionsPerBackend: 1, queuePerBackend: 1 },
    });
    const first = await openWebSocket(url);
    const second = openWebSocket(url);
    await expect.poll(() => snapshot().backends[0]?.queued).toBe(1);
    await expect(openWebSocket(url)).rejects.toThrow("Unexpected server response: 503");
    first.close();
    expect(String((await echo(await second, "my turn")).data)).toBe("my turn");
  });
});
