import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { countsOf, startEcho, startRelay, startTcpBackend } from "./test-support/relay-example.js";
import { openClient, readLike, readToEnd, talk } from "./test-support/tcp-client.js";

const cert = await readFile(new URL("test-support/localhost-cert.pem", import.meta.url));
const key = await readFile(new URL("test-support/localhost-key.pem", import.meta.url));

test("500 connections leave nothing open, and the counts add up", async () => {
  const backends = [await startEcho(), await startEcho()];
  const relay = await startRelay(backends.map(({ url }) => url));
  for (let batch = 0; batch < 5; batch++) {
    const talks = Array.from({ length: 100 }, (_, index) => talk(relay.port, `connection ${index}`));
    const texts = (await Promise.all(talks)).map(({ text }) => text);
    expect(texts).toEqual(texts.map((_, index) => `connection ${index}`));
  }
  await expect.poll(relay.openConnections).toBe(0);
  await expect.poll(() => [countsOf(relay, 0), countsOf(relay, 1)]).toEqual([{ requests: 250 }, { requests: 250 }]);
  await expect.poll(() => backends.map(({ sockets }) => sockets.size)).toEqual([0, 0]);
  expect(relay.pool.upstreams.map(({ link }) => link.size)).toEqual([0, 0]);
  expect(relay.entries).toHaveLength(500);
});

test("all connections can be ended at once, also those that wait", async () => {
  const backend = await startEcho();
  const relay = await startRelay([backend.url], { limits: { connectionsPerBackend: 2 } });
  const clients = await Promise.all(Array.from({ length: 3 }, () => openClient(relay.port)));
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 3, inFlight: 3, queued: 1 });
  expect(relay.openConnections()).toBe(3);
  const ends = clients.map((client) => readToEnd(client));
  relay.destroyAll();
  expect(await Promise.all(ends)).toEqual(clients.map(() => ({ text: "", error: "ECONNRESET" })));
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 3, aborted: 3 });
  expect(relay.openConnections()).toBe(0);
  await expect.poll(() => backend.sockets.size).toBe(0);
});

test("a backend on a Unix socket is relayed to, and its end without order is passed on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "backend.sock");
  const server = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket)).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const relay = await startRelay([`unix:${path}`]);
  expect(await talk(relay.port, "by path")).toEqual({ text: "by path" });
  const client = await openClient(relay.port);
  client.write("x");
  await readLike(client, "x");
  client.resetAndDestroy();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 2, aborted: 1 });
});

test("TLS in front is ended, and what is inside is relayed, also after the client has ended", async () => {
  const relay = await startRelay([(await startEcho()).url], { tls: { cert, key } });
  const client = await openTls(relay.port);
  const text = "inside".repeat(100_000);
  const answer = readToEnd(client);
  client.end(text);
  expect(await answer).toEqual({ text });
  await expect.poll(relay.openConnections).toBe(0);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
  expect(relay.entries).toMatchObject([{ bodyBytes: text.length }]);
});

test("a backend's reset resets the TLS connection of the client", async () => {
  const backend = await startTcpBackend((socket) => {
    socket.once("data", () => socket.resetAndDestroy());
  });
  const relay = await startRelay([backend.url], { tls: { cert, key } });
  const client = await openTls(relay.port);
  const answer = readToEnd(client);
  client.write("go away");
  expect(await answer).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, errors: 1 });
  await expect.poll(relay.openConnections).toBe(0);
});

test("a client's reset under TLS resets the backend", async () => {
  const echo = await startEcho();
  const relay = await startRelay([echo.url], { tls: { cert, key } });
  const plain = await openClient(relay.port);
  const client = connectTls({ socket: plain, ca: cert, host: "localhost" });
  client.on("error", () => undefined);
  client.write("x");
  await readLike(client, "x");
  plain.resetAndDestroy();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, aborted: 1 });
  await expect.poll(() => echo.sockets.size).toBe(0);
});

test("TLS connections can be ended at once, also during the handshake", async () => {
  const relay = await startRelay([(await startEcho()).url], { tls: { cert, key } });
  const silent = await openClient(relay.port);
  const client = await openTls(relay.port);
  client.write("x");
  await readLike(client, "x");
  expect(relay.openConnections()).toBe(2);
  const ends = [readToEnd(silent), readToEnd(client)];
  relay.destroyAll();
  expect(await Promise.all(ends)).toEqual([0, 1].map(() => ({ text: "", error: "ECONNRESET" })));
  await expect.poll(relay.openConnections).toBe(0);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, aborted: 1 });
});

test("a client that does not speak TLS, or too slowly, is given no backend", async () => {
  const relay = await startRelay([(await startEcho()).url], { tls: { cert, key }, timeouts: { headMs: 50 } });
  await talk(relay.port, "GET / HTTP/1.1\r\n\r\n");
  const silent = await openClient(relay.port);
  await readToEnd(silent);
  silent.destroy();
  await expect.poll(relay.openConnections).toBe(0);
  expect(countsOf(relay)).toEqual({});
});

async function openTls(port: number): Promise<TLSSocket> {
  const client = connectTls({ port, host: "localhost", ca: cert });
  client.on("error", () => undefined);
  onTestFinished(() => void client.destroy());
  await once(client, "secureConnect");
  return client;
}
