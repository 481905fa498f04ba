import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { countsOf, startEcho, startRelay, startTcpBackend } from "./test-support/relay-example.js";
import { openClient, readLike, readToEnd } from "./test-support/tcp-client.js";

const MEGABYTE = 1_048_576;
const MANY_BYTES = 64 * MEGABYTE;

test("a client may go on sending after the backend has ended", async () => {
  let heard: Promise<unknown> | undefined;
  const backend = await startTcpBackend((socket) => {
    heard = readToEnd(socket);
    socket.end("bye");
  });
  const relay = await startRelay([backend.url]);
  const client = await openClient(relay.port);
  expect(await readToEnd(client)).toEqual({ text: "bye" });
  client.write("still ");
  client.end("here");
  expect(await heard).toEqual({ text: "still here" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});

test("a backend may go on sending after the client has ended", async () => {
  const backend = await startTcpBackend((socket) => {
    socket.resume().once("end", () => socket.end("you have ended"));
  });
  const relay = await startRelay([backend.url]);
  const client = await openClient(relay.port);
  const answer = readToEnd(client);
  client.end();
  expect(await answer).toEqual({ text: "you have ended" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});

test("a client's reset becomes one to the backend, and the connection counts as aborted", async () => {
  let heard: Promise<unknown> | undefined;
  const backend = await startTcpBackend((socket) => {
    heard = readToEnd(socket);
    socket.write("ready");
  });
  const relay = await startRelay([backend.url]);
  const client = await openClient(relay.port);
  await readLike(client, "ready");
  client.resetAndDestroy();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, aborted: 1 });
  expect(await heard).toEqual({ text: "", error: "ECONNRESET" });
  expect(relay.entries[0]?.error).toMatch(/^The client's connection broke: .*ECONNRESET/);
});

test("a backend's reset becomes one to the client, and the connection counts as failed", async () => {
  const backend = await startTcpBackend((socket) => {
    socket.once("data", () => socket.resetAndDestroy());
  });
  const relay = await startRelay([backend.url]);
  const client = await openClient(relay.port);
  const answer = readToEnd(client);
  client.write("go away");
  expect(await answer).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, errors: 1 });
  expect(relay.entries[0]?.error).toMatch(/^The backend's connection broke: .*ECONNRESET/);
});

test("what a backend has answered comes to the client, also if the backend then refuses what the client sends", async () => {
  const answer = "too much".repeat(10_000);
  const backend = await startTcpBackend((socket) => {
    socket.once("data", () => socket.resetAndDestroy());
    socket.end(answer);
  });
  const relay = await startRelay([backend.url]);
  const accepted = once(relay.server, "connection") as Promise<[Socket]>;
  const client = await openClient(relay.port);
  const [inRelay] = await accepted;
  await expect.poll(() => inRelay.writableFinished).toBe(true);
  client.write("refused");
  await expect.poll(() => backend.sockets.size).toBe(0);
  client.write("noticed");
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, errors: 1 });
  expect(await readToEnd(client)).toEqual({ text: answer });
});

test("a client that reads slowly makes the backend wait, and gets all of it", async () => {
  const source = manyBytes();
  const backend = await startTcpBackend((socket) => {
    socket.resume();
    source.stream.pipe(socket);
  });
  const relay = await startRelay([backend.url]);
  const accepted = once(relay.server, "connection") as Promise<[Socket]>;
  const client = await openClient(relay.port);
  const [inRelay] = await accepted;
  await expect.poll(() => inRelay.writableLength).toBeGreaterThan(0);
  const held = await readSlowly(client, () => inRelay.writableLength);
  expect(held).toMatchObject({ bytes: MANY_BYTES, hash: source.hash() });
  expect(held.mostHeld).toBeLessThan(MEGABYTE);
  client.end();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});

test("a backend that reads slowly makes the client wait, and gets all of it", async () => {
  const source = manyBytes();
  const backend = await startTcpBackend((socket) => socket.pause());
  const relay = await startRelay([backend.url]);
  const accepted = once(relay.server, "connection") as Promise<[Socket]>;
  const client = await openClient(relay.port);
  source.stream.pipe(client);
  client.resume();
  const [inRelay] = await accepted;
  const [toBackend] = relay.pool.upstreams[0]?.link ?? [];
  const held = (): number => inRelay.readableLength + (toBackend?.writableLength ?? 0);
  await expect.poll(held).toBeGreaterThan(0);
  const [socket] = backend.sockets;
  if (socket === undefined) throw new Error("The backend has no connection.");
  const received = await readSlowly(socket, held);
  expect(received).toMatchObject({ bytes: MANY_BYTES, hash: source.hash() });
  expect(received.mostHeld).toBeLessThan(MEGABYTE);
  socket.end();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1 });
});

test("a connection on which nobody sends is reset on both sides, and counts as aborted", async () => {
  const backend = await startEcho();
  const relay = await startRelay([backend.url], { timeouts: { idleMs: 500 } });
  const client = await openClient(relay.port);
  client.write("x");
  expect(await readToEnd(client)).toEqual({ text: "x", error: "ECONNRESET" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, aborted: 1 });
  await expect.poll(() => backend.sockets.size).toBe(0);
  expect(relay.entries[0]?.error).toContain("for 500 ms");
});

test("a backend that never answers is a failure once the connection has been idle for too long", async () => {
  const backend = await startTcpBackend((socket) => socket.resume());
  const relay = await startRelay([backend.url], { timeouts: { idleMs: 500 } });
  const client = await openClient(relay.port);
  client.write("hello?");
  expect(await readToEnd(client)).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, errors: 1 });
});

/** 64 MiB of noise, and its hash once they have been read. */
function manyBytes(): { readonly stream: Readable; readonly hash: () => string } {
  const hash = createHash("sha1");
  const noise = randomBytes(MEGABYTE);
  function* blocks(): Generator<Buffer> {
    for (let index = 0; index < MANY_BYTES / MEGABYTE; index++) {
      const block = Buffer.concat([noise.subarray(index * 1000), noise.subarray(0, index * 1000)]);
      hash.update(block);
      yield block;
    }
  }
  let digest: string | undefined;
  return { stream: Readable.from(blocks()), hash: () => (digest ??= hash.digest("hex")) };
}

/** Reads to the end with a rest after each chunk, and says how much was held up in between at the most. */
async function readSlowly(socket: Socket, held: () => number) {
  const hash = createHash("sha1");
  let bytes = 0;
  let mostHeld = held();
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
    mostHeld = Math.max(mostHeld, held());
    await new Promise((resolve) => setImmediate(resolve));
    if (bytes === MANY_BYTES) break;
  }
  return { bytes, mostHeld, hash: hash.digest("hex") };
}
