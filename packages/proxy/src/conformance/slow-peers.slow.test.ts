import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { LimitOptions, TimeoutOptions } from "../options/options.js";
import { send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { MANY_BYTES, manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import { endWithPeer, startBefore, startRawBackend, startSaying } from "../test-support/servers.js";
import { WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { plainAnswer, startWireBackend, wireClient } from "../test-support/wire.js";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";
const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const lost = { requests: 1, errors: 1, aborted: 0, inFlight: 0 };

describe.each(WAYS_OF_SOCKETS)("a balancer by %s", (transport) => {
  async function balance(timeouts: TimeoutOptions, backend?: { readonly url: string }, limits: LimitOptions = {}) {
    const wire = await startWireBackend();
    return { backend: wire, ...(await startBefore(backend ?? wire, { transport, timeouts, limits })) };
  }

  it.each([
    ["the request line", "GET / HT"],
    ["the headers", `${GET}X-A: b\r\n`],
    ["a second request", `${GET}\r\nGET /second HTTP/1.1\r\nHost: a\r\n`],
    ["a head that it sends byte by byte", `${GET}X-A: `],
  ])("cuts a client off that never comes to the end of %s", async (what, bytes) => {
    const { port, backend, snapshot, entries } = await balance({ headMs: 100 });
    const client = wireClient(port, bytes);
    const timer = setInterval(() => what.endsWith("byte") && client.write("a"), 5);
    expect(await client.ended()).toMatch(
      /HTTP\/1\.1 408 Request Timeout\r\n[^]*Connection: close\r\n\r\nThe head [^]*\n$/,
    );
    clearInterval(timer);
    expect(backend.received().join("")).not.toContain("second");
    expect(entries.at(-1)).toMatchObject({ status: 408, error: "The head of the request did not come in time." });
    expect(snapshot().refused).toEqual({ "408": 1 });
  });

  it.each([
    ["with a length", "Content-Length: 10\r\n\r\nhalf"],
    ["of which nothing comes", "Content-Length: 10\r\n\r\n"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
    ["in the middle of a chunk", "Transfer-Encoding: chunked\r\n\r\n9\r\nhalf"],
  ])("cuts a client off that never comes to the end of its body %s", async (_, rest) => {
    const { port, url, backend, stats, snapshot } = await balance({ idleMs: 60 });
    const text = await wireClient(port, `${POST}${rest}`).ended();
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[^]*did not come in time\.\n$/);
    await expectSoon(() => backend.open().length).toBe(0);
    expect(backend.requests()).toEqual([]);
    expect(stats()["one"]).toMatchObject({ errors: 0, inFlight: 0 });
    expect(snapshot().refused).toEqual({ "408": 1 });
    expect((await send(url)).status).toBe(200);
  });

  it("cuts a client off that does not read its answer, and ends it at the backend", async () => {
    const silent = await startRawBackend((socket) => {
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${MANY_BYTES}\r\n\r\n`);
        socket.write(Buffer.alloc(MANY_BYTES));
      });
    });
    const { port, stats } = await balance({ idleMs: 60 }, silent);
    wireClient(port, `${GET}\r\n`).socket.pause();
    await expectSoon(() => silent.connections()).toBe(1);
    await silent.quiet();
    await expectSoon(stats).toEqual({ one: { requests: 1, errors: 0, aborted: 1, inFlight: 0 } });
  });

  it.each([
    ["answers before the answer", `${GET}\r\n`, 1],
    ["answers to OPTIONS *", `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1000), 0],
    ["answers that no backend is available", `${GET}\r\n`.repeat(1000), 0],
  ])("takes no more than fits when a client reads no %s, and ends it in time", async (_, bytes, requests) => {
    let sentBytes = 0;
    const flood = (socket: Socket, text: string): void => {
      const more = (): void => {
        do sentBytes += text.length;
        while (sentBytes < MANY_BYTES && !socket.destroyed && socket.write(text, "latin1"));
      };
      socket.on("drain", more);
      more();
    };
    const early = `HTTP/1.1 103 Early Hints\r\nLink: ${"a".repeat(250)}\r\n\r\n`.repeat(100);
    const backend = await startRawBackend((socket) => socket.once("data", () => flood(socket, early)));
    const timeouts = { responseMs: 300, headMs: 300, keepAliveMs: 300 };
    const { port, stats, snapshot, drainBackend } = await balance(timeouts, backend);
    if (requests === 0) await drainBackend("one");
    const { socket } = wireClient(port);
    socket.removeAllListeners("data").pause();
    await expectSoon(() => snapshot().connections).toBe(1);
    if (requests === 0) flood(socket, bytes);
    else socket.write(bytes);
    await expectSoon(() => sentBytes).toBeGreaterThan(0);
    await expectSoon(() => snapshot().connections).toBe(0);
    expect(stats()["one"]).toMatchObject({ requests, errors: requests, inFlight: 0 });
    expect(sentBytes).toBeLessThan(MANY_BYTES);
  });

  it("gives a backend that trickles answers before its answer no more time", async () => {
    const timers: NodeJS.Timeout[] = [];
    const trickling = await startRawBackend((socket) => {
      timers.push(setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 10));
    });
    const { port } = await balance({ responseMs: 200 }, trickling);
    expect(await wireClient(port, `${GET}Connection: close\r\n\r\n`).ended()).toMatch(/103 [^]*HTTP\/1\.1 504 /);
    for (const timer of timers) clearInterval(timer);
  });

  it.each([
    ["before its answer", "", /^HTTP\/1\.1 408 [^]*did not come in time\.\n$/],
    ["behind its answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", /ok$/],
  ])("cuts a client off whose body trickles for longer than requestMs %s", async (_, answer, gets) => {
    const backend = await startSaying(answer);
    const { port, stats } = await balance({ requestMs: 300, idleMs: 5000 }, backend);
    const client = wireClient(port, `${POST}Content-Length: 1000000\r\n\r\n`);
    const timer = setInterval(() => client.write("a"), 10);
    expect(await client.ended()).toMatch(gets);
    clearInterval(timer);
    expect(stats()["one"]).toMatchObject({ errors: 0, inFlight: 0 });
  });

  it("cuts a client off whose body comes slower than it may, however long that goes on, and frees the backend", async () => {
    const backend = await startRawBackend(endWithPeer);
    const { port, snapshot } = await balance({ slowBodyMs: 200 }, backend, { bodyBytesPerSecond: 100_000 });
    const client = wireClient(port, `${POST}Content-Length: 1000000000\r\n\r\n`);
    // What has come fast before does not count for ever.
    client.write(Buffer.alloc(1_000_000));
    const timer = setInterval(() => client.write("a"), 10);
    expect(await client.ended()).toMatch(/^HTTP\/1\.1 408 [^]*did not come in time\.\n$/);
    clearInterval(timer);
    expect(snapshot()).toMatchObject({ refused: { "408": 1 }, backends: [{ errors: 0, inFlight: 0 }] });
    await backend.quiet();
  });

  it("does not take the slowness of a backend for that of its client", async () => {
    const backend = await startRawBackend((socket) => {
      socket.pause();
      const readAll = (): void => {
        let bytes = 0;
        socket.on("data", (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > MANY_BYTES) socket.write(plainAnswer("all of it"));
        });
        socket.resume();
      };
      // Longer than the client may be slow, and much longer than a machine stalls.
      setTimeout(readAll, 2500);
    });
    const { port } = await balance({ slowBodyMs: 1000 }, backend, { bodyBytesPerSecond: 1000 });
    const client = wireClient(port, `${POST}Content-Length: ${MANY_BYTES}\r\n\r\n`);
    client.write(Buffer.alloc(MANY_BYTES));
    expect(await client.until(/all of it$/)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([0, 1])("takes a body in two pieces on a kept connection, with %i bytes of buffer", async (bufferBytes) => {
    const backend = await startWireBackend(() => plainAnswer("ok"));
    const { port } = await balance({}, backend, { bufferBytes });
    const client = wireClient(port, `${GET}\r\n`);
    await client.until(/ok$/);
    client.write(`${POST}Content-Length: 6\r\n\r\none`);
    await expectSoon(() => backend.received().join("")).toMatch(/one$/);
    client.write("two");
    await client.until(/ok[^]*ok$/);
  });

  it.runIf(process.platform === "linux")("asks peers that are silent for a sign of life", async () => {
    const { port, backend } = await balance({});
    const client = wireClient(port, `${GET}\r\n`);
    await client.until(/\/$/);
    // The column "tr" is 2 where the keep-alive timer runs: see proc_net_tcp.txt of the kernel.
    // Both ports name the connection: a port of one end may be used by connections of others at the same time.
    const watched = async (...ports: readonly [local: number, remote: number]): Promise<string[]> => {
      const rows = (await readFile("/proc/net/tcp", "utf8"))
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter(([, ...ends]) => ports.every((port, at) => Number.parseInt(ends[at]?.slice(9) ?? "", 16) === port));
      // The list is read page by page, and has a connection twice where others come or go meanwhile. A socket has one inode.
      const timers = new Map(rows.map(([, , , , , timer = "", , , , inode]) => [inode, timer.slice(0, 2)]));
      return [...timers.values()];
    };
    expect(await watched(port, client.socket.localPort ?? 0)).toEqual(["02"]);
    const { localPort = 0, remotePort = 0 } = backend.open()[0] ?? {};
    expect(await watched(remotePort, localPort)).toEqual(["02"]);
  });

  it("closes a connection of a client on which nothing happens", async () => {
    const { port } = await balance({ keepAliveMs: 10 });
    expect(await wireClient(port, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n").ended()).toMatch(/\/x$/);
  });

  it("answers 504 when a backend does not say whether the client is to send the body", async () => {
    const silent = await startRawBackend(() => undefined);
    // The client does as it should, and is not the one that is slow.
    const { port, stats } = await balance({ responseMs: 150, slowBodyMs: 20, idleMs: 20 }, silent);
    const client = wireClient(port, `${POST}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`);
    expect(await client.ended()).toMatch(
      /^HTTP\/1\.1 504 [^]*Connection: close\r\n[^]*did not answer within 150 ms\.\n$/,
    );
    await expectSoon(stats).toEqual({ one: lost });
  });

  it("answers 504 when no connection is made in time", async () => {
    // Once a TLS connection is asked for, one that never answers is one that is never made.
    const silent = await startRawBackend(() => undefined);
    const { url } = await balance({ connectMs: 50 }, { url: silent.url.replace("http:", "https:") });
    const body = "Backend one could not be connected to within 50 ms.\n";
    expect(await send(url)).toMatchObject({ status: 504, body });
  });

  it("breaks an answer off whose backend goes silent in the middle of it", async () => {
    const silent = await startSaying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    const { port, stats, entries } = await balance({ idleMs: 60 }, silent);
    expect(await wireClient(port, `${GET}\r\n`).ended()).toMatch(/half$/);
    await expectSoon(stats).toEqual({ one: lost });
    expect(entries).toMatchObject([{ status: 200, error: "Backend one sent nothing for 60 ms." }]);
  });

  it("answers 503 when no connection to a backend is free in time, or too many wait", async () => {
    const silent = await startRawBackend(() => undefined);
    const limits = { connectionsPerBackend: 1, queuePerBackend: 1 };
    const { url, snapshot } = await balance({ queueMs: 50 }, silent, limits);
    send(url).catch(() => undefined);
    await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(1);
    const answers = await Promise.all([send(url), send(url)]);
    for (const { status, headers } of answers) expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(answers.map(({ body }) => body).toSorted()).toEqual([
      "Backend one had no connection free in time.\n",
      "Backend one has no connection free, and its queue is full.\n",
    ]);
    expect(snapshot().backends[0]).toMatchObject({ queued: 0, inFlight: 1, errors: 2 });
  });

  describe("and 64 MiB", () => {
    it("stops taking an answer that its client does not read, and passes all of it on when it does", async () => {
      const source = manyBytes();
      const backend = await startRawBackend((socket) => {
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${MANY_BYTES}\r\n\r\n`);
          source.sendTo(socket);
        });
      });
      const { port } = await balance({}, backend);
      const { socket } = wireClient(port, `${GET}Connection: close\r\n\r\n`);
      socket.removeAllListeners("data").pause();
      await source.expectStandstill();
      expect(await readManyBytes(socket, "a head")).toBe(source.digest());
    });

    it("stops taking a request that its backend does not read, and passes all of it on when it does", async () => {
      const source = manyBytes();
      const backend = await startRawBackend((socket) => void socket.pause());
      const { port } = await balance({}, backend);
      const client = wireClient(port, `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MANY_BYTES}\r\n\r\n`);
      source.sendTo(client.socket);
      await source.expectStandstill();
      const [socket] = backend.open();
      if (socket === undefined) throw new Error("The backend has no connection.");
      expect(await readManyBytes(socket, "a head")).toBe(source.digest());
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      await client.until(/ok$/);
    });
  });
});
