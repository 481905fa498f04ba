import { once } from "node:events";
import net, { type Socket } from "node:net";
import { serve } from "@lbbench/test-support/servers.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { findDirectAccess, READ_BYTES } from "../connection.js";
import {
  CLIENT_BEGIN,
  data,
  frame,
  headers,
  literals,
  literalText,
  onFrames,
  resetStream as reset,
  settings,
  uint32,
  windowUpdate as update,
  type Frame,
} from "@lbbench/test-support/http2-frames.js";
import { RecordedStream, RecordingEnd } from "../test-support/recording-end.js";
import { HTTP2, nameHttp2Error } from "./errors.js";
import type { Fields } from "./fields.js";
import { FLAG, FRAME, SETTING } from "./frames.js";
import type { Http2Options } from "./http2-connection.js";

const access = await findDirectAccess();
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** Bytes that are sent at a time: what the other end has not read when it closes could else cost its last words. */
const PIECE_BYTES = 8192;

/** The other side of a connection to one of our ends: it sends the bytes that it is given. */
class Attacker {
  /** What our end has said. */
  readonly frames: Frame[] = [];
  #sentBytes = 0;
  #signs = 0;
  isClosed = false;

  constructor(
    readonly socket: Socket,
    readonly end: RecordingEnd,
    from: "client" | "server",
  ) {
    onFrames(socket, from, (one) => this.frames.push(one));
    socket.on("error", () => undefined);
    for (const event of ["end", "close"]) socket.on(event, () => (this.isClosed = true));
    onTestFinished(() => void socket.destroy());
  }

  /** Sends bytes, and waits until they were read, or until our end reads no more. */
  async send(...all: readonly Buffer[]): Promise<void> {
    const bytes = Buffer.concat(all);
    for (let at = 0; at < bytes.length && !this.#isDone; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      this.#sentBytes += piece.length;
      this.socket.write(piece);
      await new Promise<void>((resolve) => {
        this.end.onChange = () => {
          if (this.#isDone || this.end.isHeld || this.end.receivedBytes === this.#sentBytes) resolve();
        };
        this.end.onChange();
      });
    }
  }

  get #isDone(): boolean {
    return this.end.closed || this.end.failure !== undefined;
  }

  /** Sends units until our end gives up, at most so many. Returns how many were sent. */
  async flood(most: number, unit: (index: number) => Buffer): Promise<number> {
    let sent = 0;
    while (sent < most && !this.#isDone) {
      const units: Buffer[] = [];
      let bytes = 0;
      while (sent < most && bytes < PIECE_BYTES) {
        const next = unit(sent++);
        bytes += next.length;
        units.push(next);
      }
      await this.send(...units);
    }
    return sent;
  }

  /** What our end has said of streams that it gave up: `1 PROTOCOL_ERROR`. */
  get resets(): readonly string[] {
    return this.frames
      .filter(({ type }) => type === FRAME.RST_STREAM)
      .map(({ stream, payload }) => `${stream} ${nameHttp2Error(payload.readUInt32BE(0))}`);
  }

  /** The code of the last GOAWAY. */
  get goaway(): string | undefined {
    const last = this.frames.findLast(({ type }) => type === FRAME.GOAWAY);
    return last === undefined ? undefined : nameHttp2Error(last.payload.readUInt32BE(4));
  }

  /** Sends a PING of its own kind. */
  async ping(): Promise<Buffer> {
    const sign = Buffer.from(`sign ${++this.#signs}`.padEnd(8));
    await this.send(frame(FRAME.PING, 0, 0, sign));
    return sign;
  }
}

async function expectGoaway(attacker: Attacker, code: string): Promise<void> {
  await expect.poll(() => attacker.isClosed).toBe(true);
  expect([attacker.goaway, attacker.end.failure?.message]).toEqual([code, expect.any(String)]);
}

/** Our end answers a PING, and so has read all that came before. */
async function expectAlive(attacker: Attacker): Promise<void> {
  const sign = await attacker.ping();
  const isAnswer = ({ type, flags, payload }: Frame): boolean =>
    type === FRAME.PING && flags === FLAG.ACK && payload.equals(sign);
  await expect.poll(() => [attacker.frames.some(isAnswer), attacker.end.failure?.message]).toEqual([true, undefined]);
}

