import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BalancerOptions } from "../options/options.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { manyBytes, readManyBytes } from "../test-support/many-bytes.js";
import { temporaryPath } from "@lbbench/test-support/servers.js";
import { findSilentPort, GONE_URL, startBalancer, startRawBackend } from "../test-support/servers.js";
import { wireClient } from "../test-support/wire.js";

/** A server that sends back what it is sent, and ends when the client has ended. */
const startEcho = (place?: string) => startRawBackend((socket) => void socket.pipe(socket), place);

/** A relay to backends of the names 0, 1, ... */
async function startRelay(urls: readonly string[], options: Omit<BalancerOptions, "backends" | "mode"> = {}) {
  const backends = urls.map((url, index) => ({ url: url.replace(/^http:/, "tcp:"), name: `${index}` }));
  const relay = await startBalancer({ mode: "tcp", backends, ...options });
  /** Counts of a backend, without what is zero. */
  const countsOf = (name = "0"): Record<string, number> => {
    const found = relay.snapshot().backends.find((backend) => backend.name === name);
    if (found === undefined) throw new Error(`There is no backend ${name}.`);
    const { requests, errors, aborted, inFlight, retries, queued } = found;
    const counts = Object.entries({ requests, errors, aborted, inFlight, retries, queued });
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };
  /** Sends a text, ends, and returns the answer, or what the connection broke with. */
  const talk = async (text = ""): Promise<string> => {
    const client = wireClient(relay.port);
    client.socket.end(text);
    const answer = await client.ended();
    return answer + (client.broken() ?? "");
  };
  return { ...relay, countsOf, talk };
}

describe.each(["direct", "public"] as const)("a connection relayed by %s sockets", (sockets) => {
  it("carries what either side says, whoever speaks first, and is told once at its end", async () => {
    const backend = await startRawBackend((socket) => {
      socket.write("220 ready\r\n");
      socket.pipe(socket);
    });
    const { port, countsOf, entries } = await startRelay([backend.url], { sockets });
    const client = wireClient(port);
    await client.until(/^220 ready\r\n$/);
    client.write("first");
    await client.until(/first$/);
    client.write("x".repeat(200_000));
    await expectSoon(() => client.received().length).toBe(200_016);
    client.socket.end("last");
    expect(await client.ended()).toMatch(/xlast$/);
    await expectSoon(() => countsOf()).toEqual({ requests: 1 });
    expect(entries).toMatchObject([{ method: "TCP", backend: "0", bodyBytes: 200_020, remoteAddress: "127.0.0.1" }]);
  });

  it("goes on in one direction after the other one has ended", async () => {
    let heard = "";
    const ending = await startRawBackend((socket) => {
      socket.on("data", (chunk: Buffer) => (heard += chunk.toString())).end("bye");
    });
    const listening = await startRawBackend((socket) => {
      socket.resume().once("end", () => socket.end("you have ended"));
    });
    const { port, talk, countsOf } = await startRelay([ending.url, listening.url], { sockets });
    const client = wireClient(port);
    expect(await client.ended()).toBe("bye");
    client.socket.end("still here");
    await expectSoon(() => heard).toBe("still here");
    expect(await talk()).toBe("you have ended");
    await expectSoon(() => [countsOf("0"), countsOf("1")]).toEqual([{ requests: 1 }, { requests: 1 }]);
  });

  it("passes a reset of either side on, and counts it as aborted by the client or failed by the backend", async () => {
    let broken: string | undefined;
    const backend = await startRawBackend((socket) => {
      socket.on("error", (error: NodeJS.ErrnoException) => (broken = error.code)).write("ready");
      socket.once("data", () => socket.resetAndDestroy());
    });
    const { port, countsOf, entries, talk } = await startRelay([backend.url], { sockets });
    const client = wireClient(port);
    await client.until(/ready/);
    client.reset();
    await expectSoon(() => countsOf()).toEqual({ requests: 1, aborted: 1 });
    await expectSoon(() => broken).toBe("ECONNRESET");
    expect(await talk("go away")).toMatch(/ECONNRESET$/);
    await expectSoon(() => countsOf()).toEqual({ requests: 2, aborted: 1, errors: 1 });
    const errors = entries.map(({ error }) => error?.replace(/: .*/, ""));
    expect(errors).toEqual(["The client's connection broke", "The backend's connection broke"]);
  });

  it("brings the client what the backend has answered, also if it then refuses what the client sends", async () => {
    const answer = "too much".repeat(10_000);
    const backend = await startRawBackend((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
      socket.end(answer);
    });
    const { port, countsOf } = await startRelay([backend.url], { sockets });
    const client = wireClient(port);
    await client.until(new RegExp(`^(?:too much){10000}$`));
    client.write("refused");
    await backend.quiet();
    client.write("noticed");
    await expectSoon(() => countsOf()).toEqual({ requests: 1, errors: 1 });
    expect([await client.ended(), client.broken()]).toEqual([answer, undefined]);
  });

  it("makes a backend wait whose client does not read, and a client whose backend does not, and loses nothing", async () => {
    const down = manyBytes();
    const sending = await startRawBackend((socket) => down.sendTo(socket.resume()));
    const reader = wireClient((await startRelay([sending.url], { sockets })).port).socket;
    reader.removeAllListeners("data").pause();
    await down.expectStandstill();
    expect(await readManyBytes(reader, "nothing")).toBe(down.digest());

    const up = manyBytes();
    const backend = await startRawBackend((socket) => void socket.pause());
    const { port } = await startRelay([backend.url], { sockets });
    up.sendTo(wireClient(port).socket);
    await up.expectStandstill();
    expect(await readManyBytes(backend.open()[0] as Socket, "nothing")).toBe(up.digest());
  });

  it.each([
    ["the client", "x", { requests: 1, aborted: 1 }, (socket: Socket): unknown => socket.pipe(socket)],
    ["the backend", "", { requests: 1, errors: 1 }, (socket: Socket): unknown => socket.resume()],
  ])("on which nobody sends is reset, and blamed on who was to say something: %s", async (_, text, counts, act) => {
    const backend = await startRawBackend(act);
    const { port, countsOf, entries } = await startRelay([backend.url], { sockets, timeouts: { idleMs: 200 } });
    const client = wireClient(port, "x");
    expect([await client.ended(), client.broken()]).toEqual([text, "ECONNRESET"]);
    await expectSoon(() => countsOf()).toEqual(counts);
    await expectSoon(() => backend.open().length).toBe(0);
    expect(entries[0]?.error).toContain("for 200 ms");
  });
});

