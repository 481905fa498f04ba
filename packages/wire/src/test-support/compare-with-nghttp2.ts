import { EventEmitter } from "node:events";
import { Duplex } from "node:stream";
import http2, { type ClientHttp2Stream, type Http2Stream as NodeStream } from "node:http2";
import { Draws } from "@lbbench/test-support/draws.js";
import type { ConnectionSocket } from "../connection.js";
import type { Fields } from "../http2/fields.js";
import type { StreamLoss } from "../http2/http2-stream.js";
import { FLAG, FRAME, FRAME_HEAD, PREFACE, readUint24, readUint31 } from "../http2/frames.js";
import { drawConversation, type Conversation, type Said } from "./fuzz-http2.js";
import { CLIENT_BEGIN, readFrames, settings, type Frame } from "@lbbench/test-support/http2-frames.js";
import { RecordedStream, RecordingEnd } from "./recording-end.js";

/** What a comparison went through, so that a test can see that it was about something. */
interface Compared {
  /** Sequences of frames that were read, at least in part. */
  sequences: number;
  /** Heads that were told. */
  heads: number;
  /** Messages that were told to their end. */
  whole: number;
  /** Messages of conversations in which nothing was changed: both sides told each of them whole. */
  plain: number;
  /** Streams that were refused, and connections that were ended. */
  refused: number;
}

/**
 * Whether this Node lives through many conversations: now and then Node 22 ends with an assertion of its own that failed
 * (`onread->IsFunction()`), as sessions over streams of JavaScript are destroyed.
 */
export const LIVES_THROUGH_MANY = !process.version.startsWith("v22.");

/** Conversations that Node reads at the same time: it takes turns of the event loop to tell. */
const AT_A_TIME = 64;
/** Turns in which Node has told all that it had read; if something is missing it gets more. */
const TURNS = 2;
const MORE_TURNS = 20;

/**
 * Draws what one side of a connection says, and has it read by our other side and by that of Node, which is nghttp2. What
 * ours tells of a message Node has to tell, too: the same heads, bytes, trailers and ends, on the same stream. Ours may
 * refuse more. Also, it tells the same however the bytes are cut into pieces. Throws with the seed and the bytes of the
 * first case that differs. Source of the idea: `compareWithLlhttp`.
 */
export async function compareWithNghttp2(said: Said, sequences: number, firstSeed = 0): Promise<Compared> {
  const compared: Compared = { sequences: 0, heads: 0, whole: 0, plain: 0, refused: 0 };
  const open = said === "requests" ? openingServer() : openClient;
  let seed = firstSeed;
  while (compared.sequences < sequences) {
    const cases: Case[] = [];
    while (cases.length < AT_A_TIME && compared.sequences < sequences) {
      const draws = new Draws(said === "requests" ? seed : -1 - seed);
      const drawn = new Case(seed++, said, draws);
      drawn.blame(() => drawn.readHere(draws, compared));
      if (drawn.tells > 0) cases.push(drawn);
    }
    await readByNode(cases, open);
  }
  return compared;
}

/**
 * Where nghttp2 ends the connection and ours one stream, as RFC 9113 has it: by what our stream is told. The conversation
 * ends there for both.
 */
const STRICTER: readonly RegExp[] = [
  // Of requests. RFC 9113, 5.1, half-closed (remote).
  /^more came behind its end$/,
  // Of answers. nghttp2: "DATA: stream not opened". RFC 9113, 8.1.1: malformed.
  /^DATA came where no body can be$/,
  // RFC 9113, 6.9.1.
  /^its window is too large$/,
  // Since Node 22. RFC 9113, 8.1.1: malformed, an error of the stream.
  /^its content-length is \d+, and /,
];

/** Frames for which nghttp2 or Node ends the connection, and ours does not: a conversation ends in front of them. */
const STRICTER_FRAMES: readonly ((frame: Frame) => boolean)[] = [
  // Node wants no answer to a PING that it has not sent. RFC 9113, 6.7, does not ask for that.
  ({ type, flags }) => type === FRAME.PING && (flags & FLAG.ACK) !== 0,
  // RFC 9113, 6.3: an error of the stream.
  ({ type, payload }) => type === FRAME.PRIORITY && payload.length !== 5,
  // RFC 9113, 6.9: an error of the stream.
  ({ type, payload }) => type === FRAME.WINDOW_UPDATE && payload.length === 4 && readUint31(payload, 0) === 0,
  // Extensions that Node reads: ALTSVC and ORIGIN (RFC 7838, RFC 8336).
  ({ type }) => type === 0x0a || type === 0x0c,
  // Settings of extensions that nghttp2 knows, and checks: RFC 8441 and RFC 9218.
  ({ type, payload }) => type === FRAME.SETTINGS && settingsOf(payload).some((id) => id === 8 || id === 9),
  // A session of Node that has got GOAWAY takes no streams any more.
  ({ type }) => type === FRAME.GOAWAY,
];

