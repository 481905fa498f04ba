import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { BackendStartError } from "./backend.js";
import { POOL_DEFAULTS } from "./defaults.js";
import { startPool, type RunningPool } from "./start-pool.js";
import { isListening, keepAliveAgent, send } from "@lbbench/test-support/client.js";
import { poolOf } from "./test-support/started.js";

const ENDLESS = "sleep:10m";

/** What a client got: a status, or `closed`. */
type Outcome = number | "closed";

/** Sends a request over a connection of its own; `leave` closes that. */
function ask(url: string): { readonly outcome: Promise<Outcome>; readonly leave: () => void } {
  const sent = request(url, { agent: false }).end();
  const outcome = new Promise<Outcome>((resolve) => {
    sent.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    sent.on("error", () => resolve("closed"));
  });
  return { outcome, leave: () => void sent.destroy() };
}

/** Sends requests one after the other, each when the one before has reached the server. */
async function askInTurn(pool: RunningPool, count: number): Promise<readonly ReturnType<typeof ask>[]> {
  const before = await pool.requests();
  const asked: ReturnType<typeof ask>[] = [];
  for (let i = 1; i <= count; i++) {
    asked.push(ask(pool.url));
    await expectSoon(() => pool.requests()).toBe(before + i);
  }
  return asked;
}

const tally = (outcomes: readonly Outcome[], what: Outcome): number => outcomes.filter((one) => one === what).length;

function expectConserved(pool: RunningPool): void {
  const { accepted, served, refused, abandoned, waiting, inService } = pool.stats();
  expect(accepted).toBe(served + refused + abandoned + waiting + inService);
}

/** The threads that are started from here until the test ends, and how many of them have not ended. */
function watchThreads(): { readonly all: Worker[]; readonly running: () => number } {
  const all: Worker[] = [];
  let running = 0;
  const onWorker = (worker: Worker): void => {
    all.push(worker);
    running += 1;
    worker.once("exit", () => (running -= 1));
  };
  process.on("worker", onWorker);
  onTestFinished(() => void process.off("worker", onWorker));
  return { all, running: () => running };
}