describe("the backend of a relayed connection", () => {
  it("is the next one in turn, also at a Unix socket, and 200 connections leave nothing open", async () => {
    const backends = [await startEcho(), await startEcho(temporaryPath("backend.sock"))];
    const { talk, snapshot, countsOf } = await startRelay(backends.map(({ url }) => url));
    const texts = await Promise.all(Array.from({ length: 200 }, (_, index) => talk(`connection ${index}`)));
    expect(texts).toEqual(texts.map((_, index) => `connection ${index}`));
    await expectSoon(() => snapshot().connections).toBe(0);
    await expectSoon(() => [countsOf("0"), countsOf("1")]).toEqual([{ requests: 100 }, { requests: 100 }]);
    await expectSoon(() => backends.map(({ open }) => open().length)).toEqual([0, 0]);
  });

  it("that refuses the connection, or does not take it in time, is left for the next one, and nothing is lost", async () => {
    const echo = await startEcho();
    for (const bad of [GONE_URL, `tcp://127.0.0.1:${await findSilentPort()}`]) {
      const { talk, countsOf, entries } = await startRelay([bad, echo.url], { timeouts: { connectMs: 500 } });
      expect(await talk("sent at once")).toBe("sent at once");
      await expectSoon(() => countsOf("1")).toEqual({ requests: 1, retries: 1 });
      expect(countsOf("0")).toEqual({ requests: 1, errors: 1 });
      expect(entries).toMatchObject([{ backend: "1", retries: 1 }]);
      expect(entries[0]).not.toHaveProperty("error");
    }
  });

  it("is no other one than there may be retries", async () => {
    const backends = [GONE_URL, GONE_URL, (await startEcho()).url];
    const { talk, countsOf, entries } = await startRelay(backends, { retries: 1 });
    expect(await talk()).toBe("ECONNRESET");
    await expectSoon(() => entries).toMatchObject([{ backend: "1", retries: 1 }]);
    expect(entries[0]?.error).toMatch(/^1 could not be reached: .*ECONNREFUSED/);
    expect([countsOf("1"), countsOf("2")]).toEqual([{ requests: 1, errors: 1, retries: 1 }, {}]);
  });

  it("may not be available: the connection is reset and counts as refused", async () => {
    const { talk, countsOf, entries, snapshot, drainBackend } = await startRelay([(await startEcho()).url]);
    await drainBackend("0");
    expect(await talk()).toBe("ECONNRESET");
    await expectSoon(() => entries).toMatchObject([{ error: "No backend is available.", bodyBytes: 0 }]);
    expect(entries[0]).not.toHaveProperty("backend");
    expect([snapshot().refused, countsOf()]).toEqual([{ reset: 1 }, {}]);
  });

  it("has no more connections than it may; others wait for their turn, or go to another one when it is drained", async () => {
    const limits = { connectionsPerBackend: 1, queuePerBackend: 1 };
    const { url } = await startEcho();
    const { port, countsOf, talk, entries, addBackend, drainBackend } = await startRelay([url], { limits });
    const first = wireClient(port);
    await expectSoon(() => countsOf()).toEqual({ requests: 1, inFlight: 1 });
    const second = wireClient(port, "second");
    await expectSoon(() => countsOf()).toEqual({ requests: 2, inFlight: 2, queued: 1 });
    expect(await talk()).toBe("ECONNRESET");
    await expectSoon(() => countsOf()).toEqual({ requests: 3, inFlight: 2, queued: 1, errors: 1 });
    expect(entries[0]?.error).toBe("The queue of 0 is full.");
    first.socket.end();
    await second.until(/second/);

    // Without a byte: libuv tells a reset behind bytes that are not read yet as an end.
    const third = wireClient(port);
    await expectSoon(() => countsOf()).toMatchObject({ inFlight: 2, queued: 1 });
    third.reset();
    await expectSoon(() => countsOf()).toEqual({ requests: 4, inFlight: 1, errors: 1, aborted: 1 });
    const fourth = wireClient(port, "fourth");
    await expectSoon(() => countsOf()).toMatchObject({ inFlight: 2, queued: 1 });
    addBackend({ url: (await startEcho()).url.replace("http", "tcp"), name: "1" });
    const drained = drainBackend("0");
    await fourth.until(/fourth/);
    second.socket.end();
    await drained;
  });

  it("is not waited for too long: the connection is reset", async () => {
    const options = { limits: { connectionsPerBackend: 1 }, timeouts: { queueMs: 30 } };
    const { port, countsOf, talk } = await startRelay([(await startEcho()).url], options);
    await wireClient(port, "first").until(/first/);
    expect(await talk()).toBe("ECONNRESET");
    expect(countsOf()).toEqual({ requests: 2, inFlight: 1, errors: 1 });
  });

  it("is forgotten when its client goes before it is connected", async () => {
    const { port, countsOf } = await startRelay([`tcp://127.0.0.1:${await findSilentPort()}`]);
    const client = wireClient(port);
    await expectSoon(() => countsOf()).toEqual({ requests: 1, inFlight: 1 });
    client.reset();
    await expectSoon(() => countsOf()).toEqual({ requests: 1, aborted: 1 });
  });

  it("is cut off when it is removed and its grace period is over", async () => {
    const echo = await startEcho();
    const { port, removeBackend } = await startRelay([echo.url]);
    const client = wireClient(port, "x");
    await client.until(/x/);
    await removeBackend("0", { graceMs: 0 });
    expect([await client.ended(), client.broken()]).toEqual(["x", "ECONNRESET"]);
    await echo.quiet();
  });

  it("dies under load and comes back, and clients, relay and backends agree on every connection", async () => {
    const served: Record<"0" | "1", string[]> = { 0: [], 1: [] };
    const die = (): void => {
      for (const socket of mortal.open()) if (!socket.writableEnded) socket.resetAndDestroy();
      void mortal.close();
    };
    const start = (name: "0" | "1", port?: number) =>
      startRawBackend((socket) => {
        let text = "";
        socket.on("data", (piece: Buffer) => (text += piece.toString()));
        socket.on("end", () => {
          const count = served[name].push(text);
          if (name === "1" && count === 150) die();
          else setTimeout(() => socket.destroyed || socket.end(`${name}:${text}`), 5);
        });
      }, port);
    const [steady, mortal] = [await start("0"), await start("1")];
    const { talk, countsOf } = await startRelay([steady.url, mortal.url], { health: { passive: false } });
    const answers: string[] = [];
    let sent = 0;
    const clients = Array.from({ length: 20 }, async () => {
      while (served[1].length < 300) answers.push(await talk(`${sent++}`));
    });
    await expectSoon(() => countsOf("0")["retries"] ?? 0).toBeGreaterThan(50);
    await start("1", mortal.port);
    await Promise.all(clients);

    const answered = (name: string) => answers.flatMap((text) => new RegExp(`^${name}:(\\d+)$`).exec(text)?.[1] ?? []);
    const [byFirst, bySecond] = [answered("0").toSorted(), answered("1")];
    const lost = answers.length - byFirst.length - bySecond.length;
    expect(lost).toBeGreaterThan(0);
    await expectSoon(() => countsOf("0")).toEqual({ requests: byFirst.length, retries: expect.any(Number) });
    const errors = (countsOf("0")["retries"] ?? 0) + lost;
    await expectSoon(() => countsOf("1")).toEqual({ requests: bySecond.length + errors, errors });
    expect(served[0].toSorted()).toEqual(byFirst);
    expect(new Set(served[1]).size).toBe(served[1].length);
    expect(bySecond.filter((id) => !served[1].includes(id))).toEqual([]);
    expect(served[1].length).toBeLessThanOrEqual(bySecond.length + lost);
  });
});