/** Thousands of units are borne behind what comes first, and then no more of them. */
async function expectNoPatience(attacker: Attacker, unit: Buffer, first: Buffer = Buffer.alloc(0)): Promise<void> {
  await attacker.send(first);
  await attacker.flood(5000, () => unit);
  expect(attacker.end.failure).toBeUndefined();
  expect(await attacker.flood(100_000, () => unit)).toBeLessThan(8000);
  await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
}

const PING = frame(FRAME.PING, 0, 0, Buffer.alloc(8));
const GET: Fields = [":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/"];
const POST: Fields = [":method", "POST", ...GET.slice(2)];
const OK: Fields = [":status", "200"];
// A whole request, one whose body is to come, and one that says how long that will be.
const get = (id: number): Buffer => headers(id, GET, true);
const post = (id: number): Buffer => headers(id, POST);
const postOf = (bytes: number, id = 1): Buffer => headers(id, [...POST, "content-length", String(bytes)]);
// An answer whose body is to come, and one that says how long that will be.
const answer = (status: string): Buffer => headers(1, [":status", status]);
const answerOf = (bytes: number): Buffer => headers(1, [...OK, "content-length", String(bytes)]);

/** One of our ends, and the other side of its connection. */
async function attack(options: Http2Options): Promise<Attacker> {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true });
  const { port } = await serve(server);
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const there = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
  await once(there, "connect");
  const [here] = await accepted;
  const isServer = options.role === "server";
  const end = new RecordingEnd(isServer ? here : there, access, options);
  onTestFinished(() => end.destroy());
  const attacker = new Attacker(isServer ? there : here, end, options.role);
  end.begin(MEMORY);
  await attacker.send(isServer ? CLIENT_BEGIN : settings());
  return attacker;
}

const attackServer = (options: Partial<Http2Options> = {}): Promise<Attacker> => attack({ role: "server", ...options });

/** A client of ours with streams that it has opened, numbered 1, 3, 5... */
async function attackClient(...requests: readonly Fields[]): Promise<Attacker & { opened: readonly RecordedStream[] }> {
  const attacker = await attack({ role: "client" });
  const opened = requests.map((fields) => {
    const stream = new RecordedStream();
    attacker.end.open(stream, fields, true);
    return stream;
  });
  return Object.assign(attacker, { opened });
}

const odd = (index: number): number => 2 * index + 1;

describe("frames that ask for work and carry nothing", () => {
  it.each<[name: string, unit: Buffer, first?: Buffer]>([
    ["PING", PING],
    ["answers to PINGs that were not sent", frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8))],
    ["SETTINGS", settings()],
    ["empty DATA", data(1, ""), post(1)],
    ["DATA that is all padding", frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([3, 0, 0, 0])), post(1)],
    ["WINDOW_UPDATE of 1", update(0, 1)],
    ["PRIORITY", frame(FRAME.PRIORITY, 0, 3, Buffer.alloc(5))],
    ["frames of a kind that is not known", frame(0xfa, 0, 0, Buffer.from("x"))],
    ["GOAWAY", frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8))],
    ["RST_STREAM of a stream that is over", reset(1), Buffer.concat([get(1), reset(1)])],
    ["CONTINUATION without a byte", frame(FRAME.CONTINUATION, 0, 1), frame(FRAME.HEADERS, 0, 1, literals(GET))],
  ])("a server ends the connection that floods it with %s", async (_name, unit, first) => {
    const attacker = await attackServer();
    await expectNoPatience(attacker, unit, first);
    expect(attacker.end.openStreams).toBe(0);
  });

  it.each([
    ["PING", PING],
    ["interim answers without end", answer("103")],
  ])("a client ends the connection that floods it with %s", async (_name, unit) => {
    const attacker = await attackClient(GET);
    await expectNoPatience(attacker, unit);
    expect(attacker.opened[0]?.loss).toMatchObject({ kind: "closed", error: { code: HTTP2.ENHANCE_YOUR_CALM } });
  });

  it("takes as many of them as there are between frames that carry something", async () => {
    const attacker = await attackServer();
    await attacker.send(post(1));
    for (let round = 0; round < 3; round++) {
      await attacker.flood(6000, () => PING);
      await attacker.send(data(1, "x"));
    }
    await expectAlive(attacker);
    expect(attacker.end.streams[0]?.body.toString()).toBe("xxx");
  });

  it("a client takes any number of interim answers, each before an answer without a body", async () => {
    const attacker = await attackClient();
    for (let round = 0; round < 11; round++) {
      const ids = Array.from({ length: 1000 }, () => {
        const stream = new RecordedStream();
        attacker.end.open(stream, GET, true);
        return stream.id;
      });
      const interim = (id: number): Buffer => headers(id, [":status", "103"]);
      await attacker.send(...ids.flatMap((id) => [interim(id), headers(id, [":status", "204"], true)]));
    }
    await expectAlive(attacker);
  });

  it("refuses SETTINGS that say the same thousands of times in one frame", async () => {
    const attacker = await attackServer();
    await attacker.flood(100, (index) => post(odd(index)));
    const pairs = Array.from({ length: 2700 }, (_, index) => [SETTING.INITIAL_WINDOW_SIZE, 1 + (index % 2)] as const);
    await attacker.send(settings(...pairs));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
  });
});

