import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { parsePolicy } from "../policies/parse-policy.js";
import type { BackendState, PolicyRequest } from "../policies/policy.js";
import { keepAliveAgent, send, sendTimes } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import {
  asBackends,
  GONE_URL,
  startBackend,
  startBalancer,
  startBefore,
  startHolding,
  startNamed,
  startRawBackend,
  startSaying,
} from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { get, plainAnswer, say, startWireBackend, statusesIn, wireClient } from "../test-support/wire.js";
import { valuesOf } from "@lbbench/test-support/wire-parse.js";

const ASKING = "GET / HTTP/1.1\r\nHost: a\r\n";
const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const POST_A = `${POST}Content-Length: 1\r\n\r\na`;

describe.each(TRANSPORTS)("a balancer by %s", (transport) => {
  const before = (backend: { readonly url: string }, options: Partial<BalancerOptions> = {}) =>
    startBefore(backend, { transport, ...options });
  const balance = (urls: readonly string[], options: Partial<BalancerOptions> = {}) => {
    const backends = urls.map((url, index) => ({ url, name: `backend-${index}` }));
    return startBalancer({ transport, backends, health: { passive: false }, ...options });
  };

  it("gives requests to its backends strictly in turn, and two balancers never share a turn", async () => {
    const backends = asBackends(await startNamed("a", "b", "c"));
    const [one, other] = [await startBalancer({ transport, backends }), await startBalancer({ transport, backends })];
    expect((await sendTimes(one.url, 7)).join("")).toBe("abcabca");
    expect(await sendTimes(other.url, 1)).toEqual(["a"]);
    const each = { requests: 2, errors: 0, aborted: 0, inFlight: 0 };
    await expectSoon(one.stats).toEqual({ a: { ...each, requests: 3 }, b: each, c: each });
    expect(one.entries.map(({ backend }) => backend).join("")).toBe("abcabca");
    for (const { durationMs } of one.entries) expect(durationMs).toBeGreaterThan(0);
  });

  it("keeps as many connections as there are requests at a time, also for clients that close theirs", async () => {
    const backend = await startHolding();
    const { url } = await before(backend);
    for (const agent of [keepAliveAgent(), false] as const) {
      const answers = Array.from({ length: 100 }, () => send(url, { agent }));
      await expectSoon(() => backend.held.length).toBe(100);
      backend.letGo();
      await Promise.all(answers);
    }
    expect(backend.connections()).toBe(100);
  });

  it("sends nothing on a kept connection that its backend has just closed, where a POST would be lost", async () => {
    const backend = await startWireBackend();
    const { port, stats } = await before(backend);
    const client = wireClient(port, POST_A);
    await client.until(/\/$/);
    // Another one has been served by then, and so the connection is free.
    await say(port, get());
    // Both are there when this process looks again: the end of the connections, and then the request.
    for (const socket of backend.open()) socket.destroy();
    client.write(POST_A);
    await expectSoon(() => statusesIn(client.received())).toEqual([200, 200]);
    expect(stats()).toMatchObject({ one: { requests: 3, errors: 0 } });
  });

  it("asks a backend that is removed for nothing again, and another one for what it had not answered", async () => {
    let held = 0;
    const leaving = await startBackend((request, response) => {
      if (request.url === "/held") held += 1;
      else response.end("leaving");
    });
    const [staying] = await startNamed("staying");
    const { url, addBackend, removeBackend } = await before(leaving);
    // Its connection is kept for the next one.
    expect((await send(url)).body).toBe("leaving");
    const answer = send(new URL("/held", url).href);
    await expectSoon(() => held).toBe(1);
    addBackend({ url: staying.url, name: "staying" });
    await removeBackend("one", { graceMs: 0 });
    expect((await answer).body).toBe("staying");
    expect(held).toBe(1);
  });

  it("begins no request of a client that cannot be answered any more", async () => {
    const { port, snapshot } = await before(await startWireBackend());
    const client = wireClient(port);
    await expectSoon(() => snapshot().connections).toBe(1);
    client.write(`OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n${POST_A}`);
    client.reset();
    await expectSoon(() => snapshot().connections).toBe(0);
    expect(snapshot().backends).toMatchObject([{ requests: 0 }]);
  });

  it("keeps the client's connection usable after a 502, also when a body was on its way", async () => {
    const { url, snapshot } = await before({ url: GONE_URL });
    const agent = keepAliveAgent({ maxSockets: 1 });
    for (let i = 0; i < 3; i++) {
      expect((await send(url, { method: "POST", agent }, Buffer.alloc(1024 * 1024))).status).toBe(502);
    }
    expect(snapshot()).toMatchObject({ connections: 1, backends: [{ requests: 3, errors: 3 }] });
  });

  describe("and a request that no backend is given", () => {
    it("is answered with 503 and when to come back, without a connection", async () => {
      const [backend] = await startNamed("a");
      const none = { name: "none", create: () => ({ pick: () => undefined }) };
      const drained = await before(backend);
      await drained.drainBackend("one");
      for (const { url, snapshot, entries } of [await before(backend, { policy: none }), drained]) {
        const { status, headers, body } = await send(url);
        expect([status, body]).toEqual([503, "No backend is available.\n"]);
        expect(Number(headers["retry-after"])).toBeGreaterThan(0);
        await expectSoon(() => entries).toMatchObject([{ status: 503, error: "No backend is available." }]);
        expect(snapshot().refused).toEqual({ "503": 1 });
      }
      expect(backend.connections()).toBe(0);
    });

    it("is answered in turn, however many of them come at once", async () => {
      const { port, drainBackend } = await before({ url: GONE_URL });
      await drainBackend("one");
      const client = wireClient(port, POST_A.slice(0, -1));
      client.write(`a${POST_A.repeat(10_000)}${get()}`);
      expect(statusesIn(await client.ended())).toEqual(Array.from({ length: 10_002 }, () => 503));
    });

    it("does not keep its client from being read when more of its body came than is buffered", async () => {
      const { port, drainBackend } = await before({ url: GONE_URL }, { limits: { bufferBytes: 0 } });
      await drainBackend("one");
      const client = wireClient(port, `${POST}Content-Length: 20\r\n\r\nfirst half`);
      await client.until(/503 /);
      client.write(`other half${get()}`);
      expect(statusesIn(await client.ended())).toEqual([503, 503]);
    });

    it("is refused with 413 when its body is, or grows, too long", async () => {
      const backend = await startWireBackend();
      const { port, snapshot } = await before(backend, { limits: { bodyBytes: 1000 } });
      const declared = wireClient(port, `${POST}Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n`);
      await declared.until(/^HTTP\/1\.1 413 [^]*\n$/);
      expect(backend.connections()).toBe(0);
      const client = wireClient(port, `${POST}Transfer-Encoding: chunked\r\n\r\n3e8\r\n${"a".repeat(1000)}\r\n`);
      await expectSoon(() => backend.received().join("").length).toBeGreaterThan(1000);
      client.write(`1\r\na\r\n0\r\n\r\n${get()}`);
      expect(await client.ended()).toMatch(/^HTTP\/1\.1 413 [^]*longer than 1000 bytes\.\n$/);
      expect([backend.requests(), snapshot().refused]).toEqual([[], { "413": 2 }]);
      await expectSoon(() => backend.open().length).toBe(0);
    });
  });

  describe("and a request whose backend fails before it answers", () => {
    type Way = "ends" | "resets" | "gone";
    const WAYS: readonly (readonly [string, Way])[] = [
      ["refuses connections", "gone"],
      ["closes them", "ends"],
      ["resets them", "resets"],
    ];

    /** A balancer before a backend that fails in the given way behind what it says, and one that echoes what it gets. */
    async function badAndGood(way: Way, more: Partial<BalancerOptions> = {}, says = "") {
      const first = way === "gone" ? GONE_URL : (await startSaying(says, way)).url;
      const good = await startBackend((incoming, response) => incoming.pipe(response));
      const balancer = await balance([first, good.url], { backendHeader: "x-backend", ...more });
      return { ...balancer, requests: () => balancer.snapshot().backends.map(({ requests }) => requests) };
    }

    it.each(WAYS)("goes to another one when it is a GET or a PUT and the first one %s", async (_, way) => {
      const { url, snapshot, requests, entries } = await badAndGood(way);
      expect((await send(url)).headers).toHaveProperty("x-backend", "backend-1");
      // The turn after a retry begins with the first one again.
      while (requests()[0] === 1) {
        expect(await send(url, { method: "PUT" }, "body")).toMatchObject({ status: 200, body: "body" });
      }
      await expectSoon(() => snapshot().backends[0]).toMatchObject({ requests: 2, errors: 2, retries: 0, inFlight: 0 });
      await expectSoon(() => snapshot().backends[1]).toMatchObject({ errors: 0, retries: 2, inFlight: 0 });
      expect(entries[0]).toMatchObject({ status: 200, backend: "backend-1", retries: 1 });
    });

    it.each(WAYS)("goes to another one as a POST only if nothing of it left, when one %s", async (_, way) => {
      const { url, requests } = await badAndGood(way);
      expect((await send(url, { method: "POST" }, "body")).status).toBe(way === "gone" ? 200 : 502);
      expect(requests()).toEqual([1, way === "gone" ? 1 : 0]);
    });

    it("has all of its body there, also what came before the first backend failed", async () => {
      const bad = await startSaying("", "resets");
      const good = await startWireBackend(({ body }) => plainAnswer(body));
      const limits = { connectionsPerBackend: 1, bufferBytes: 20 };
      const { port, url, snapshot, drainBackend, restoreBackend } = await balance([bad.url, good.url], { limits });
      void drainBackend("backend-0");
      const busy = wireClient(port, POST_A.slice(0, -1));
      await expectSoon(() => good.received().length).toBe(1);
      restoreBackend("backend-0");
      const client = wireClient(port, "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
      await expectSoon(() => snapshot().backends[1]?.queued).toBe(1);
      client.write(`1e\r\n${"2".repeat(30)}\r\n`);
      // Another one has been served by then, and so what was written.
      await send(url, { method: "OPTIONS", path: "*" });
      busy.write("a");
      client.write("5\r\nthree\r\n0\r\n\r\n");
      await client.until(/\r\n\r\none2{30}three$/);
    });

    it("goes to no other one when part of an answer has come, or when its body was too long to be kept", async () => {
      const begun = await badAndGood("ends", {}, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
      await say(begun.port, get());
      const long = await badAndGood("ends", { limits: { bufferBytes: 1000 } });
      const put = { method: "PUT", agent: keepAliveAgent() };
      expect((await send(long.url, put, Buffer.alloc(100_000))).status).toBe(502);
      for (const { requests } of [begun, long]) expect(requests()).toEqual([1, 0]);
    });

    it("has its policy told that it is a retry", async () => {
      const told: boolean[] = [];
      const pick = <B extends BackendState>(backends: readonly B[], { isRetry = false }: PolicyRequest) => {
        told.push(isRetry);
        return backends.find(({ available }) => available);
      };
      const { url } = await badAndGood("gone", { policy: { name: "first", create: () => ({ pick }) } });
      await sendTimes(url, 2, { agent: keepAliveAgent({ maxSockets: 1 }) });
      expect(told).toEqual([false, true, false, true]);
    });

    it.each([0, 2])("is sent %i times more at most", async (retries) => {
      const { url, snapshot } = await balance([GONE_URL, GONE_URL, GONE_URL, GONE_URL], { retries });
      expect((await send(url)).status).toBe(502);
      const rows = snapshot().backends.map((one) => [one.requests, one.errors, one.retries].join(""));
      expect(rows).toEqual(["110", "111", "111", "000"].map((row, at) => (at > retries ? "000" : row)));
    });

    it("and hangs has none of that time in the latency of the other one, which gets no POST of it", async () => {
      const hanging = await startRawBackend(() => undefined);
      const [quick] = await startNamed("ok");
      const timeouts = { responseMs: 100 };
      const { url, snapshot, entries } = await balance([hanging.url, quick.url], { timeouts });
      expect((await send(url)).body).toBe("ok");
      await expectSoon(() => entries).toMatchObject([{ retries: 1 }]);
      const latency = snapshot().backends[1]?.latency;
      expect(latency?.counts.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect((latency?.sumSeconds ?? Infinity) * 1000 + 100).toBeLessThanOrEqual(entries[0]?.durationMs ?? 0);
      const post = async () => (await send(url, { method: "POST" }, "body")).status;
      expect([await post(), await post()].toSorted((a, b) => a - b)).toEqual([200, 504]);
      expect(snapshot().backends.map(({ requests }) => requests)).toEqual([2, 2]);
    });
  });

  describe("and what is under way", () => {
    it("passes the head and the first part of an answer on before there is more", async () => {
      let response: ServerResponse | undefined;
      const backend = await startBackend((_, answer) =>
        (response = answer).writeHead(200, { "x-a": 1 }).flushHeaders(),
      );
      const { port } = await before(backend);
      const client = wireClient(port, get());
      await client.until(/^HTTP\/1\.1 200 OK\r\nx-a: 1\r\n[^]*\r\n\r\n$/);
      response?.write("data: 1\n\n");
      await client.until(/data: 1\n\n/);
      response?.end("data: 2\n\n");
      expect(await client.ended()).toMatch(/data: 2\n\n\r\n0\r\n\r\n$/);
    });

    it.each([
      ["with a length", "Content-Length: 6\r\n\r\n", "one", "two"],
      ["in chunks", "Transfer-Encoding: chunked\r\n\r\n", "3\r\none\r\n", "3\r\ntwo\r\n0\r\n\r\n"],
    ])("passes the first part of a request %s on before there is a second", async (_, framing, first, second) => {
      const backend = await startWireBackend(() => plainAnswer("ok"));
      const { port } = await before(backend, { expect: "answer" });
      const client = wireClient(port, `${POST}Expect: 100-continue\r\n${framing}`);
      await client.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      client.write(first);
      await expectSoon(() => backend.received().join("")).toMatch(/one(?:\r\n)?$/);
      client.write(second);
      await client.until(/ok$/);
      expect(backend.requests().map(({ body, lines }) => [body, valuesOf(lines, "expect")])).toEqual([["onetwo", []]]);
    });

    const MEBIBYTE = 1024 * 1024;
    it.each([
      ["with a length", `Content-Length: ${10 * MEBIBYTE}\r\n\r\n`, ""],
      ["in chunks", `Transfer-Encoding: chunked\r\n\r\n`, `${(10 * MEBIBYTE).toString(16)}\r\n`],
    ])("gives a client its answer while it still sends 10 MiB %s", async (_, framing, first) => {
      const backend = await startSaying("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
      const { port, stats } = await before(backend);
      const client = wireClient(port, `${POST}${framing}${first}`);
      client.write(Buffer.alloc(MEBIBYTE));
      await client.until(/^HTTP\/1\.1 413 Too Large\r\n[^]*no$/);
      for (let i = 0; i < 9; i++) client.write(Buffer.alloc(MEBIBYTE));
      // The rest of the body is not taken for a request, nor does it keep the next one from being read.
      client.write(`${first === "" ? "" : "\r\n0\r\n\r\n"}${get()}`);
      expect(await client.ended()).toMatch(/no(?:HTTP\/1\.1 413 [^]*no)?$/);
      await expectSoon(() => stats()["one"]).toMatchObject({ errors: 0, inFlight: 0 });
    });

    it.each([
      ["an ordinary request", `${ASKING}Connection: close\r\n\r\n`, 200],
      ["one that cannot be read", "NONSENSE\r\n\r\n", 400],
      ["a CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 501],
      ["one whose body is too long", `${POST}Content-Length: 5000\r\n\r\n`, 413],
      ["an upgrade", `${ASKING}Connection: Upgrade, close\r\nUpgrade: chat\r\n\r\n`, 200],
    ])("answers pipelined requests in their order, over one connection: the last is %s", async (_, last, status) => {
      const paths: (string | undefined)[] = [];
      const backend = await startBackend(({ url }, response) => {
        paths.push(url);
        setImmediate(() => response.end("whole"));
      });
      const { port } = await before(backend, { limits: { bodyBytes: 4000 } });
      const text = await say(port, `${ASKING.replace("/", "/1")}\r\n`.repeat(300) + last);
      expect(statusesIn(text)).toEqual([...Array.from({ length: 300 }, () => 200), status]);
      expect(paths.slice(0, 300)).toEqual(Array.from({ length: 300 }, () => "/1"));
      // An upgrade has a connection of its own.
      expect(backend.connections()).toBeLessThanOrEqual(transport === "http-proxy" ? 3 : 2);
    });

    it.each([
      ["while it waits", get(), ""],
      ["while twenty requests of it wait", `${ASKING}\r\n`.repeat(20), ""],
      ["in the middle of an upload", `${POST}Content-Length: 100\r\n\r\nhalf`, ""],
      ["in the middle of an answer", get(), "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ])("ends what a client that goes away has at the backend (%s)", async (_, bytes, answer) => {
      const backend = await startSaying(answer);
      const { port, stats, entries } = await before(backend);
      const client = wireClient(port, bytes);
      await expectSoon(() => backend.open().length).toBe(1);
      if (answer !== "") await client.until(/half$/);
      client.socket.destroy();
      await backend.quiet();
      await expectSoon(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
      expect(entries[0]).toMatchObject({ backend: "one", error: "The client closed the connection." });
      expect(entries[0]?.status).toBe(answer === "" ? undefined : 200);
    });
  });
});

// Which one that is: policies.test.ts. Here it is that policies are given what they look at.
it.each([
  ["consistent-hash:header:X-User", { path: "/", headers: { "X-User": "ann" } }],
  ["consistent-hash:cookie:session", { path: "/", headers: { cookie: "a=b; session=1" } }],
  ["consistent-hash:path", { path: "/item?n=1" }],
  ["ip-hash", { path: "/" }],
])("a balancer sends what is the same for %s to the same backend", async (text, request) => {
  const backends = asBackends(await startNamed("a", "b", "c", "d"));
  const { url } = await startBalancer({ backends, policy: parsePolicy(text) });
  expect(new Set(await sendTimes(url, 6, request)).size).toBe(1);
});