describe("TLS in front of mode tcp", () => {
  async function startTls(act: (socket: Socket) => void = (socket) => void socket.pipe(socket)) {
    const backend = await startRawBackend(act);
    const relay = await startRelay([backend.url], { tls: LOCALHOST, timeouts: { headMs: 300 } });
    /** Opens TLS over a new connection, and keeps what comes. */
    const open = () => {
      const plain = wireClient(relay.port).socket.removeAllListeners("data");
      const socket = connectTls({ socket: plain, host: "localhost", ca: LOCALHOST.cert });
      onTestFinished(() => void socket.destroy());
      const seen = { text: "", error: "" };
      socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString()));
      socket.on("error", (error: NodeJS.ErrnoException) => (seen.error = error.code ?? ""));
      return { socket, plain, seen };
    };
    return { ...relay, backend, open };
  }

  it("is ended, and what is inside is relayed, also after the client has ended", async () => {
    const { open, snapshot, countsOf, entries } = await startTls();
    const { socket, seen } = open();
    const text = "inside".repeat(100_000);
    socket.end(text);
    await expectSoon(() => seen.text.length).toBe(text.length);
    expect(seen.text).toBe(text);
    await expectSoon(() => snapshot().connections).toBe(0);
    await expectSoon(() => countsOf()).toEqual({ requests: 1 });
    expect(entries).toMatchObject([{ bodyBytes: text.length }]);
  });

  it("passes resets on, both ways", async () => {
    const resetting = await startTls((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const client = resetting.open();
    client.socket.write("go away");
    await expectSoon(() => resetting.countsOf()).toEqual({ requests: 1, errors: 1 });
    await expectSoon(() => resetting.snapshot().connections).toBe(0);
    await expectSoon(() => client.seen).toEqual({ text: "", error: "ECONNRESET" });

    const { backend, countsOf, open } = await startTls();
    const { plain, socket } = open();
    socket.write("x");
    await once(socket, "data");
    plain.resetAndDestroy();
    await expectSoon(() => countsOf()).toEqual({ requests: 1, aborted: 1 });
    await expectSoon(() => backend.open().length).toBe(0);
  });

  it("gives no backend to a client that does not speak it, or too slowly", async () => {
    const { talk, port, countsOf } = await startTls();
    await Promise.all([talk("GET / HTTP/1.1\r\n\r\n"), wireClient(port).ended()]);
    expect(countsOf()).toEqual({});
  });
});