function settingsOf(payload: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(payload.length / 6) }, (_, index) => payload.readUInt16BE(6 * index));
}

/** The part of a conversation in front of such a frame. */
function untilStricter(bytes: Buffer, said: Said): Buffer {
  let at = beginOf(said);
  for (const end of endsOfFrames(bytes, said)) {
    const [frame] = readFrames(bytes.subarray(at, end));
    // Ours tells the end of DATA in front of padding that never comes.
    if (frame === undefined && bytes[at + 3] === FRAME.DATA) return bytes.subarray(0, at);
    if (frame !== undefined && STRICTER_FRAMES.some((isSo) => isSo(frame))) return bytes.subarray(0, at);
    at = end;
  }
  return bytes;
}

/** What Node has told of one message. */
interface Told {
  readonly heads: Fields[];
  readonly pieces: Buffer[];
  trailers: Fields | undefined;
  hasEnded: boolean;
}

/** One conversation, and what our side tells of it. */
class Case {
  readonly methods: readonly string[];
  /** What came before the last thing was told; Node gets no more, since what breaks its session undoes what it had to tell. */
  bytes: Buffer;
  tells = 0;
  /** What Node has told otherwise, or not at all. */
  difference: string | undefined;
  #told: readonly OurStream[] = [];
  #answers = false;
  readonly #conversation: Conversation;

