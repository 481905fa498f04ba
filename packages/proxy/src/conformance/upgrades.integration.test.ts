import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { send } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import {
  endWithPeer,
  GONE_URL,
  startBackend,
  startBalancer,
  startBefore,
  startRawBackend,
} from "../test-support/servers.js";
import { WAYS_OF_SOCKETS } from "../test-support/transports.js";
import { expectEcho, openWebSocket, startEcho } from "../test-support/web-sockets.js";
import { say, wireClient } from "../test-support/wire.js";

const AGREED = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n";
const one = { requests: 1, errors: 0, aborted: 0, inFlight: 0 };
const asking = { headers: { connection: "Upgrade", upgrade: "chat" } };

/** What a client says that wants to speak chat. */
function askForChat(path = "/", lines = "", method = "GET"): string {
  return `${method} ${path} HTTP/1.1\r\nHost: chat.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: chat\r\n${lines}\r\n`;
}

describe.each(WAYS_OF_SOCKETS)("an upgrade through a balancer by %s", (transport) => {
  /** A balancer in front of one backend that is given each connection with the head of the first request on it. */
  async function start(onHead: (socket: Socket, head: string) => void, options: Partial<BalancerOptions> = {}) {
    const backend = await startRawBackend((socket) => {
      let head = "";
      socket.on("end", () => head.endsWith("\r\n\r\n") || socket.end());
      socket.on("data", function onData(chunk: Buffer) {
        head += chunk.toString("latin1");
        if (!head.includes("\r\n\r\n")) return;
        socket.off("data", onData);
        onHead(socket, head);
      });
    });
    return { backend, ...(await startBefore(backend, { transport, ...options })) };
  }

  it("is passed on with what it asks for, and then whatever is said", async () => {
    let asked = "";
    const { port } = await start((socket, head) => {
      asked = head;
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${AGREED}hello`);
      socket.on("data", (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    });
    const client = wireClient(port, askForChat("/room//x"));
    const agreed = await client.until(/hello$/);
    expect(agreed).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a>\r\n(?:Date: .*\r\n)?\r\nHTTP\/1\.1 101 Switching Protocols\r\n/,
    );
    expect(agreed).toMatch(/\r\nConnection: Upgrade\r\nUpgrade: chat\r\n/);
    client.write("ping");
    await client.until(/helloPING$/);
    expect(asked).toMatch(/^GET \/room\/\/x HTTP\/1\.1\r\n[^]*\r\nConnection: Upgrade\r\nUpgrade: chat\r\n/);
    expect(asked).toMatch(/\r\nForwarded: for=127\.0\.0\.1;host=chat\.test;proto=http\r\n[^]*\r\nHost: chat\.test\r\n/);
  });

  it("loses nothing that the client sends behind its request", async () => {
    const agree: { now?: () => void } = {};
    const { port } = await start((socket) => {
      agree.now = () => {
        socket.write(AGREED);
        socket.pipe(socket);
      };
    });
    const more = "x".repeat(300_000);
    const client = wireClient(port, `${askForChat()}at once;`);
    await expectSoon(() => agree.now !== undefined).toBe(true);
    client.write(`later;${more}`);
    await expectSoon(() => client.socket.writableLength).toBeLessThan(300_000);
    agree.now?.();
    await expectSoon(() => client.received().split("\r\n\r\n")[1]).toBe(`at once;later;${more}`);
  });

  it.each(["client", "backend"])("passes on an end of the %s, while the other side goes on", async (first) => {
    let heard = "";
    const { port, stats, entries } = await start((socket) => {
      socket.write(`${AGREED}hello`);
      if (first === "backend") socket.end();
      socket.on("data", (chunk: Buffer) => (heard += chunk.toString()));
      socket.on("end", () => first === "client" && socket.end(`you said ${heard}`));
    });
    const client = wireClient(port, askForChat());
    await (first === "backend" ? client.ended() : client.until(/hello$/));
    client.socket.end("goodbye");
    await expectSoon(() => heard).toBe("goodbye");
    const text = first === "backend" ? "hello" : "helloyou said goodbye";
    expect((await client.ended()).endsWith(`\r\n\r\n${text}`)).toBe(true);
    await expectSoon(stats).toEqual({ one });
    expect(entries).toMatchObject([{ status: 101, bodyBytes: text.length, host: "chat.test" }]);
  });

  it("passes a reset of either side on, and counts it as an error of the backend or aborted by the client", async () => {
    let errored: string | undefined;
    const { port, stats, entries } = await start((socket) => {
      socket.write(AGREED);
      socket.on("error", (error: NodeJS.ErrnoException) => (errored = error.code));
      socket.once("data", () => socket.resetAndDestroy());
    });
    const [first, second] = [wireClient(port, askForChat()), wireClient(port, askForChat())];
    await Promise.all([first.until(/\r\n\r\n$/), second.until(/\r\n\r\n$/)]);
    first.write("!");
    await first.ended();
    expect(first.broken()).toBe("ECONNRESET");
    second.reset();
    await expectSoon(() => errored).toBe("ECONNRESET");
    await expectSoon(stats).toEqual({ one: { requests: 2, errors: 1, aborted: 1, inFlight: 0 } });
    expect(entries).toMatchObject([
      { status: 101, error: expect.stringContaining("backend's connection broke") },
      { error: expect.stringContaining("client's connection broke") },
    ]);
  });

  it("makes the side that sends wait for the side that reads slowly", async () => {
    const source = manyBytes();
    const { port } = await start((socket) => {
      socket.write(AGREED);
      source.sendTo(socket);
    });
    const { socket } = wireClient(port, askForChat());
    socket.removeAllListeners("data").pause();
    await source.expectStandstill();
    expect(await readManyBytes(socket, "a head")).toBe(source.digest());
  });

  const REFUSAL = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nX-A: 1\r\n";
  const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n8\r\nnot you!\r\n0\r\n\r\n";
  it.each([
    ["by length", "Content-Length: 8\r\n\r\nnot you!", /\r\nContent-Length: 8\r\n[^]*\r\n\r\nnot you!$/],
    ["in chunks", CHUNKED, /\r\n\r\n8\r\nnot you!\r\n0\r\n\r\n$/],
    ["until close", "\r\nnot you!", /\r\n\r\n8\r\nnot you!\r\n0\r\n\r\n$/],
  ])("that is refused has its answer passed on whole, and the connection stays: %s", async (how, rest, expected) => {
    const { port, stats, entries } = await start((socket) => {
      socket.write(REFUSAL + rest);
      if (how === "until close") socket.end();
    });
    const client = wireClient(port, askForChat());
    const text = await client.until(expected);
    expect(text).not.toMatch(/\r\nConnection: close/);
    expect(text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\nWWW-Authenticate: Basic\r\nX-A: 1\r\n/);
    await expectSoon(stats).toEqual({ one });
    expect(entries).toMatchObject([{ status: 401, bodyBytes: 8 }]);
    // What follows is a request like any other.
    client.write("bytes of a tunnel\r\n\r\n");
    expect((await client.ended()).slice(text.length)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    ["garbage", "SSH-2.0-OpenSSH_9.6\r\n\r\n", /^Backend one sent an answer that is no HTTP: .+\n$/],
    ["a 101 to no protocol", "HTTP/1.1 101 OK\r\n\r\n", /^Backend one sent an answer that cannot be passed on: .+\n$/],
    ["two lengths", `HTTP/1.1 401 No\r\n${"Content-Length: 3\r\n".repeat(2)}\r\n`, /^Backend one sent an answer .+\n$/],
    ["nothing", "", /^Backend one did not answer: .+\n$/],
  ])("is answered with 502 when the backend says %s", async (_, bytes, expected) => {
    const { url, stats, backend } = await start((socket) => {
      if (bytes === "") socket.end();
      else endWithPeer(socket).write(bytes);
    });
    const answer = await send(url, asking);
    expect(answer).toMatchObject({ status: 502, headers: { "content-type": "text/plain; charset=utf-8" } });
    expect(answer.body).toMatch(expected);
    await expectSoon(stats).toEqual({ one: { ...one, errors: 1 } });
    await backend.quiet();
  });

  it("goes to another backend when the first cannot be connected to, if it may be sent again", async () => {
    const refusing = await startBackend((_, response) => response.writeHead(400).end());
    const gone = { url: GONE_URL, name: "gone" };
    const backends = [gone, { url: refusing.url, name: "one" }];
    const { url, stats, entries } = await startBalancer({ transport, backends });
    expect((await send(url, asking)).status).toBe(400);
    await expectSoon(() => entries).toMatchObject([{ backend: "one", status: 400, retries: 1 }]);
    expect(stats()).toMatchObject({ gone: { requests: 1, errors: 1, inFlight: 0 }, one: { requests: 1, errors: 0 } });
    const never = await startBalancer({ transport, backends, retries: 0 });
    const posts = await startBalancer({ transport, backends });
    expect((await send(never.url, asking)).status).toBe(502);
    const post = { method: "POST", headers: { ...asking.headers, "content-length": 0 } };
    // Nothing of it has left as long as there was no connection.
    expect((await send(posts.url, post)).status).toBe(400);
    expect(refusing.connections()).toBe(2);
  });

  describe("that has a body", () => {
    const LENGTH = ["Content-Length: 9\r\n", "ab", "cdefghi", "abcdefghi"] as const;
    const CHUNKS = [
      "Transfer-Encoding: chunked\r\n",
      "2\r\nab\r\n",
      "7\r\ncdefghi\r\n0\r\n\r\n",
      "2\r\nab\r\n7\r\ncdefghi\r\n0\r\n\r\n",
    ] as const;

    it.each([
      ["with a length", LENGTH],
      ["in chunks", CHUNKS],
    ])("has it passed on before the tunnel opens: %s", async (_, [framing, first, second, whole]) => {
      let heard = "";
      const { port, stats } = await start((socket, head) => {
        const hear = (text: string): void => {
          heard += text;
          if (heard.endsWith(whole)) socket.write(AGREED);
          if (heard.endsWith("ping")) socket.end("pong");
        };
        hear(head);
        socket.on("data", (chunk: Buffer) => hear(chunk.toString("latin1")));
      });
      const client = wireClient(port, askForChat("/exec/1/start", framing, "POST") + first);
      await expectSoon(() => heard).toMatch(/\r\n\r\n(?:2\r\n)?ab(?:\r\n)?$/);
      client.write(second);
      await client.until(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/);
      client.socket.end("ping");
      expect(await client.ended()).toMatch(/pong$/);
      expect(heard.split("\r\n\r\n").slice(1).join("\r\n\r\n")).toBe(`${whole}ping`);
      await expectSoon(stats).toEqual({ one });
    });

    it("with a length goes on through the tunnel when the backend agrees before it has all of it", async () => {
      let heard = "";
      const { port } = await start((socket, head) => {
        heard = head;
        socket.write(AGREED);
        socket.on("data", (chunk: Buffer) => {
          heard += chunk.toString("latin1");
          if (heard.endsWith("ping")) socket.end("pong");
        });
      });
      const [framing, first, second, whole] = LENGTH;
      const client = wireClient(port, askForChat("/", framing, "POST") + first);
      await client.until(/^HTTP\/1\.1 101 [^]*\r\n\r\n$/);
      client.socket.end(`${second}ping`);
      expect(await client.ended()).toMatch(/pong$/);
      expect(heard.split("\r\n\r\n")[1]).toBe(`${whole}ping`);
    });

    it("in chunks is answered with 502 when the backend agrees before it has all of it", async () => {
      const { port, stats } = await start((socket) => void socket.write(AGREED));
      const [framing, first] = CHUNKS;
      const client = wireClient(port, askForChat("/", framing, "POST") + first);
      await client.until(/^HTTP\/1\.1 502 [^]*before it had all of the request\.\n$/);
      await expectSoon(stats).toEqual({ one: { ...one, errors: 1 } });
    });
  });

  it("ends when nothing comes through it for tunnelIdleMs, and not before", async () => {
    const options = { timeouts: { tunnelIdleMs: 300 } };
    const { port, stats, entries, backend } = await start((socket) => {
      socket.write(AGREED);
      socket.pipe(socket);
    }, options);
    const client = wireClient(port, askForChat());
    await client.until(/\r\n\r\n$/);
    const saidMs = performance.now();
    client.write("last words");
    await client.ended();
    expect(performance.now() - saidMs).toBeGreaterThanOrEqual(300);
    expect(client.broken()).toBe("ECONNRESET");
    await expectSoon(stats).toEqual({ one: { ...one, aborted: 1 } });
    expect(entries).toMatchObject([{ status: 101, error: "Nothing came through the tunnel for 300 ms." }]);
    await backend.quiet();
  });

  describe("to a WebSocket", () => {
    async function startSockets(options: Partial<BalancerOptions> = {}) {
      const backend = await startEcho();
      const before = { url: `${backend.url}/base` };
      return { backend, ...(await startBefore(before, { transport, backendHeader: "x-backend", ...options })) };
    }

    it("carries texts, bytes, a megabyte, pings and codes of closing, both ways", async () => {
      const { url, backend, stats, snapshot, entries } = await startSockets();
      const options = { protocols: ["superchat", "chat"], headers: { "x-own": "1" } };
      const socket = await openWebSocket(`${url}/a%20b?c=d`, options);
      expect(socket.protocol).toBe("superchat");
      const headers = { host: url.slice("http://".length), "x-own": "1" };
      expect(backend.requests[0]).toMatchObject({ url: "/base/a%20b?c=d", headers });
      expect(backend.requests[0]?.headers).not.toHaveProperty("via");
      await expectEcho(socket, "grüß dich");
      await expectEcho(socket, Buffer.from([0, 255, 13, 10]));
      await expectEcho(socket, randomBytes(1024 * 1024));
      const pong = once(socket, "pong");
      socket.ping("p");
      expect(String((await pong)[0])).toBe("p");
      const [accepted = socket] = backend.wss.clients;
      const closed = once(accepted, "close");
      socket.close(4001, "enough");
      expect((await closed).map(String)).toEqual(["4001", "enough"]);

      const second = await openWebSocket(url);
      const [ping, unasked, end] = [once(second, "ping"), once(second, "message"), once(second, "close")];
      for (const client of backend.wss.clients) {
        client.ping("q");
        client.send("unasked");
        client.close(4002, "no more");
      }
      expect([String((await ping)[0]), String((await unasked)[0])]).toEqual(["q", "unasked"]);
      expect((await end).map(String)).toEqual(["4002", "no more"]);
      await expectSoon(stats).toEqual({ one: { ...one, requests: 2 } });
      expect(snapshot().backends[0]?.answers).toMatchObject({ "1xx": 2 });
      expect(entries).toMatchObject([{ path: "/a%20b?c=d", status: 101, backend: "one" }, { status: 101 }]);
      expect(entries[0]).not.toHaveProperty("error");
    });

    it("waits for a slot of its backend, and goes to another one when that becomes unavailable", async () => {
      const { url, snapshot, addBackend, drainBackend } = await startSockets({ limits: { connectionsPerBackend: 1 } });
      const first = await openWebSocket(url);
      const second = openWebSocket(url);
      await expectSoon(() => snapshot().backends[0]?.queued).toBe(1);
      first.close();
      await expectEcho(await second, "my turn");
      const third = openWebSocket(url);
      await expectSoon(() => snapshot().backends[0]?.queued).toBe(1);
      const other = await startEcho();
      addBackend({ url: other.url, name: "two" });
      void drainBackend("one");
      await third;
      expect(other.requests.length).toBe(1);
    });

    it("keeps many apart that are open at the same time, and ends none for being idle", async () => {
      const timeouts = { idleMs: 1, responseMs: 2000, connectMs: 2000, keepAliveMs: 1, headMs: 1000 };
      const { url } = await startSockets({ timeouts });
      const sockets = await Promise.all(Array.from({ length: 30 }, () => openWebSocket(url)));
      // Another connection is found to be idle, and another request to be late, meanwhile.
      const { port } = await start(() => undefined, { timeouts: { headMs: 1000, responseMs: 150 } });
      expect(await say(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 504 /);
      await Promise.all(sockets.map((socket, index) => expectEcho(socket, `message ${index}`)));
    });

    it("is waited for by close() and removeBackend() until the grace period is over, and then ended", async () => {
      const { url, close, removeBackend, addBackend, backend, entries } = await startSockets();
      const waitedFor = await openWebSocket(url);
      const removed = removeBackend("one", { graceMs: 600_000 });
      await expectEcho(waitedFor);
      waitedFor.close();
      await removed;

      addBackend({ url: backend.url, name: "brief" });
      const [first, second] = [await openWebSocket(url), await openWebSocket(url)];
      const codes = Promise.all([once(first, "close"), once(second, "close")]);
      await removeBackend("brief", { graceMs: 10 });
      expect((await codes).map(([code]) => code as number)).toEqual([1006, 1006]);
      await backend.quiet();
      const error = "The backend was removed before the connection had ended.";
      await expectSoon(() => entries.slice(1)).toMatchObject([{ error }, { error }]);

      addBackend({ url: backend.url, name: "two" });
      const last = await openWebSocket(url);
      const ended = once(last, "close");
      const closing = close({ graceMs: 600_000 });
      await expectEcho(last);
      await Promise.all([close({ graceMs: 0 }), closing]);
      expect((await ended)[0]).toBe(1006);
    });
  });
});