it("closing a relay ends all connections at once, also those that wait, and those in the middle of a TLS handshake", async () => {
  for (const tls of [undefined, LOCALHOST]) {
    const backend = await startEcho();
    const limits = { connectionsPerBackend: 2 };
    const { port, close, snapshot, countsOf } = await startRelay([backend.url], { limits, ...(tls && { tls }) });
    const clients = [wireClient(port), wireClient(port), wireClient(port)];
    await expectSoon(() => snapshot().connections).toBe(3);
    if (tls === undefined) await expectSoon(() => countsOf()).toEqual({ requests: 3, inFlight: 3, queued: 1 });
    await close({ graceMs: 0 });
    for (const client of clients) expect([await client.ended(), client.broken()]).toEqual(["", "ECONNRESET"]);
    expect(countsOf()).toEqual(tls === undefined ? { requests: 3, aborted: 3 } : {});
    expect(snapshot().connections).toBe(0);
    await expectSoon(() => backend.open().length).toBe(0);
  }
});

it("closing a relay, or removing its backend, also ends a connection whose client or whose backend does not read", async () => {
  const flooding = await startRawBackend((socket) => manyBytes().sendTo(socket.pause()));
  for (const remove of [false, true]) {
    const { port, close, removeBackend, entries } = await startRelay([flooding.url]);
    const client = wireClient(port).socket.removeAllListeners("data").pause();
    const up = manyBytes();
    up.sendTo(client);
    await up.expectStandstill();
    await (remove ? removeBackend("0", { graceMs: 0 }) : close({ graceMs: 0 }));
    await expectSoon(() => entries.length).toBe(1);
    expect(entries[0]?.error).toBe(`The ${remove ? "backend" : "client"}'s connection was closed.`);
    await flooding.quiet();
  }
});
