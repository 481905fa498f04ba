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
  readonly #socket: Socket;
  /** What our end has said. */
  readonly frames: Frame[] = [];
  #sentBytes = 0;
  #signs = 0;
  isClosed = false;

  constructor(
    socket: Socket,
    readonly end: RecordingEnd,
    from: "client" | "server",
  ) {
    this.#socket = socket;
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
      this.#socket.write(piece);
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

  stopReading(): void {
    this.#socket.pause();
  }

  readOn(): void {
    this.#socket.resume();
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

/** Thousands of units are borne, and then no more of them. */
async function expectNoPatience(attacker: Attacker, first: Buffer, unit: Buffer): Promise<void> {
  await attacker.send(first);
  await attacker.flood(5000, () => unit);
  expect(attacker.end.failure).toBeUndefined();
  expect(await attacker.flood(100_000, () => unit)).toBeLessThan(8000);
  await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
}

const PING = frame(FRAME.PING, 0, 0, Buffer.alloc(8));
const GET: Fields = [":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/"];
const POST: Fields = [":method", "POST", ":scheme", "http", ":authority", "a", ":path", "/"];

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
  const floods: readonly (readonly [name: string, first: Buffer, unit: Buffer])[] = [
    ["PING", Buffer.alloc(0), PING],
    ["answers to PINGs that were not sent", Buffer.alloc(0), frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8))],
    ["SETTINGS", Buffer.alloc(0), settings([SETTING.HEADER_TABLE_SIZE, 0])],
    ["empty SETTINGS", Buffer.alloc(0), settings()],
    ["empty DATA", headers(1, POST, false), data(1, "")],
    ["DATA that is all padding", headers(1, POST, false), frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([3, 0, 0, 0]))],
    ["WINDOW_UPDATE of 1 for the connection", Buffer.alloc(0), update(0, 1)],
    ["WINDOW_UPDATE of 1 for a stream", headers(1, GET, true), update(1, 1)],
    ["PRIORITY", Buffer.alloc(0), frame(FRAME.PRIORITY, 0, 3, Buffer.alloc(5))],
    ["frames of a kind that is not known", Buffer.alloc(0), frame(0xfa, 0, 0, Buffer.from("x"))],
    ["GOAWAY", Buffer.alloc(0), frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8))],
    ["RST_STREAM of a stream that is over", Buffer.concat([headers(1, GET, true), reset(1)]), reset(1)],
    [
      "CONTINUATION without a byte",
      frame(FRAME.HEADERS, FLAG.END_STREAM, 1, literals(GET)),
      frame(FRAME.CONTINUATION, 0, 1),
    ],
  ];

  it.each(floods)("a server ends the connection that floods it with %s", async (_name, first, unit) => {
    const attacker = await attackServer();
    await expectNoPatience(attacker, first, unit);
    expect(attacker.end.openStreams).toBe(0);
  });

  const answers: typeof floods = [
    ["PING", Buffer.alloc(0), PING],
    ["SETTINGS", Buffer.alloc(0), settings()],
    ["empty DATA", headers(1, [":status", "200"], false), data(1, "")],
    ["WINDOW_UPDATE of 1", Buffer.alloc(0), update(0, 1)],
    ["frames of a kind that is not known", Buffer.alloc(0), frame(0xfa, 0, 0, Buffer.from("x"))],
    ["interim answers without end", Buffer.alloc(0), headers(1, [":status", "103"], false)],
    ["CONTINUATION without a byte", frame(FRAME.HEADERS, 0, 1), frame(FRAME.CONTINUATION, 0, 1)],
  ];

  it.each(answers)("a client ends the connection that floods it with %s", async (_name, first, unit) => {
    const attacker = await attackClient(GET);
    await expectNoPatience(attacker, first, unit);
    expect(attacker.opened[0]?.loss).toMatchObject({ kind: "closed", error: { code: HTTP2.ENHANCE_YOUR_CALM } });
  });

  it("takes as many of them as there are between frames that carry something", async () => {
    const attacker = await attackServer();
    await attacker.send(headers(1, POST, false));
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
      await attacker.send(
        ...ids.flatMap((id) => [headers(id, [":status", "103"], false), headers(id, [":status", "204"], true)]),
      );
    }
    await expectAlive(attacker);
  });

  it("refuses SETTINGS that say the same thousands of times in one frame", async () => {
    const attacker = await attackServer();
    await attacker.flood(100, (index) => headers(odd(index), POST, false));
    const pairs = Array.from({ length: 2700 }, (_, index) => [SETTING.INITIAL_WINDOW_SIZE, 1 + (index % 2)] as const);
    await attacker.send(settings(...pairs));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
  });
});