describe("startPool", () => {
  const BURST = 150;

  it.each([
    { policy: "block", handler: "sleep:2ms", pool: 4, queue: 10 },
    { policy: "simple", handler: "sleep:1ms" },
    { policy: "drop-tail", handler: "sleep:100ms", pool: 4, queue: 10 },
    { policy: "drop-head", handler: "sleep:100ms", pool: 4, queue: 10, refusal: "close" },
  ] as const)("counts in a burst what the clients count, with %o", async (options) => {
    const pool = await poolOf(options);
    const asked = Array.from({ length: BURST }, () => ask(pool.url));
    const watch = setInterval(() => expectConserved(pool), 1);
    const outcomes = await Promise.all(asked.map(({ outcome }) => outcome));
    clearInterval(watch);
    const stats = pool.stats();
    const [served, refused] = [tally(outcomes, 200), tally(outcomes, "refusal" in options ? "closed" : 503)];
    expect(served + refused).toBe(BURST);
    expect(options.policy.startsWith("drop") || refused === 0).toBe(true);
    const empty = { abandoned: 0, waiting: 0, inService: 0, outside: 0 };
    expect(stats).toMatchObject({ accepted: BURST, served, refused, ...empty });
    expect(stats.timeInService.count).toBe(served);
    expect(stats.longestQueue).toBeLessThanOrEqual("queue" in options ? options.queue : 0);
  });

  it.each([
    ["drop-tail", "the newcomers", { 5: 503, 6: 503, 7: 503 }],
    ["drop-head", "those that have waited longest", { 2: 503, 3: 503, 4: 503 }],
  ] as const)("refuses under %s exactly %s", async (policy, _, refused) => {
    const pool = await poolOf({ handler: ENDLESS, pool: 2, queue: 3, policy });
    const outcomes: Record<number, Outcome> = {};
    const asked = await askInTurn(pool, 8);
    asked.forEach(({ outcome }, i) => void outcome.then((what) => (outcomes[i] = what)));
    await expectSoon(() => outcomes).toEqual(refused);
    expect(pool.stats()).toMatchObject({ accepted: 8, refused: 3, waiting: 3, inService: 2, longestQueue: 3 });
  });

  it.each([
    [{ policy: "block", pool: 2, queue: 3 }, 5],
    [{ policy: "simple" }, 1],
  ] as const)("leaves outside what it has no room for, with %o", async (options, room) => {
    const pool = await poolOf({ handler: ENDLESS, ...options });
    const asked = await askInTurn(pool, room + 4);
    expect(pool.stats()).toMatchObject({ accepted: room, refused: 0, outside: 4 });
    asked.at(-1)?.leave();
    await expectSoon(() => pool.stats().outside).toBe(3);
    expect(pool.stats()).toMatchObject({ accepted: room, abandoned: 0 });
  });

  it("says when to try again, and keeps the connection", async () => {
    const pool = await poolOf({ handler: ENDLESS, pool: 1, queue: 0, retryAfterS: 7 });
    await askInTurn(pool, 1);
    const agent = keepAliveAgent({ maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      const sent = request(pool.url, { agent, method: "POST" });
      sent.end("a body that is thrown away");
      const [response] = await once(sent, "response");
      expect(response).toMatchObject({ statusCode: 503, headers: { "retry-after": "7" } });
      ports.add(sent.socket?.localPort);
      await once(response.resume(), "end");
    }
    expect(ports.size).toBe(1);
  });

  it("gives up all that came over a connection that closes, but for the thread of the one in service", async () => {
    const pool = await poolOf({ handler: ENDLESS, pool: 1, queue: 5 });
    const socket = connect(pool.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: pool\r\n\r\n".repeat(4));
    await expectSoon(() => pool.stats()).toMatchObject({ waiting: 3, inService: 1 });
    socket.destroy();
    await expectSoon(() => pool.stats()).toMatchObject({ waiting: 0, inService: 1, abandoned: 3 });
  });

  it("answers several requests that are sent at once, in their order", async () => {
    const pool = await poolOf({ handler: "sleep:50ms", pool: 1, queue: 1 });
    const socket = connect(pool.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => (received += text));
    socket.write("GET / HTTP/1.1\r\nHost: pool\r\n\r\n".repeat(3));
    const statuses = ["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 503"];
    await expectSoon(() => received.match(/HTTP\/1.1 \d+/g)).toEqual(statuses);
  });

  it("takes a body up to its limit, not above, and keeps the connection", async () => {
    const pool = await poolOf({ handler: "echo", pool: 1 });
    const headers = { "content-type": "text/x-test" };
    const options = { method: "POST", agent: keepAliveAgent({ maxSockets: 1 }), headers };
    const largest = "x".repeat(POOL_DEFAULTS.largestBodyBytes);
    for (const body of ["", "short", largest]) {
      const answer = await send(pool.url, options, body);
      expect(answer).toMatchObject({ status: 200, headers });
      expect(answer.body === body).toBe(true);
    }
    expect(await send(pool.url, options, `${largest}x`)).toMatchObject({ status: 413 });
    expect(await send(pool.url, options, "short")).toMatchObject({ status: 200, body: "short" });
    expect(pool.stats()).toMatchObject({ accepted: 4, served: 4 });
  });

  it("fails exactly the share of what it serves, whichever thread does", async () => {
    const pool = await poolOf({ handler: "error:20%", pool: 4 });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) statuses.push((await send(pool.url, { agent: false })).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, (_, i) => (i % 5 === 4 ? 500 : 200)));
    expect(pool.stats()).toMatchObject({ served: 20 });
  });

  it("has all threads when it resolves, and replaces one that dies: only the request of that fails", async () => {
    const threads = watchThreads();
    const pool = await poolOf({ handler: ENDLESS, pool: 1, queue: 1 });
    expect([threads.all.length, threads.running()]).toEqual([1, 1]);
    const [inService] = await askInTurn(pool, 2);
    expect(pool.stats()).toMatchObject({ inService: 1, waiting: 1 });
    await threads.all[0]?.terminate();
    expect(await inService?.outcome).toBe(500);
    expect(pool.stats()).toMatchObject({ threadsDied: 1, accepted: 2, served: 1, inService: 1, waiting: 0 });
    const idle = await poolOf({ handler: "hello", pool: 1, queue: 0 });
    await threads.all.at(-1)?.terminate();
    await expectSoon(() => idle.stats().threadsDied).toBe(1);
    expect((await send(idle.url)).status).toBe(200);
  });

  it("stops with requests in service, waiting and outside, and leaves no thread and no port", async () => {
    const threads = watchThreads();
    const pool = await startPool({ handler: ENDLESS, pool: 2, queue: 2, policy: "block", adminPort: 0 });
    const asked = await askInTurn(pool, 6);
    await Promise.all([pool.stop({ graceMs: 0 }), pool.stop()]);
    expect(threads.running()).toBe(0);
    expect(await isListening(pool.port)).toBe(false);
    expect(await isListening(Number(new URL(pool.adminUrl ?? "").port))).toBe(false);
    expect(await Promise.all(asked.map(({ outcome }) => outcome))).toEqual(Array(6).fill("closed"));
    await expectSoon(() => pool.stats()).toMatchObject({ served: 0, waiting: 0, inService: 0, outside: 0 });
    expectConserved(pool);
    expect(pool.stats().threadsDied).toBe(0);
  });

  it("leaves nothing when the port of its admin server is in use", async () => {
    const threads = watchThreads();
    const { port } = await startTestServer();
    const failure = await startPool({ handler: "hello", adminPort: port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toMatchObject({ code: "EADDRINUSE", message: expect.stringContaining(`127.0.0.1:${port}`) });
    expect([threads.all.length, threads.running()]).toEqual([POOL_DEFAULTS.pool, 0]);
  });

  it("has an admin server on request that answers with the counts, and to nothing else", async () => {
    const pool = await poolOf({ handler: "hello", adminPort: 0 });
    await send(pool.url);
    const { status, headers, body } = await send(`${pool.adminUrl}/stats`);
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(JSON.parse(body)).toEqual(pool.stats());
    expect(JSON.parse(body)).toMatchObject({ accepted: 1, served: 1 });
    expect((await send(`${pool.adminUrl}/`)).status).toBe(404);
    expect((await send(`${pool.adminUrl}/stats`, { method: "POST" })).status).toBe(404);
    expect(pool.stats().accepted).toBe(1);
    expect((await poolOf({ handler: "hello" })).adminUrl).toBeUndefined();
  });
});
