import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { readAnswer } from "../test-support/client.js";
import { countsOf, startEcho, startNamed, startRelay, startTcpBackend } from "./test-support/relay-example.js";
import { openClient, readLike, readToEnd, talk } from "./test-support/tcp-client.js";

test("what a client sends comes to the backend, and its answer back", async () => {
  const relay = await startRelay([(await startEcho()).url]);
  const client = await openClient(relay.port);
  for (const text of ["first", "second", "x".repeat(200_000)]) {
    client.write(text);
    expect(await readLike(client, text)).toBe(text);
  }
  const rest = readToEnd(client);
  client.end("last");
  expect(await rest).toEqual({ text: "last" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});

test("a backend may speak first", async () => {
  const backend = await startTcpBackend((socket) => {
    socket.write("220 ready\r\n");
    socket.once("data", () => socket.end("221 bye\r\n"));
  });
  const relay = await startRelay([backend.url]);
  const client = await openClient(relay.port);
  expect(await readLike(client, "220 ready\r\n")).toBe("220 ready\r\n");
  const rest = readToEnd(client);
  client.end("QUIT\r\n");
  expect(await rest).toEqual({ text: "221 bye\r\n" });
});

test("connections go to the backends in turn", async () => {
  const backends = await Promise.all(["a", "b", "c"].map(startNamed));
  const relay = await startRelay(backends.map(({ url }) => url));
  const names: string[] = [];
  for (let index = 0; index < 7; index++) names.push((await talk(relay.port)).text);
  expect(names.join("")).toBe("abcabca");
});

test("each connection is told once at its end, with what it brought the client", async () => {
  const relay = await startRelay([(await startNamed("hello")).url]);
  const before = Date.now();
  await talk(relay.port);
  await expect.poll(() => relay.entries.length).toBe(1);
  const [entry] = relay.entries;
  expect(entry).toEqual({
    method: "TCP",
    path: "",
    httpVersion: "",
    backend: "backend-0",
    bodyBytes: 5,
    remoteAddress: "127.0.0.1",
    startedAt: expect.any(Number) as number,
    durationMs: expect.any(Number) as number,
  });
  expect(entry?.startedAt).toBeGreaterThanOrEqual(before);
  expect(relay.pool.upstreams[0]?.snapshot().answers).toEqual({ "1xx": 0, "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 });
  expect(relay.pool.upstreams[0]?.snapshot().latency.counts.reduce((sum, count) => sum + count)).toBe(1);
});

test("HTTP goes through", async () => {
  const server = createServer((incoming, response) => {
    incoming.pipe(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const relay = await startRelay([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const sent = request(`http://127.0.0.1:${relay.port}/path`, { method: "POST" });
  sent.end("body".repeat(50_000));
  expect(await readAnswer(sent)).toMatchObject({ status: 200, body: "body".repeat(50_000) });
});

test("a WebSocket goes through", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  onTestFinished(() => server.close());
  server.on("connection", (socket) => {
    socket.on("message", (message: Buffer) => socket.send(`echo of ${message.toString()}`));
  });
  const relay = await startRelay([`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const client = new WebSocket(`ws://127.0.0.1:${relay.port}/`);
  await once(client, "open");
  client.send("text");
  const [message] = (await once(client, "message")) as [Buffer];
  expect(message.toString()).toBe("echo of text");
  const closed = once(client, "close");
  client.close(1000);
  expect((await closed)[0]).toBe(1000);
  await expect.poll(relay.openConnections).toBe(0);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});