describe("streams that are given up", () => {
  it("rapid reset: a server makes a bounded number of streams", async () => {
    const attacker = await attackServer();
    await attacker.flood(50_000, (index) => Buffer.concat([headers(odd(index), GET, true), reset(odd(index))]));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    const { streams } = attacker.end;
    expect(streams.length).toBeGreaterThan(900);
    // A few more than the limit at once, as time passes.
    expect(streams.length).toBeLessThan(5000);
    expect(streams.at(0)?.loss).toEqual({ kind: "reset", code: HTTP2.CANCEL });
  });

  const LARGE: Fields = [...GET, "x-large", "v".repeat(2000)];
  const kinds: readonly (readonly [name: string, unit: (id: number) => readonly Buffer[]])[] = [
    ["with a head that is malformed", (id) => [headers(id, [...GET, "X-A", "b"], true)]],
    ["whose window is opened by nothing", (id) => [headers(id, GET, true), update(id, 0)]],
    ["whose window is opened too far", (id) => [headers(id, GET, true), update(id, 0x7fffffff)]],
    ["that depend on themselves", (id) => [headers(id, GET, true), frame(FRAME.PRIORITY, 0, id, priorityOn(id))]],
    ["with a short PRIORITY", (id) => [headers(id, GET, true), frame(FRAME.PRIORITY, 0, id, Buffer.alloc(4))]],
    ["with DATA behind their end", (id) => [headers(id, GET, true), data(id, "x")]],
    ["with HEADERS behind their end", (id) => [headers(id, GET, true), headers(id, GET, true)]],
    ["with more than they said", (id) => [headers(id, [...POST, "content-length", "1"], false), data(id, "xx")]],
    ["with trailers that do not end", (id) => [headers(id, POST, false), headers(id, ["x-a", "b"], false)]],
    ["with a head that is too large", (id) => [headers(id, LARGE, true)]],
  ];

  it.each(kinds)("made you reset: a server bounds the streams %s", async (_name, unit) => {
    const attacker = await attackServer({ headerListBytes: 2000 });
    const sent = await attacker.flood(50_000, (index) => Buffer.concat(unit(odd(index))));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent).toBeGreaterThan(900);
    expect(sent).toBeLessThan(5000);
    expect(attacker.resets.length).toBeGreaterThan(900);
  });

  it("bounds the streams that are opened beyond the limit of streams", async () => {
    const attacker = await attackServer({ maxConcurrentStreams: 10 });
    const sent = await attacker.flood(50_000, (index) => headers(odd(index), GET, true));
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent).toBeLessThan(5000);
    expect(attacker.end.streams).toHaveLength(10);
  });

  it("refuses streams beyond the limit, and takes others when there is room again", async () => {
    const attacker = await attackServer({ maxConcurrentStreams: 3 });
    await attacker.send(...[1, 3, 5, 7, 9].map((id) => headers(id, GET, true)));
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["7 REFUSED_STREAM", "9 REFUSED_STREAM"]);
    expect(attacker.end.streams.map(({ id }) => id)).toEqual([1, 3, 5]);
    await attacker.send(reset(3), headers(11, GET, true));
    await expectAlive(attacker);
    expect(attacker.end.streams.map(({ id }) => id)).toEqual([1, 3, 5, 11]);
  });

  it("a client ignores answers that cross its resets, however many streams it has reset since", async () => {
    const attacker = await attackClient(...Array.from({ length: 1500 }, () => GET));
    for (const stream of attacker.opened) stream.reset(HTTP2.CANCEL);
    await attacker.send(headers(1, [":status", "200"], false), data(1, "late", true), reset(3));
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
  it.each([
    ["a kilobyte", 1000],
    ["a byte", 1],
  ])("a CONTINUATION flood with %s a frame ends within the limit of a list", async (_name, bytes) => {
    const attacker = await attackServer({ headerListBytes: 8192 });
    await attacker.send(frame(FRAME.HEADERS, FLAG.END_STREAM, 1));
    const unit = frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(bytes));
    const sent = await attacker.flood(1_000_000, () => unit);
    await expectGoaway(attacker, "ENHANCE_YOUR_CALM");
    expect(sent * bytes).toBeLessThan(8192 + 16_384 + 2 * PIECE_BYTES);
    expect(attacker.end.streams).toHaveLength(0);
  });

  /** A field of 3,000 bytes enters the table, and each byte of the next block stands for it. */
  const bomb = (id: number): readonly Buffer[] => [
    frame(
      FRAME.HEADERS,
      FLAG.END_HEADERS | FLAG.END_STREAM,
      id,
      Buffer.concat([literals(GET), Buffer.from([0x40]), literalText("x-bomb"), literalText("b".repeat(3000))]),
    ),
    frame(
      FRAME.HEADERS,
      FLAG.END_HEADERS | FLAG.END_STREAM,
      id + 2,
      Buffer.concat([literals(GET), Buffer.alloc(15_000, 0xbe)]),
    ),
  ];

  it("an HPACK bomb is told as a head that is too large, and keeps nothing", async () => {
    const attacker = await attackServer();
    await attacker.send(...bomb(1));
    await expectAlive(attacker);
    const [first, second] = attacker.end.streams;
    expect(first?.heads[0]).toHaveLength(GET.length + 2);
    expect(second?.heads).toEqual([]);
    expect(second?.loss).toEqual({ kind: "malformed", why: "its header fields are too long" });
    expect(attacker.resets).toEqual(["3 ENHANCE_YOUR_CALM"]);
    // What later blocks refer to is still there.
    await attacker.send(
      frame(FRAME.HEADERS, FLAG.END_HEADERS, 5, Buffer.concat([literals(POST), Buffer.from([0xbe])])),
    );
    await expectAlive(attacker);
    expect(attacker.end.streams[2]?.heads[0]?.slice(-2)).toEqual(["x-bomb", "b".repeat(3000)]);
  });

  it("tells heads beneath the limit, which all share the text of the table", async () => {
    const attacker = await attackServer();
    await attacker.send(bomb(1)[0] as Buffer);
    await attacker.flood(100, (index) =>
      frame(
        FRAME.HEADERS,
        FLAG.END_HEADERS | FLAG.END_STREAM,
        odd(index + 1),
        Buffer.concat([literals(GET), Buffer.alloc(20, 0xbe)]),
      ),
    );
    await expectAlive(attacker);
    const heads = attacker.end.streams.slice(1).map((stream) => stream.heads[0]);
    expect(heads).toHaveLength(100);
    // The same block again and again is the same list again.
    expect(new Set(heads).size).toBe(1);
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

function priorityOn(id: number): Buffer {
  return Buffer.concat([uint32(id), Buffer.alloc(1)]);
}

describe("peers that take nothing", () => {
  it.each([
    ["PINGs", PING, 17],
    ["SETTINGS", settings(), 9],
  ])("stops reading from a peer that sends %s and reads no answer", async (_name, unit, answerBytes) => {
    const attacker = await attackServer();
    const { end } = attacker;
    await attacker.send(headers(1, POST, false));
    attacker.stopReading();
    // A byte of DATA now and then keeps it from being a flood.
    const round = Buffer.concat([...Array.from({ length: 1000 }, () => unit), data(1, "x")]);
    const mostRounds = 10_000;
    let rounds = 0;
    for (; rounds < mostRounds && !end.isHeld; rounds++) await attacker.send(round);
    expect(rounds).toBeLessThan(mostRounds);
    const { receivedBytes, writtenBytes } = end;
    const owedBytes = (receivedBytes / round.length) * 1000 * answerBytes;
    expect(owedBytes - writtenBytes).toBeLessThan(262_144);
    // All that is sent from now on stays with the kernels.
    void attacker.send(round, round, round);
    expect(end.receivedBytes).toBe(receivedBytes);
    attacker.readOn();
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
    await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, 0]), headers(1, GET, true));
    const stream = end.streams[0] as RecordedStream;
    stream.writeHead([":status", "200"], false);
    expect(stream.writeData(body, true)).toBe(false);
    await expectAlive(attacker);
    const before = end.writtenBytes;
    for (let round = 0; round < 10; round++) await expectAlive(attacker);
    expect(end.writtenBytes - before).toBe(10 * 17);
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
      await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, id === 0 ? opened : 0]), headers(1, GET, true));
      const stream = end.streams[0] as RecordedStream;
      stream.writeHead([":status", "200"], false);
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
    await attacker.send(settings([SETTING.INITIAL_WINDOW_SIZE, 0]), headers(1, GET, true));
    const stream = attacker.end.streams[0] as RecordedStream;
    stream.writeHead([":status", "200"], false);
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
  // Which heads are malformed: fields.test.ts.
  it.each<[name: string, fields: Fields]>([
    ["a name has a capital letter", [...GET, "X-A", "b"]],
    ["a value ends a line", [...GET, "x-a", "b\r\nx-b: c"]],
    ["there is no :path", GET.slice(0, -2)],
    ["the lengths differ", [...POST, "content-length", "1", "content-length", "2"]],
  ])("a request is reset, and never told, where %s", async (_name, fields) => {
    const attacker = await attackServer();
    await attacker.send(headers(1, fields, false), headers(3, GET, true));
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    // The connection and its table go on.
    expect(attacker.end.streams.map(({ id, hasAll }) => [id, hasAll])).toEqual([[3, true]]);
  });

  const bodies: readonly (readonly [name: string, frames: readonly Buffer[], body: string])[] = [
    ["more comes than was said", [headers(1, [...POST, "content-length", "3"], false), data(1, "abcd")], ""],
    [
      "more comes than was said, in a second frame",
      [headers(1, [...POST, "content-length", "3"], false), data(1, "abc"), data(1, "d")],
      "abc",
    ],
    ["less comes than was said", [headers(1, [...POST, "content-length", "3"], false), data(1, "ab", true)], ""],
    [
      "trailers come before all that was said",
      [headers(1, [...POST, "content-length", "3"], false), data(1, "ab"), headers(1, ["x-a", "b"], true)],
      "ab",
    ],
    [
      "trailers have a pseudo-header",
      [headers(1, POST, false), data(1, "ab"), headers(1, [":path", "/x"], true)],
      "ab",
    ],
    ["trailers have a capital letter", [headers(1, POST, false), data(1, "ab"), headers(1, ["X-A", "b"], true)], "ab"],
    [
      "trailers have Transfer-Encoding",
      [headers(1, POST, false), data(1, "ab"), headers(1, ["transfer-encoding", "chunked"], true)],
      "ab",
    ],
    ["trailers do not end it", [headers(1, POST, false), data(1, "ab"), headers(1, ["x-a", "b"], false)], "ab"],
  ];

  it.each(bodies)("a request is reset, and its end never told, where %s", async (_name, frames, body) => {
    const attacker = await attackServer();
    await attacker.send(...frames);
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    const [stream] = attacker.end.streams;
    expect(stream?.loss).toEqual({ kind: "malformed", why: expect.any(String) });
    expect([stream?.hasAll, stream?.body.toString()]).toEqual([false, body]);
  });

  it("a request is reset, and never told, that has a length and no body", async () => {
    const attacker = await attackServer();
    await attacker.send(headers(1, [...POST, "content-length", "3"], true));
    await expectAlive(attacker);
    expect(attacker.resets).toEqual(["1 PROTOCOL_ERROR"]);
    expect(attacker.end.streams).toEqual([]);
  });
});