describe("streams that are given up", () => {
  it("rapid reset: a server makes a bounded number of streams", async () => {
    const attacker = await attackServer();
    await attacker.flood(50_000, (index) => Buffer.concat([get(odd(index)), reset(odd(index))]));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    const { streams } = attacker.end;
    expect(streams.length).toBeGreaterThan(900);
    // A few more than the limit at once, as time passes.
    expect(streams.length).toBeLessThan(5000);
    expect(streams.at(0)?.loss).toEqual({ kind: "reset", code: HTTP2.CANCEL });
  });

  it.each<[name: string, unit: (id: number) => readonly Buffer[]]>([
    ["with a head that is malformed", (id) => [headers(id, [...GET, "X-A", "b"], true)]],
    ["whose window is opened by nothing", (id) => [get(id), update(id, 0)]],
    ["whose window is opened too far", (id) => [get(id), update(id, 0x7fffffff)]],
    ["that depend on themselves", (id) => [get(id), frame(FRAME.PRIORITY, 0, id, Buffer.from([...uint32(id), 0]))]],
    ["with a short PRIORITY", (id) => [get(id), frame(FRAME.PRIORITY, 0, id, Buffer.alloc(4))]],
    ["with DATA behind their end", (id) => [get(id), data(id, "x")]],
    ["with HEADERS behind their end", (id) => [get(id), get(id)]],
    ["with more than they said", (id) => [postOf(1, id), data(id, "xx")]],
    ["with trailers that do not end", (id) => [post(id), headers(id, ["x-a", "b"])]],
    ["with a head that is too large", (id) => [headers(id, [...GET, "x-large", "v".repeat(2000)], true)]],
  ])("made you reset: a server bounds the streams %s", async (_name, unit) => {
    const attacker = await attackServer({ headerListBytes: 2000 });
    const sent = await attacker.flood(50_000, (index) => Buffer.concat(unit(odd(index))));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent).toBeGreaterThan(900);
    expect(sent).toBeLessThan(5000);
    expect(attacker.resets.length).toBeGreaterThan(900);
  });

  it("bounds the streams that are opened beyond the limit of streams", async () => {
    const attacker = await attackServer({ maxConcurrentStreams: 10 });
    const sent = await attacker.flood(50_000, (index) => get(odd(index)));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent).toBeLessThan(5000);
    expect(attacker.end.streams).toHaveLength(10);
  });

  it("refuses streams beyond the limit, and takes others when there is room again", async () => {
    const attacker = await attackServer({ maxConcurrentStreams: 3 });
    await attacker.send(...[1, 3, 5, 7, 9].map(get));
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["7 REFUSED_STREAM", "9 REFUSED_STREAM"]);
    expect(attacker.end.streams.map(({ id }) => id)).toEqual([1, 3, 5]);
    await attacker.send(reset(3), get(11));
    await expectAlive(attacker);
    expect(attacker.end.streams.map(({ id }) => id)).toEqual([1, 3, 5, 11]);
  });

  it("a client ignores answers that cross its resets, however many streams it has reset since", async () => {
    const attacker = await attackClient(...Array.from({ length: 1500 }, () => GET));
    for (const stream of attacker.opened) stream.reset(HTTP2.CANCEL);
    await attacker.send(answer("200"), data(1, "late", true), reset(3));
    await expectAlive(attacker);
    expect(attacker.opened[0]?.heads).toEqual([]);
  });

  it("does not count against a client what a server resets or refuses", async () => {
    const attacker = await attackClient();
    for (let index = 0; index < 3000; index++) {
      const stream = new RecordedStream();
      attacker.end.open(stream, GET, true);
      await attacker.send(reset(stream.id, HTTP2.REFUSED_STREAM));
      expect(stream.loss).toEqual({ kind: "reset", code: HTTP2.REFUSED_STREAM });
    }
    await expectAlive(attacker);
  });
});

