import { expect, test } from "vitest";
import { countsOf, findClosedPort, startEcho, startNamed, startRelay } from "./test-support/relay-example.js";
import { findSilentPort } from "./test-support/full-backlog.js";
import { openClient, readLike, readToEnd, talk } from "./test-support/tcp-client.js";

test("a backend that refuses the connection is left for the next one, and nothing is lost", async () => {
  const relay = await startRelay([`tcp://127.0.0.1:${await findClosedPort()}`, (await startEcho()).url]);
  expect(await talk(relay.port, "sent at once")).toEqual({ text: "sent at once" });
  await expect.poll(() => countsOf(relay, 1)).toEqual({ requests: 1, retries: 1 });
  expect(countsOf(relay, 0)).toEqual({ requests: 1, errors: 1 });
  expect(relay.entries).toMatchObject([{ backend: "backend-1", retries: 1 }]);
  expect(relay.entries[0]).not.toHaveProperty("error");
});

test("a backend that does not take the connection in time is left for the next one", async () => {
  const urls = [`tcp://127.0.0.1:${await findSilentPort()}`, (await startEcho()).url];
  const relay = await startRelay(urls, { timeouts: { connectMs: 1000 } });
  expect(await talk(relay.port, "text")).toEqual({ text: "text" });
  await expect.poll(() => countsOf(relay, 1)).toEqual({ requests: 1, retries: 1 });
  expect(countsOf(relay, 0)).toEqual({ requests: 1, errors: 1 });
});

test("no more backends are tried than there may be retries", async () => {
  const closed = `tcp://127.0.0.1:${await findClosedPort()}`;
  const relay = await startRelay([closed, closed, (await startEcho()).url], { retries: 1 });
  expect(await talk(relay.port)).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => relay.entries.length).toBe(1);
  expect(relay.entries).toMatchObject([{ backend: "backend-1", retries: 1 }]);
  expect(relay.entries[0]?.error).toMatch(/^backend-1 could not be reached: .*ECONNREFUSED/);
  expect([0, 1, 2].map((index) => countsOf(relay, index))).toEqual([
    { requests: 1, errors: 1 },
    { requests: 1, errors: 1, retries: 1 },
    {},
  ]);
  expect(relay.refused()).toBe(0);
});

test("a connection for which no backend is available is reset and counts as refused", async () => {
  const relay = await startRelay([(await startEcho()).url]);
  await relay.pool.drain("backend-0");
  expect(await talk(relay.port)).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => relay.entries.length).toBe(1);
  expect(relay.refused()).toBe(1);
  expect(relay.entries[0]).toMatchObject({ error: "No backend is available.", bodyBytes: 0 });
  expect(relay.entries[0]).not.toHaveProperty("backend");
  expect(countsOf(relay)).toEqual({});
});

test("a backend that failed too often is not tried until it is back", async () => {
  const urls = [`tcp://127.0.0.1:${await findClosedPort()}`, (await startNamed("b")).url];
  const relay = await startRelay(urls, { health: { passive: { failures: 2 } } });
  for (let index = 0; index < 6; index++) expect((await talk(relay.port)).text).toBe("b");
  expect(countsOf(relay, 0)).toEqual({ requests: 2, errors: 2 });
});

test("a connection waits for its turn at a backend that has as many as it may", async () => {
  const relay = await startRelay([(await startEcho()).url], { limits: { connectionsPerBackend: 1 } });
  const first = await openClient(relay.port);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, inFlight: 1 });
  const second = await openClient(relay.port);
  second.write("second");
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 2, inFlight: 2, queued: 1 });
  first.end();
  expect(await readLike(second, "second")).toBe("second");
  expect(countsOf(relay)).toEqual({ requests: 2, inFlight: 1 });
});

test("one connection more than may wait is reset", async () => {
  const limits = { connectionsPerBackend: 1, queuePerBackend: 1 };
  const relay = await startRelay([(await startEcho()).url], { limits });
  await openClient(relay.port);
  await openClient(relay.port);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 2, inFlight: 2, queued: 1 });
  expect(await talk(relay.port)).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 3, inFlight: 2, queued: 1, errors: 1 });
  expect(relay.entries[0]?.error).toBe("The queue of backend-0 is full.");
});

test("a connection that has waited for too long is reset", async () => {
  const options = { limits: { connectionsPerBackend: 1 }, timeouts: { queueMs: 30 } };
  const relay = await startRelay([(await startEcho()).url], options);
  const first = await openClient(relay.port);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, inFlight: 1 });
  const second = await openClient(relay.port);
  expect(await readToEnd(second)).toEqual({ text: "", error: "ECONNRESET" });
  expect(countsOf(relay)).toEqual({ requests: 2, inFlight: 1, errors: 1 });
  first.write("still here");
  expect(await readLike(first, "still here")).toBe("still here");
});

test("a client that goes while it waits gives up its place and counts as aborted", async () => {
  const relay = await startRelay([(await startEcho()).url], { limits: { connectionsPerBackend: 1 } });
  await openClient(relay.port);
  const second = await openClient(relay.port);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 2, inFlight: 2, queued: 1 });
  second.resetAndDestroy();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 2, inFlight: 1, aborted: 1 });
});

test("a client that goes before its backend is connected counts as aborted", async () => {
  const relay = await startRelay([`tcp://127.0.0.1:${await findSilentPort()}`]);
  const client = await openClient(relay.port);
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, inFlight: 1 });
  client.resetAndDestroy();
  await expect.poll(() => countsOf(relay)).toEqual({ requests: 1, aborted: 1 });
  expect(relay.pool.upstreams[0]?.link.size).toBe(0);
});

test("those that wait for a backend that is drained go to another one", async () => {
  const urls = [(await startEcho()).url, (await startEcho()).url];
  const relay = await startRelay(urls, { limits: { connectionsPerBackend: 1 } });
  const first = await openClient(relay.port);
  const second = await openClient(relay.port);
  const third = await openClient(relay.port);
  await expect.poll(() => countsOf(relay, 0)).toEqual({ requests: 2, inFlight: 2, queued: 1 });
  const drained = relay.pool.drain("backend-0");
  expect(countsOf(relay, 1)).toEqual({ requests: 2, inFlight: 2, queued: 1 });
  second.end();
  third.write("third");
  expect(await readLike(third, "third")).toBe("third");
  first.end();
  await drained;
});

test("a backend that is removed is cut off after its grace period", async () => {
  const echo = await startEcho();
  const relay = await startRelay([echo.url, (await startEcho()).url]);
  const client = await openClient(relay.port);
  client.write("x");
  await readLike(client, "x");
  const end = readToEnd(client);
  const upstream = relay.pool.upstreams[0];
  await relay.pool.remove("backend-0", { graceMs: 0 });
  expect(await end).toEqual({ text: "", error: "ECONNRESET" });
  await expect.poll(() => upstream?.snapshot()).toMatchObject({ requests: 1, errors: 1, inFlight: 0 });
  await expect.poll(() => echo.sockets.size).toBe(0);
});