describe("answers that lie", () => {
  const OK: Fields = [":status", "200"];
  const lies: readonly (readonly [name: string, frames: readonly Buffer[], heads: number, body: string])[] = [
    ["it has no :status", [headers(1, ["x-a", "b"], false)], 0, ""],
    ["an interim answer ends it", [headers(1, [":status", "103"], true)], 0, ""],
    ["DATA comes before its head", [data(1, "x")], 0, ""],
    ["DATA comes behind an interim answer", [headers(1, [":status", "103"], false), data(1, "x")], 1, ""],
    ["its length is not there", [headers(1, [...OK, "content-length", "3"], true)], 0, ""],
    ["it is longer than it says", [headers(1, [...OK, "content-length", "3"], false), data(1, "abcd")], 1, ""],
    ["it is shorter than it says", [headers(1, [...OK, "content-length", "3"], false), data(1, "ab", true)], 1, ""],
    ["204 has a body", [headers(1, [":status", "204"], false), data(1, "ab", true)], 1, ""],
    ["304 has a body", [headers(1, [":status", "304", "content-length", "2"], false), data(1, "ab", true)], 1, ""],
    ["trailers do not end it", [headers(1, OK, false), data(1, "ab"), headers(1, ["x-a", "b"], false)], 1, "ab"],
    ["trailers have a :status", [headers(1, OK, false), data(1, "ab"), headers(1, OK, true)], 1, "ab"],
  ];

  it.each(lies)("an answer is reset, and its end never told, where %s", async (_name, frames, heads, body) => {
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
    await attacker.send(headers(1, [...OK, "content-length", "3"], true));
    await attacker.send(headers(3, [...OK, "content-length", "3"], false), data(3, "abc", true));
    await expectAlive(attacker);
    expect(attacker.opened.map(({ hasAll }) => hasAll)).toEqual([true, false]);
    expect(attacker.resets).toEqual(["3 PROTOCOL_ERROR"]);
  });

  const breaks: readonly (readonly [name: string, code: string, frames: readonly Buffer[]])[] = [
    ["HEADERS of a stream that was not opened", "PROTOCOL_ERROR", [headers(5, OK, true)]],
    ["HEADERS of a stream of its own", "PROTOCOL_ERROR", [headers(2, OK, true)]],
    ["DATA of a stream that was not opened", "PROTOCOL_ERROR", [data(5, "x")]],
    ["RST_STREAM of a stream that was not opened", "PROTOCOL_ERROR", [reset(5)]],
    ["WINDOW_UPDATE of a stream that was not opened", "PROTOCOL_ERROR", [update(5, 1)]],
    ["HEADERS of no stream", "PROTOCOL_ERROR", [headers(0, OK, true)]],
    [
      "PUSH_PROMISE",
      "PROTOCOL_ERROR",
      [frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, Buffer.concat([uint32(2), literals(GET)]))],
    ],
    ["SETTINGS that allow push", "PROTOCOL_ERROR", [settings([SETTING.ENABLE_PUSH, 1])]],
    ["a second answer on a stream", "STREAM_CLOSED", [headers(1, OK, true), headers(1, OK, true)]],
    ["DATA behind an answer", "STREAM_CLOSED", [headers(1, OK, true), data(1, "x")]],
    ["a frame within a list of fields", "PROTOCOL_ERROR", [frame(FRAME.HEADERS, 0, 1, literals(OK)), PING]],
    ["CONTINUATION of no list", "PROTOCOL_ERROR", [frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, literals(OK))]],
    ["a frame that is too large", "FRAME_SIZE_ERROR", [data(1, Buffer.alloc(16_385))]],
    [
      "an index that is in no table",
      "COMPRESSION_ERROR",
      [frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from([0xff, 0x7f]))],
    ],
  ];

  it.each(breaks)("a client ends the connection on %s", async (_name, code, frames) => {
    const attacker = await attackClient(GET, GET);
    await attacker.send(...frames);
    await expectGoaway(attacker, code);
    expect(attacker.opened[1]?.loss).toMatchObject({ kind: "closed", error: { code: attacker.end.failure?.code } });
  });
});