describe("lists of fields that are too long", () => {
  it("a CONTINUATION flood ends within the limit of a list", async () => {
    const attacker = await attackServer({ headerListBytes: 8192 });
    await attacker.send(frame(FRAME.HEADERS, FLAG.END_STREAM, 1));
    const unit = frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(1));
    const sent = await attacker.flood(1_000_000, () => unit);
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent).toBeLessThan(8192 + 16_384 + 2 * PIECE_BYTES);
    expect(attacker.end.streams).toHaveLength(0);
  });

  it("an HPACK bomb is told as a head that is too large, and keeps nothing", async () => {
    const attacker = await attackServer();
    const whole = FLAG.END_HEADERS | FLAG.END_STREAM;
    // A field of 3,000 bytes enters the table, and each byte of the next block stands for it.
    const added = [Buffer.from([0x40]), literalText("x-bomb"), literalText("b".repeat(3000))];
    await attacker.send(
      frame(FRAME.HEADERS, whole, 1, Buffer.concat([literals(GET), ...added])),
      frame(FRAME.HEADERS, whole, 3, Buffer.concat([literals(GET), Buffer.alloc(15_000, 0xbe)])),
    );
    await expectAlive(attacker);
    const [first, second] = attacker.end.streams;
    expect(first?.heads[0]).toHaveLength(GET.length + 2);
    expect(second?.heads).toEqual([]);
    expect(second?.loss).toEqual({ kind: "malformed", why: "its header fields are too long" });
    expect(attacker.resets).toEqual(["3 ENHANCE_YOUR_CALM"]);
    // What later blocks refer to is still there.
    await attacker.send(frame(FRAME.HEADERS, whole, 5, Buffer.concat([literals(GET), Buffer.from([0xbe])])));
    await expectAlive(attacker);
    expect(attacker.end.streams[2]?.heads[0]?.slice(-2)).toEqual(["x-bomb", "b".repeat(3000)]);
  });

  it("tells a client of an answer whose head is too large, and its other streams go on", async () => {
    const attacker = await attackClient(GET, GET);
    const large = Array.from({ length: 5 }, (_, index) => [`x-${index}`, "v".repeat(15_000)]);
    await attacker.send(
      frame(FRAME.HEADERS, 0, 1, literals([":status", "200"])),
      ...large.map((field, index) => frame(FRAME.CONTINUATION, index === 4 ? FLAG.END_HEADERS : 0, 1, literals(field))),
      headers(3, [":status", "204"], true),
    );
    await expect.poll(() => attacker.resets).toEqual(["1 ENHANCE_YOUR_CALM"]);
    expect(attacker.opened[0]?.loss).toEqual({ kind: "malformed", why: "its header fields are too long" });
    expect(attacker.opened[1]?.heads).toEqual([[":status", "204"]]);
  });
});

