import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { connect, createServer, Server, type NetConnectOpts, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { findDirectAccess, READ_BYTES, whyNoDirectAccess } from "./connection.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { serve, temporaryPath } from "@lbbench/test-support/servers.js";
import { Recorder } from "./test-support/recorder.js";

const MEGABYTE = 1_000_000;
/** More than the system holds of what is sent and not read, by far. */
const MANY_BYTES = 24 * MEGABYTE;

const PERIOD = 65_521;
/** What stands at each place of a long stream: a piece that is in another place, or twice, is found. Two periods of it. */
const PATTERN = Buffer.from(
  Uint8Array.from({ length: 2 * PERIOD }, (_, at) => ((at % PERIOD) * 7) ^ ((at % PERIOD) >> 8)),
);

/** Checks a stream of `PATTERN` piece by piece. */
function patternReader() {
  let bytes = 0;
  const take = (piece: Buffer): void => {
    for (let at = 0; at < piece.length; at += PERIOD) {
      const size = Math.min(piece.length - at, PERIOD);
      const from = bytes % PERIOD;
      if (PATTERN.compare(piece, at, at + size, from, from + size) !== 0)
        throw new Error(`Wrong bytes behind ${bytes}`);
      bytes += size;
    }
  };
  return { take, bytes: () => bytes };
}

/** Lets the event loop turn, and read what the system has. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** One memory for all connections of this file. */
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** Sockets and servers of this process that are open. */
const openHandles = (): number => process.getActiveResourcesInfo().filter((kind) => /TCP|TLS|Pipe/.test(kind)).length;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const openBefore = openHandles();
const access = await findDirectAccess();

const KINDS = [
  { kind: "TCP, direct", isDirect: true, place: "port", resets: true },
  { kind: "a Unix socket, direct", isDirect: true, place: "path", resets: false },
  { kind: "TCP, public interface", isDirect: false, place: "port", resets: true },
  { kind: "TLS, public interface", isDirect: true, place: "tls", resets: true },
] as const;

/** Pairs of a connection that a server has accepted, and the socket at its other end. */
async function startPairs({ isDirect, place }: (typeof KINDS)[number]) {
  const isTls = place === "tls";
  const options = { ...LOCALHOST, allowHalfOpen: true };
  const server: Server = isTls ? createTlsServer(options) : createServer(options);
  const path = temporaryPath("s");
  const { port } = await serve(server, place === "path" ? path : 0);
  const trusting = { port, ca: LOCALHOST.cert, servername: "localhost", allowHalfOpen: true };
  const where: NetConnectOpts = place === "path" ? { path } : { port, host: "127.0.0.1" };
  return {
    path,
    open: async (isAttached = true) => {
      const accepted = once(server, isTls ? "secureConnection" : "connection") as Promise<[Socket]>;
      const peer = isTls ? connectTls(trusting) : connect({ ...where, allowHalfOpen: true });
      onTestFinished(() => void peer.destroy());
      peer.on("error", () => undefined);
      const [[socket]] = await Promise.all([accepted, once(peer, isTls ? "secureConnect" : "connect")]);
      const connection = new Recorder(socket, isDirect ? access : undefined);
      if (isAttached) connection.attach(MEMORY);
      return { connection, peer };
    },
  };
}

/** Writes `PATTERN` from a memory that is used again as soon as it is free; tells how much it has written. */
function writePattern(connection: Recorder, most: number, onDone: () => void = () => undefined) {
  const memory = Buffer.allocUnsafeSlow(50_000);
  let bytes = 0;
  const more = (): void => {
    let isFree = true;
    while (isFree && bytes < most) {
      const from = bytes % PERIOD;
      const size = Math.min(memory.length, most - bytes);
      PATTERN.copy(memory, 0, from, from + size);
      bytes += size;
      isFree = connection.writeBytes(memory.subarray(0, size));
    }
    if (isFree) onDone();
  };
  connection.drainedDo = more;
  more();
  return () => bytes;
}

describe.each(KINDS)("a connection over $kind", (kind) => {
  const { isDirect, place, resets } = kind;
  const openPair = async (isAttached = true) => (await startPairs(kind)).open(isAttached);

  it("sends texts and bytes in order, of any size, and gives their memory free when it says so", async () => {
    const { connection, peer } = await openPair();
    let sent = "";
    const memory = Buffer.alloc(200_000);
    const sizes = [1, 700, 20_000, 40_000, 200_000];
    const write = (): void => {
      let isFree = true;
      while (isFree && sizes.length > 0) {
        const size = sizes.shift() ?? 0;
        const text = `${size} \xe9\xff`.padEnd(size, "t");
        const bytes = memory.subarray(0, size).fill(65 + sizes.length);
        sent += `first ${text}${bytes.toString("latin1")}`;
        connection.writeText("first ");
        isFree = connection.writeAll([Buffer.from(text, "latin1"), bytes]);
      }
      if (isFree) connection.end();
    };
    connection.drainedDo = write;
    write();
    const received = await buffer(peer);
    expect(received.toString("latin1") === sent).toBe(true);
    expect(connection.blocked).toBe(false);
  });

  it("keeps the memory of what waits to be sent, though nobody else does", async () => {
    const { connection, peer } = await openPair();
    const text = "text".repeat(MANY_BYTES / 4);
    expect(connection.writeAll([Buffer.from(text, "latin1"), Buffer.from("and bytes")])).toBe(false);
    collectGarbage();
    await turns(5);
    const others = Array.from({ length: 4 }, () => Buffer.alloc(MANY_BYTES, "other"));
    const received = buffer(peer);
    await expectSoon(() => connection.blocked).toBe(false);
    connection.end();
    const isSame = (await received).toString("latin1") === `${text}and bytes`;
    expect([isSame, others.length]).toEqual([true, 4]);
  });

  it("stops when the other side does not read, and goes on to the last byte when it does", async () => {
    const { connection, peer } = await openPair();
    const written = writePattern(connection, MANY_BYTES, () => connection.end());
    await expectSoon(() => connection.blocked).toBe(true);
    let stood = -1;
    for (let same = 0; same < 10;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      same = written() === stood ? same + 1 : 0;
      stood = written();
    }
    expect(connection.blocked).toBe(true);
    expect(stood).toBeLessThan(MANY_BYTES / 2);
    const reader = patternReader();
    peer.on("data", (piece: Buffer) => {
      reader.take(piece);
      peer.pause();
      setImmediate(() => peer.resume());
    });
    await once(peer, "end");
    expect(reader.bytes()).toBe(MANY_BYTES);
    expect(connection.blocked).toBe(false);
  });

  it("passes on what it reads from the memory it reads into, however slow the reader is", async () => {
    const { open } = await startPairs(kind);
    const [from, to] = [await open(false), await open()];
    const own = Buffer.allocUnsafeSlow(65_536);
    from.connection.bytesDo = (piece) => to.connection.writeBytes(piece);
    to.connection.drainedDo = () => from.connection.resume();
    from.connection.endDo = () => to.connection.end();
    from.connection.attach(own);
    const reader = patternReader();
    let pieces = 0;
    to.peer.on("data", (piece: Buffer) => {
      reader.take(piece);
      pieces += 1;
      if (pieces % 5 !== 0) return;
      to.peer.pause();
      setTimeout(() => to.peer.resume(), 1);
    });
    const source = new Recorder(from.peer, isDirect ? access : undefined);
    source.attach(MEMORY);
    writePattern(source, MANY_BYTES, () => source.end());
    await once(to.peer, "end");
    expect(reader.bytes()).toBe(MANY_BYTES);
    expect(to.connection.events).toContain("drained");
  });

  it("reads no more after false until it is resumed, and loses nothing", async () => {
    const { connection, peer } = await openPair();
    const reader = patternReader();
    const pieces: number[] = [];
    connection.bytesDo = (piece) => {
      reader.take(piece);
      pieces.push(piece.length);
      // Both ways to stop; one is taken back at once.
      if (pieces.length % 3 === 0) {
        connection.socket.pause();
        setImmediate(() => connection.resume());
      } else if (pieces.length % 3 === 1) {
        setImmediate(() => connection.resume());
        return false;
      } else {
        connection.socket.pause();
        connection.resume();
      }
      return true;
    };
    writePattern(new Recorder(peer, undefined), 6 * MEGABYTE, () => peer.end());
    await expectSoon(() => connection.events).toContain("end");
    expect(reader.bytes()).toBe(6 * MEGABYTE);

    const stopped = await openPair();
    stopped.connection.bytesDo = (piece) => {
      stopped.connection.text += `${piece.length} `;
      return false;
    };
    stopped.peer.write("x");
    await expectSoon(() => stopped.connection.text).toBe("1 ");
    stopped.peer.write("more");
    await turns(20);
    expect(stopped.connection.text).toBe("1 ");
  });

  it("goes on in one direction after the other one has ended, whoever ends first", async () => {
    const first = await openPair();
    first.peer.end("asked");
    await expectSoon(() => first.connection.events).toEqual(["end"]);
    expect(first.connection).toMatchObject({ text: "asked", ended: true, closed: false });
    let answer = "";
    first.peer.on("data", (piece: Buffer) => (answer += piece.toString()));
    first.connection.writeText("answered");
    first.connection.end();
    await expectSoon(() => first.connection.events).toContain("closed");
    expect(answer).toBe("answered");
    expect(first.connection.error).toBeUndefined();

    const second = await openPair();
    second.connection.writeText("all");
    second.connection.end();
    await once(second.peer.resume(), "end");
    second.peer.end("still heard");
    await expectSoon(() => second.connection.events.filter((event) => event !== "drained")).toEqual(["end", "closed"]);
    expect(second.connection.text).toBe("still heard");
  });

  it.each(["end", "destroySoon"] as const)("%s comes behind what the kernel has not taken yet", async (how) => {
    const { connection, peer } = await openPair();
    expect(connection.writeBytes(Buffer.alloc(MANY_BYTES, PATTERN.subarray(0, PERIOD)))).toBe(false);
    for (const word of ["and ", "the ", "last "]) connection.writeAll([Buffer.from(word, "latin1"), Buffer.from(word)]);
    connection[how]();
    expect(connection.closed).toBe(false);
    const reader = patternReader();
    let last = "";
    peer.on("data", (piece: Buffer) => {
      const rest = MANY_BYTES - reader.bytes();
      if (rest < piece.length) last += piece.toString("latin1", rest);
      if (rest > 0) reader.take(piece.subarray(0, rest));
    });
    await once(peer, "end");
    expect([reader.bytes(), last]).toEqual([MANY_BYTES, "and and the the last last "]);
    peer.end();
    await expectSoon(() => connection.events).toContain("closed");
    expect(connection.error).toBeUndefined();
    expect(connection.events.filter((event) => event === "drained")).toHaveLength(1);
  });

  it.each(["destroy", "reset"] as const)(
    "%s while it reads closes it once, and nothing is told after it",
    async (how) => {
      const { connection, peer } = await openPair();
      let broken: string | undefined;
      peer.on("error", ({ code }: NodeJS.ErrnoException) => (broken = code)).on("end", () => peer.end());
      const closed = new Promise((resolve) => peer.resume().once("close", resolve));
      let pieces = 0;
      connection.bytesDo = () => {
        pieces += 1;
        connection[how]();
        connection[how]();
        expect(connection).toMatchObject({ closed: true, events: [] });
        expect(connection.writeText("lost")).toBe(true);
        connection.resume();
        return true;
      };
      connection.socket.pause();
      peer.write("few");
      await turns(5);
      peer.write("more");
      await turns(5);
      connection.resume();
      await closed;
      await expectSoon(() => connection.events).toEqual(["closed"]);
      await turns(1);
      expect([pieces, ...connection.events]).toEqual([1, "closed"]);
      expect([how, broken]).toEqual([how, how === "reset" && resets ? "ECONNRESET" : undefined]);
    },
  );

  it("closes when the other side has gone, and not within the call that writes", async () => {
    const { connection, peer } = await openPair();
    const gone = new Promise((resolve) => peer.resume().once("close", resolve));
    peer.destroy();
    await gone;
    await expectSoon(() => connection.ended).toBe(true);
    const bytes = Buffer.alloc(1000);
    while (!connection.events.includes("closed")) {
      const before = connection.events.length;
      for (let more = 0; more < 10 && !connection.blocked; more++) connection.writeBytes(bytes);
      expect(connection.events).toHaveLength(before);
      await turns(1);
    }
    expect(connection).toMatchObject({ closed: true, error: { code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) } });
    expect(connection.writeAll([Buffer.from("a", "latin1"), bytes])).toBe(true);
    await turns(1);
    expect(connection.events.filter((event) => event === "closed")).toHaveLength(1);
  });

  it("is reset while it is being ended", async () => {
    const { connection } = await openPair();
    connection.writeBytes(Buffer.alloc(MANY_BYTES));
    connection.end();
    connection.reset();
    await expectSoon(() => connection.events).toEqual(["closed"]);
  });

  it("tells of a reset of the other side while it writes, also if it does not read", async () => {
    const { connection, peer } = await openPair();
    connection.socket.pause();
    const written = writePattern(connection, MANY_BYTES);
    peer.once("data", () => (place === "tls" || !resets ? peer.destroy() : peer.resetAndDestroy()));
    await expectSoon(() => connection.events.at(-1)).toBe("closed");
    expect(connection.error?.code).toMatch(/^(ECONNRESET|EPIPE)$/);
    expect(written()).toBeLessThan(MANY_BYTES);
  });

  it("reads many connections into one memory", async () => {
    const { open } = await startPairs(kind);
    const pairs = [];
    for (let index = 0; index < 40; index++) pairs.push(await open());
    for (let turn = 0; turn < 50; turn++) {
      for (const [index, { peer }] of pairs.entries()) peer.write(`${index}:${turn};`.repeat(20));
      if (turn % 10 === 0) await turns(1);
    }
    for (const { peer } of pairs) peer.end();
    for (const [index, { connection }] of pairs.entries()) {
      await expectSoon(() => connection.ended).toBe(true);
      const turns = Array.from({ length: 50 }, (_, turn) => `${index}:${turn};`.repeat(20));
      expect(connection.text).toBe(turns.join(""));
    }
  });

  it("may be attached late: it is told first of what came before, also of the end, and what it wrote before goes first", async () => {
    const { connection, peer } = await openPair(false);
    peer.write("early ");
    await expectSoon(() => connection.socket.readableLength).toBe(6);
    connection.bytesDo = (piece) => {
      connection.text += piece.toString();
      return connection.text.length > 6;
    };
    connection.attach(MEMORY);
    peer.write("late");
    await turns(20);
    expect(connection.text).toBe("early ");
    connection.resume();
    await expectSoon(() => connection.text).toBe("early late");

    const busy = await openPair(false);
    busy.connection.writeBytes(Buffer.alloc(MANY_BYTES, "a"));
    busy.connection.writeText("first ");
    busy.connection.attach(MEMORY);
    busy.connection.writeText("last");
    busy.connection.end();
    expect((await buffer(busy.peer)).toString("latin1").replace(/^a+/, "")).toBe("first last");

    const ended = await openPair(false);
    ended.connection.socket.resume();
    ended.peer.end();
    await once(ended.connection.socket, "end");
    ended.connection.attach(MEMORY);
    expect(ended.connection.events).toEqual([]);
    await expectSoon(() => ended.connection.events).toEqual(["end"]);
  });

  it("serves the side that connects, and tells why it could not", async () => {
    const { open, path } = await startPairs(kind);
    const { connection, peer } = await open();
    const near = new Recorder(peer, isDirect ? access : undefined);
    near.attach(Buffer.allocUnsafeSlow(100));
    connection.writeText("x".repeat(1000));
    await expectSoon(() => near.text).toBe("x".repeat(1000));
    near.writeText("there");
    await expectSoon(() => connection.text).toBe("there");
    const isUnix = place === "path";
    const refused = new Recorder(connect(isUnix ? { path: `${path}-gone` } : { port: 1, host: "127.0.0.1" }), access);
    await expectSoon(() => refused.events).toEqual(["closed"]);
    expect(refused).toMatchObject({ closed: true, error: { code: isUnix ? "ENOENT" : "ECONNREFUSED" } });
  });
});