  constructor(
    readonly seed: number,
    readonly said: Said,
    draws: Draws,
  ) {
    this.#conversation = drawConversation(draws, said);
    this.methods = this.#conversation.methods;
    const begin = said === "requests" ? CLIENT_BEGIN : settings();
    this.bytes = untilStricter(Buffer.concat([begin, ...this.#conversation.sequences]), said);
  }

  /** Runs a part of the comparison; what it throws gets the seed and the bytes. */
  blame(run: () => void): void {
    try {
      run();
    } catch (error) {
      const bytes = this.bytes.toString("hex");
      throw new Error(`Seed ${this.seed} of ${this.said}, ${bytes}: ${String(error)}`, { cause: error });
    }
  }

  /** Has our side read it frame by frame, and once more in other pieces. */
  readHere(draws: Draws, compared: Compared): void {
    this.#answers = draws.chance(0.5);
    const { whole, toldTo } = this.#readFrames(false);
    const inPieces = new Reading(this.said, this.methods, this.#answers);
    const isInBytes = draws.chance(0.1);
    for (let at = 0; at < this.bytes.length;) {
      at = isInBytes ? at + 1 : draws.chance(0.3) ? this.bytes.length : at + 1 + draws.below(this.bytes.length - at);
      inPieces.read(this.bytes, at);
    }
    expectSame(inPieces, whole);
    this.#count(whole, compared);
    if (this.#conversation.meant !== undefined) this.#expectMeant(whole, compared);
    this.#keep(whole, toldTo);
  }

  /** Ends it in front of what comes on a stream that was reset here. */
  endAtResets(): void {
    const { whole, toldTo } = this.#readFrames(true);
    this.#keep(whole, toldTo);
  }

  #readFrames(endsAtResets: boolean): { readonly whole: Reading; readonly toldTo: number } {
    const whole = new Reading(this.said, this.methods, this.#answers);
    let toldTo = 0;
    let at = beginOf(this.said);
    for (const end of endsOfFrames(this.bytes, this.said)) {
      if (endsAtResets && end >= at + FRAME_HEAD && whole.hasReset(readUint31(this.bytes, at + 5))) break;
      if (whole.read(this.bytes, end)) toldTo = end;
      if (whole.isStopped) this.bytes = this.bytes.subarray(0, end);
      at = end;
    }
    return { whole, toldTo };
  }

  #keep(whole: Reading, toldTo: number): void {
    this.tells = whole.tells;
    this.#told = whole.streams;
    this.bytes = this.bytes.subarray(0, toldTo);
  }

  #count(reading: Reading, compared: Compared): void {
    let at = this.said === "requests" ? CLIENT_BEGIN.length : FRAME_HEAD;
    for (const { length } of this.#conversation.sequences) {
      if (at < reading.brokenAt) compared.sequences += 1;
      at += length;
    }
    if (reading.end.failure !== undefined) compared.refused += 1;
    for (const stream of reading.streams) {
      compared.heads += stream.heads.length;
      if (stream.hasAll) compared.whole += 1;
      if (stream.loss?.kind === "malformed") compared.refused += 1;
    }
  }

  /** Nothing was changed: all has to be told as it was meant. */
  #expectMeant(reading: Reading, compared: Compared): void {
    const { meant = [] } = this.#conversation;
    same("failure", reading.end.failure?.message, undefined);
    const told = reading.streams.map(({ heads, body, trailers }, index) => {
      return { id: 2 * index + 1, heads, body: String(body), trailers };
    });
    same("messages", JSON.stringify(told), JSON.stringify(meant));
    same("ends", reading.streams.filter(({ hasAll }) => hasAll).length, meant.length);
    compared.plain += meant.length;
  }

  /** Looks whether Node has told all that was told here. */
  compare(others: ReadonlyMap<number, Told>): void {
    this.difference = undefined;
    try {
      for (const stream of this.#told) if (stream.heads.length > 0) expectTold(stream, others.get(stream.id));
    } catch (error) {
      this.difference = String(error);
    }
  }
}

/** What is told by one of our streams must have been told by the other. */
function expectTold(stream: OurStream, other: Told | undefined): void {
  const where = `stream ${stream.id}`;
  if (other === undefined) throw new Error(`${where}: Node tells nothing of it`);
  for (const [index, head] of stream.heads.entries())
    same(`${where}, head ${index}`, textOf(other.heads[index]), textOf(withoutDropped(head)));
  const body = stream.body.toString("latin1");
  const otherBody = Buffer.concat(other.pieces).toString("latin1");
  if (!stream.hasAll) return same(`${where}, body so far`, otherBody.slice(0, body.length), body);
  same(`${where}, number of heads`, other.heads.length, stream.heads.length);
  same(`${where}, body`, otherBody, body);
  same(`${where}, end`, other.hasEnded, true);
  same(`${where}, trailers`, textOf(other.trailers), textOf(stream.trailers));
}

/** What nghttp2 does not tell of a head: it drops the length of an answer 204, which has none. */
function withoutDropped(head: Fields): Fields {
  if (!head.some((text, at) => at % 2 === 1 && head[at - 1] === ":status" && text === "204")) return head;
  return head.filter((_text, at) => head[at - (at % 2)] !== "content-length");
}

function textOf(fields: Fields | undefined): string {
  return JSON.stringify(fields ?? []);
}

/** The two have told the same, though the pieces were others. */
function expectSame(pieces: Reading, whole: Reading): void {
  same("failure in pieces", pieces.end.failure?.message, whole.end.failure?.message);
  same("streams in pieces", pieces.streams.length, whole.streams.length);
  for (const [index, stream] of pieces.streams.entries()) {
    const other = whole.streams[index] as OurStream;
    same("messages in pieces", stream.inWords(), other.inWords());
    const body = stream.body.toString("latin1");
    const otherBody = other.body.toString("latin1");
    // A frame with more than was said is refused when that shows: in pieces, the first ones were right.
    if (other.loss?.kind === "malformed") same("body in pieces", body.slice(0, otherBody.length), otherBody);
    else same("body in pieces", body, otherBody);
  }
}

/** A stream of ours that answers at once, if it is to. */
class OurStream extends RecordedStream {
  constructor(
    readonly reading: Reading,
    readonly answers: boolean,
  ) {
    super();
  }

  override onHead(fields: Fields, ends: boolean): void {
    super.onHead(fields, ends);
    this.reading.tells += 1;
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    super.onData(bytes, from, to);
    this.reading.tells += 1;
  }

  override onEnd(trailers: Fields | undefined): void {
    super.onEnd(trailers);
    this.reading.tells += 1;
    if (this.answers) this.writeHead(NO_CONTENT, true);
  }

  override onLost(loss: StreamLoss): void {
    super.onLost(loss);
    if (loss.kind === "malformed" && STRICTER.some((why) => why.test(loss.why))) this.reading.isStopped = true;
  }

  /** All but the body. */
  inWords(): string {
    const { loss } = this;
    const how = loss?.kind === "malformed" ? loss.why : loss?.kind === "reset" ? loss.code : loss?.kind;
    return JSON.stringify([this.id, this.heads, this.trailers, this.hasAll, how]);
  }
}

const NO_CONTENT: Fields = [":status", "204"];

/** Our side, as it reads a conversation. */
class Reading {
  readonly end: RecordingEnd<MemorySocket>;
  readonly streams: OurStream[] = [];
  tells = 0;
  /** Where it found that the other side breaks HTTP/2. */
  brokenAt = Infinity;
  /** The conversation is to end here: see `STRICTER`. */
  isStopped = false;
  readonly #socket = new MemorySocket();
  #at = 0;

  constructor(said: Said, methods: readonly string[], answers: boolean) {
    this.end = new RecordingEnd(this.#socket, undefined, { role: said === "requests" ? "server" : "client" });
    this.end.makeStream = () => this.#add(answers);
    this.end.begin(NOTHING);
    if (said === "requests") return;
    for (const method of methods) this.end.open(this.#add(false), requestOf(method), true);
  }

  #add(answers: boolean): OurStream {
    const stream = new OurStream(this, answers);
    this.streams.push(stream);
    return stream;
  }

  hasReset(id: number): boolean {
    return this.#socket.resets.has(id);
  }

  /** Reads on up to there. True: something was told. */
  read(bytes: Buffer, to: number): boolean {
    if (this.end.failure !== undefined || this.isStopped) return false;
    const before = this.tells;
    this.#socket.emit("data", bytes.subarray(this.#at, to));
    this.#at = to;
    if (this.end.failure !== undefined || this.isStopped) this.brokenAt = to;
    return this.tells > before;
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

function requestOf(method: string): Fields {
  return [":method", method, ":scheme", "http", ":authority", "a", ":path", "/"];
}

/** A socket that is not there. */
class MemorySocket extends EventEmitter implements ConnectionSocket {
  readonly connecting = false;
  destroyed = false;
  readonly errored = null;
  readonly readableEnded = false;
  writableEnded = false;
  readonly writableFinished = false;
  readonly writableLength = 0;
  /** Streams that were reset. */
  readonly resets = new Set<number>();

  read(): null {
    return null;
  }

  pause(): void {}
  resume(): void {}

  /** Frames are written whole. */
  write(piece: string | Buffer): void {
    if (typeof piece === "string") return;
    const from = piece.subarray(0, PREFACE.length).toString("latin1") === PREFACE ? PREFACE.length : 0;
    for (const { type, stream } of readFrames(piece.subarray(from)))
      if (type === FRAME.RST_STREAM) this.resets.add(stream);
  }

  cork(): void {}
  uncork(): void {}

  end(): void {
    this.writableEnded = true;
  }

  destroy(): void {
    this.destroyed = true;
  }

  readonly destroySoon = (): void => this.destroy();
  readonly resetAndDestroy = (): void => this.destroy();
}

/** Where the first frame begins. */
function beginOf(said: Said): number {
  return said === "requests" ? PREFACE.length : 0;
}

/** Where each frame ends, by the length that it says. */
function endsOfFrames(bytes: Buffer, said: Said): readonly number[] {
  const ends: number[] = [];
  for (let at = beginOf(said); at < bytes.length;) {
    at =
      at + FRAME_HEAD > bytes.length ? bytes.length : Math.min(bytes.length, at + FRAME_HEAD + readUint24(bytes, at));
    ends.push(at);
  }
  return ends;
}

/** The socket of a session of Node, to which is given what the other side says. */
class MemoryDuplex extends Duplex {
  writtenBytes = 0;

  override _read(): void {}

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.writtenBytes += piece.length;
    done();
  }
}

/** A session of Node that reads a conversation. */
class NodeReading {
  readonly duplex = new MemoryDuplex();
  readonly told = new Map<number, Told>();
  session: http2.Http2Session | undefined;

  #at = 0;
  readonly #ends: number[];

  constructor(
    readonly drawn: Case,
    ends: readonly number[],
  ) {
    this.#ends = [...ends];
    this.duplex.on("error", ignore);
  }

  /** Gives Node the next piece. False: there is none. */
  pushNext(): boolean {
    const end = this.#ends.shift();
    if (end === undefined || this.duplex.destroyed) return false;
    this.duplex.push(this.drawn.bytes.subarray(this.#at, end));
    this.#at = end;
    return true;
  }

  /** Keeps what is told of a stream. */
  keep(stream: NodeStream, id: number): Told {
    const told: Told = { heads: [], pieces: [], trailers: undefined, hasEnded: false };
    this.told.set(id, told);
    stream.on("error", ignore);
    stream.on("data", (piece: Buffer) => told.pieces.push(piece));
    stream.on("end", () => (told.hasEnded = true));
    stream.on("trailers", (_fields, _flags, ...[raw]: unknown[]) => (told.trailers = raw as Fields));
    return told;
  }

  close(): void {
    this.session?.destroy();
    this.duplex.destroy();
  }
}

function ignore(): void {}

/** Opens a session of Node for a conversation. */
type Open = (reading: NodeReading) => void;

/**
 * Has Node read conversations, and compares what it tells. Two things may make it tell less, so what differs is read again:
 *
 * - It resets a stream at the end of a turn, and ends the connection for what comes on it until then: with turns between.
 * - It drops a field that is not allowed, where ours resets the stream, and then ends the connection for what would be
 *   wrong on a stream that goes on: without what comes on streams that were reset here.
 */
async function readByNode(cases: readonly Case[], open: Open): Promise<void> {
  const framesOf = ({ bytes, said }: Case): readonly number[] => endsOfFrames(bytes, said);
  let differing = await findDiffering(cases, open, ({ bytes }) => [bytes.length]);
  differing = await findDiffering(differing, open, framesOf);
  for (const drawn of differing) drawn.endAtResets();
  differing = await findDiffering(differing, open, framesOf);
  for (const drawn of differing) drawn.blame(() => same("what Node tells", drawn.difference, undefined));
}

/** Returns the cases that differ. `endsOf`: where the pieces end that Node gets. */
async function findDiffering(
  cases: readonly Case[],
  open: Open,
  endsOf: (drawn: Case) => readonly number[],
): Promise<readonly Case[]> {
  if (cases.length === 0) return [];
  const readings = cases.map((drawn) => new NodeReading(drawn, endsOf(drawn)));
  readings.forEach(open);
  await turns(TURNS);
  for (let left = readings; left.length > 0; left = left.filter((reading) => reading.pushNext())) await turns(1);
  await turns(TURNS);
  const differing: Case[] = [];
  for (const { drawn, told } of readings) {
    drawn.compare(told);
    for (let left = MORE_TURNS; left > 0 && drawn.difference !== undefined; left--) {
      await turns(1);
      drawn.compare(told);
    }
    if (drawn.difference !== undefined) differing.push(drawn);
  }
  for (const reading of readings) reading.close();
  await turns(1);
  return differing;
}

function openingServer(): Open {
  const server = http2.createServer();
  let opening: NodeReading | undefined;
  server.on("session", (session) => {
    const reading = opening as NodeReading;
    reading.session = session;
    session.on("error", ignore);
    session.on("stream", (stream: NodeStream, _fields: unknown, _flags: unknown, ...[raw]: unknown[]) => {
      reading.keep(stream, stream.id as number).heads.push(raw as Fields);
    });
  });
  server.on("sessionError", ignore);
  return (reading) => {
    opening = reading;
    server.emit("connection", reading.duplex);
  };
}

function openClient(reading: NodeReading): void {
  const session = http2.connect("http://a", {
    createConnection: () => reading.duplex,
    settings: { enablePush: false },
  });
  reading.session = session;
  session.on("error", ignore);
  for (const [index, method] of reading.drawn.methods.entries()) {
    const stream: ClientHttp2Stream = session.request({ ":method": method, ":path": "/" }, { endStream: true });
    const told = reading.keep(stream, 2 * index + 1);
    const keepHead = (_fields: unknown, _flags: unknown, ...[raw]: unknown[]): void =>
      void told.heads.push(raw as Fields);
    stream.on("headers", keepHead);
    stream.on("response", keepHead);
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}

function same(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(actual)}`);
}