describe("peers that take nothing", () => {
  it("stops reading from a peer that sends PINGs and reads no answer", async () => {
    const attacker = await attackServer();
    const { end } = attacker;
    await attacker.send(post(1));
    attacker.socket.pause();
    // A byte of DATA now and then keeps it from being a flood.
    const round = Buffer.concat([...Array.from({ length: 1000 }, () => PING), data(1, "x")]);
    const mostRounds = 10_000;
    let rounds = 0;
    for (; rounds < mostRounds && !end.isHeld; rounds++) await attacker.send(round);
    expect(rounds).toBeLessThan(mostRounds);
    const { receivedBytes, writtenBytes } = end;
    const owedBytes = (receivedBytes / round.length) * 1000 * PING.length;
    expect(owedBytes - writtenBytes).toBeLessThan(262_144);
    // All that is sent from now on stays with the kernels.
    void attacker.send(round, round, round);
    expect(end.receivedBytes).toBe(receivedBytes);
    attacker.socket.resume();
    await expect.poll(() => end.isHeld).toBe(false);
    await expect
      .poll(() => attacker.frames.filter(({ flags }) => flags === FLAG.ACK).length)
      .toBeGreaterThanOrEqual(rounds * 1000);
    expect(end.failure).toBeUndefined();
  });

  it("keeps one copy of what a window of 0 does not let through, and sends it as the window opens", async () => {
    const attacker = await attackServer();
    const body = Buffer.alloc(100_000, "0123456789");
    const { end } = attacker;
    await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, 0]), get(1));
    const stream = end.streams[0] as RecordedStream;
    stream.writeHead(OK, false);
    expect(stream.writeData(body, true)).toBe(false);
    await expectAlive(attacker);
    const before = end.writtenBytes;
    for (let round = 0; round < 10; round++) await expectAlive(attacker);
    expect(end.writtenBytes - before).toBe(10 * PING.length);
    expect(stream.blocked).toBe(true);
    const sentBytes = (): number =>
      attacker.frames.reduce((sum, { type, payload }) => sum + (type === FRAME.DATA ? payload.length : 0), 0);
    await attacker.send(update(1, 1));
    await expectAlive(attacker);
    expect(sentBytes()).toBe(1);
    await attacker.send(update(1, 200_000), update(0, 200_000));
    await expect.poll(sentBytes).toBe(body.length);
    expect(stream.isOver).toBe(true);
  });

  it.each([0, 1])(
    "sends nothing more of what waits, when the window of stream %i opens, once a write has failed",
    async (id) => {
      const attacker = await attackServer();
      const { end } = attacker;
      let asked = 0;
      end.makeStream = () => {
        const stream = new RecordedStream();
        const sendMore = stream.sendMore.bind(stream);
        stream.sendMore = (most) => {
          // Else this would never end.
          if (++asked < 1000) sendMore(most);
        };
        return stream;
      };
      const opened = 10_000_000;
      await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, id === 0 ? opened : 0]), get(1));
      const stream = end.streams[0] as RecordedStream;
      stream.writeHead(OK, false);
      stream.writeData(Buffer.alloc(1_000_000), true);
      await expectAlive(attacker);
      if (id !== 0) await attacker.send(update(0, opened));
      end.writeBytes = end.writeAll = () => {
        end.destroy();
        return true;
      };
      await attacker.send(update(id, opened));
      expect(end.closed).toBe(true);
      // Frames of 16 KiB, until 128 KiB are there to be written.
      expect(asked).toBeLessThan(20);
      await expect.poll(() => stream.loss?.kind).toBe("closed");
    },
  );

  it("gives up what waits for a window when the stream is reset", async () => {
    const attacker = await attackServer();
    await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, 0]), get(1));
    const stream = attacker.end.streams[0] as RecordedStream;
    stream.writeHead(OK, false);
    stream.writeData(Buffer.alloc(1000), true);
    await attacker.send(reset(1));
    expect(stream.loss).toEqual({ kind: "reset", code: HTTP2.CANCEL });
    await attacker.send(update(1, 1000), settings([SETTING.INITIAL_WINDOW_SIZE, 5000]));
    await expectAlive(attacker);
    expect(attacker.frames.some(({ type }) => type === FRAME.DATA)).toBe(false);
    expect(attacker.end.openStreams).toBe(0);
  });
});

describe("requests that are no HTTP", () => {
  // Which fields are malformed: fields.test.ts.
  it.each([
    ["its head is malformed", headers(1, [...GET, "X-A", "b"])],
    ["it has a length and no body", headers(1, [...POST, "content-length", "3"], true)],
  ])("a request is reset, and never told, where %s", async (_name, head) => {
    const attacker = await attackServer();
    await attacker.send(head, get(3));
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    // The connection and its table go on.
    expect(attacker.end.streams.map(({ id, hasAll }) => [id, hasAll])).toEqual([[3, true]]);
  });

  it.each<[name: string, frames: readonly Buffer[], body: string]>([
    ["more comes than was said", [postOf(3), data(1, "abcd")], ""],
    ["more comes than was said, in a second frame", [postOf(3), data(1, "abc"), data(1, "d")], "abc"],
    ["less comes than was said", [postOf(3), data(1, "ab", true)], ""],
    ["trailers come before all that was said", [postOf(3), data(1, "ab"), headers(1, ["x-a", "b"], true)], "ab"],
    ["its trailers are malformed", [post(1), data(1, "ab"), headers(1, ["X-A", "b"], true)], "ab"],
    ["trailers do not end it", [post(1), data(1, "ab"), headers(1, ["x-a", "b"])], "ab"],
  ])("a request is reset, and its end never told, where %s", async (_name, frames, body) => {
    const attacker = await attackServer();
    await attacker.send(...frames);
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    const [stream] = attacker.end.streams;
    expect(stream?.loss).toEqual({ kind: "malformed", why: expect.any(String) });
    expect([stream?.hasAll, stream?.body.toString()]).toEqual([false, body]);
  });
});