it.each(KINDS.slice(0, 2))(
  "a connection over $kind reads what the other side said before it broke, though it is written to",
  async (kind) => {
    const { connection, peer } = await (await startPairs(kind)).open();
    connection.writeText("a question");
    await once(peer, "readable");
    await new Promise((resolve) => peer.write("an answer", resolve));
    peer.pause();
    connection.writeText("more");
    peer.destroy();
    for (let turn = 0; turn < 3; turn++) expect(connection.writeText("more")).toBe(true);
    expect(connection).toMatchObject({ text: "", closed: false });
    await expectSoon(() => connection.events).toEqual(["closed"]);
    expect(connection).toMatchObject({ text: "an answer", closed: true, ended: false });
    expect(connection.error?.code).toMatch(/^(ECONNRESET|EPIPE)$/);
  },
);

describe("the self-test", () => {
  /** Runs it anew, with what a test has changed. */
  async function selfTest() {
    vi.resetModules();
    const again = await import("./connection.js");
    const found = await again.findDirectAccess();
    return [found !== undefined, again.whyNoDirectAccess()];
  }

  /** Has something else come of a method that handles or their requests have, until the test ends; `usual` calls it. */
  async function replace(name: string, instead: (self: object, usual: (...args: unknown[]) => unknown) => unknown) {
    const { port, close } = await serve(createServer());
    const socket = connect(port, "127.0.0.1");
    let owner = (socket as unknown as { _handle: object })._handle;
    await once(socket, "connect");
    socket.destroy();
    await close();
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner) as object;
    const original = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor;
    const method = original.value as (...args: unknown[]) => unknown;
    const value = function (this: object): unknown {
      return instead(this, method.bind(this));
    };
    Object.defineProperty(owner, name, { ...original, value });
    onTestFinished(() => void Object.defineProperty(owner, name, original));
  }

  it("is made once, and leaves nothing open, as all connections before it", async () => {
    expect(await findDirectAccess()).toBe(access);
    await expectSoon(openHandles).toBe(openBefore);
    expect([access === undefined, whyNoDirectAccess()]).toEqual([false, undefined]);
    expect(await selfTest()).toEqual([true, undefined]);
    await expectSoon(openHandles).toBe(openBefore);
  });

  const noPorts = (): never => {
    throw new Error("No ports today.");
  };
  it.each<[what: string, change: () => unknown, sentence: string]>([
    [
      "do not show their memory",
      () => vi.spyOn(Object, "getOwnPropertySymbols").mockReturnValue([]),
      "A socket did not tell what it reads into.",
    ],
    [
      "read into other memory",
      () => replace("useUserBuffer", (_, usual) => usual(Buffer.alloc(100))),
      "A socket did not receive a few bytes as they were sent.",
    ],
    ["cannot write", () => replace("writeLatin1String", () => -1), "A connection of the self-test broke."],
    [
      "do not tell of what waits",
      () => replace("getAsyncId", (self, usual) => (self.constructor.name === "WriteWrap" ? -1 : usual())),
      "A socket did not tell that the kernel takes no more.",
    ],
    ["cannot listen", () => vi.spyOn(Server.prototype, "listen").mockImplementation(noPorts), "No ports today."],
  ])("finds nothing where sockets %s, and says so", async (_, change, sentence) => {
    await change();
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await selfTest()).toEqual([false, sentence]);
    await expectSoon(openHandles).toBe(openBefore);
  });
});