describe("pieces", () => {
  const requests: readonly Buffer[] = [
    frame(
      FRAME.HEADERS,
      FLAG.PADDED | FLAG.PRIORITY,
      1,
      Buffer.concat([Buffer.from([4]), priorityOn(0), literals(POST), Buffer.alloc(4)]),
    ),
    frame(FRAME.CONTINUATION, 0, 1),
    frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, literals(["x-a", "b"])),
    frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.concat([Buffer.from([3]), Buffer.from("first "), Buffer.alloc(3)])),
    headers(3, [...GET, "X-A", "b"], true),
    settings([SETTING.INITIAL_WINDOW_SIZE, 70_000], [SETTING.MAX_FRAME_SIZE, 20_000]),
    headers(5, [...POST, "content-length", "2"], false),
    data(5, "ab"),
    data(5, "c"),
    frame(0xee, 0xff, 7, Buffer.from("not known")),
    data(1, "second"),
    frame(FRAME.DATA, FLAG.PADDED | FLAG.END_STREAM, 1, Buffer.from([2, 0, 0])),
    headers(7, POST, false),
    data(7, ""),
    headers(7, ["x-end", "yes"], true),
    update(7, 100),
    headers(9, GET, true),
    reset(9),
    PING,
  ];

  async function converse(split: (bytes: Buffer) => readonly Buffer[]): Promise<unknown> {
    const attacker = await attackServer();
    for (const piece of split(Buffer.concat(requests))) await attacker.send(piece);
    await expectAlive(attacker);
    const told = attacker.end.streams.map(({ id, heads, body, trailers, hasAll, loss }) => {
      return { id, heads, body: body.toString(), trailers, hasAll, loss };
    });
    return { told, said: attacker.frames };
  }

  it("a conversation in pieces of one byte is the same as one in one piece", async () => {
    const whole = await converse((bytes) => [bytes]);
    expect(whole).toMatchObject({
      told: [
        { id: 1, heads: [[...POST, "x-a", "b"]], body: "first second", hasAll: true },
        { id: 5, body: "ab", hasAll: false, loss: { kind: "malformed" } },
        { id: 7, trailers: ["x-end", "yes"], hasAll: true },
        { id: 9, hasAll: true, loss: { kind: "reset", code: HTTP2.CANCEL } },
      ],
    });
    const inBytes = await converse((bytes) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)));
    expect(inBytes).toEqual(whole);
  });
});