describe("answers that lie", () => {
  it.each<[name: string, frames: readonly Buffer[], heads: number, body: string]>([
    ["it has no :status", [headers(1, ["x-a", "b"])], 0, ""],
    ["an interim answer ends it", [headers(1, [":status", "103"], true)], 0, ""],
    ["DATA comes before its head", [data(1, "x")], 0, ""],
    ["DATA comes behind an interim answer", [answer("103"), data(1, "x")], 1, ""],
    ["its length is not there", [headers(1, [...OK, "content-length", "3"], true)], 0, ""],
    ["it is longer than it says", [answerOf(3), data(1, "abcd")], 1, ""],
    ["it is shorter than it says", [answerOf(3), data(1, "ab", true)], 1, ""],
    ["204 has a body", [answer("204"), data(1, "ab", true)], 1, ""],
    ["304 has a body", [headers(1, [":status", "304", "content-length", "2"]), data(1, "ab", true)], 1, ""],
    ["its trailers are malformed", [answer("200"), data(1, "ab"), headers(1, OK, true)], 1, "ab"],
  ])("an answer is reset, and its end never told, where %s", async (_name, frames, heads, body) => {
    const attacker = await attackClient(GET, GET);
    await attacker.send(...frames, headers(3, OK, true));
    await expectAlive(attacker);
    const [stream, other] = attacker.opened;
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    expect(stream?.loss).toEqual({ kind: "malformed", why: expect.any(String) });
    expect([stream?.hasAll, stream?.heads.length, stream?.body.toString()]).toEqual([false, heads, body]);
    expect(other?.hasAll).toBe(true);
  });

  it("an answer to HEAD may say a length, and have no body", async () => {
    const HEAD: Fields = [":method", "HEAD", ...GET.slice(2)];
    const attacker = await attackClient(HEAD, HEAD);
    const head: Fields = [...OK, "content-length", "3"];
    await attacker.send(headers(1, head, true), headers(3, head), data(3, "abc", true));
    await expectAlive(attacker);
    expect(attacker.opened.map(({ hasAll }) => hasAll)).toEqual([true, false]);
    expect(attacker.resets).toEqual(["3 PROTOCOL_ERROR"]);
  });

  const pushed = Buffer.concat([uint32(2), literals(GET)]);
  it.each<[name: string, frames: readonly Buffer[], code?: string]>([
    ["HEADERS of a stream that was not opened", [headers(5, OK, true)]],
    ["HEADERS of a stream of its own", [headers(2, OK, true)]],
    ["DATA of a stream that was not opened", [data(5, "x")]],
    ["RST_STREAM of a stream that was not opened", [reset(5)]],
    ["WINDOW_UPDATE of a stream that was not opened", [update(5, 1)]],
    ["HEADERS of no stream", [headers(0, OK, true)]],
    ["PUSH_PROMISE", [frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, pushed)]],
    ["SETTINGS that allow push", [settings([SETTING.ENABLE_PUSH, 1])]],
    ["a frame within a list of fields", [frame(FRAME.HEADERS, 0, 1, literals(OK)), PING]],
    ["CONTINUATION of no list", [frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, literals(OK))]],
    ["a second answer on a stream", [headers(1, OK, true), headers(1, OK, true)], "STREAM_CLOSED"],
    ["DATA behind an answer", [headers(1, OK, true), data(1, "x")], "STREAM_CLOSED"],
    ["a frame that is too large", [data(1, Buffer.alloc(16_385))], "FRAME_SIZE_ERROR"],
    [
      "an index in no table",
      [frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from([0xff, 0x7f]))],
      "COMPRESSION_ERROR",
    ],
  ])("a client ends the connection on %s", async (_name, frames, code = "PROTOCOL_ERROR") => {
    const attacker = await attackClient(GET, GET);
    await attacker.send(...frames);
    await expectGoaway(attacker, code);
    expect(attacker.opened[1]?.loss).toMatchObject({ kind: "closed", error: { code: attacker.end.failure?.code } });
  });
});
