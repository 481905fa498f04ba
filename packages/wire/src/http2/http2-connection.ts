import type { Socket } from "node:net";
import { Connection, type ConnectionSocket, type DirectAccess } from "../connection.js";
import { Gathered } from "../gathered.js";
import { HTTP2, Http2Error, protocolError } from "./errors.js";
import { readFields, type Fields, type FieldsMeaning } from "./fields.js";
import { FrameReader, withoutPadding, type FrameHead } from "./frame-reader.js";
import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  FRAME_HEAD,
  FRAME_PAYLOAD,
  MOST_31,
  PREFACE,
  readUint31,
  SETTING,
  writeFrameHead,
  writeUint32,
} from "./frames.js";
import { boundOf, HpackDecoder, HpackEncoder } from "./hpack.js";
import type { Http2Stream, StreamLoss, StreamOwner } from "./http2-stream.js";
import { Output } from "./output.js";

/** What one end of a connection does and allows. */
export interface Http2Options {
  readonly role: "client" | "server";
  /** Streams that a client may have open at a time; 128 by default. A client takes none. */
  readonly maxConcurrentStreams?: number;
  /** Bytes of a stream that the other side may send before they are `consume`d; 65,535 by default. */
  readonly streamWindowBytes?: number;
  /** The same for all streams together; by default as much as its streams may. */
  readonly connectionWindowBytes?: number;
  /** The longest list of header fields that is read, each with 32 bytes more than its texts (RFC 9113, 6.5.2); 65,536 by default, at most 2,147,483,647. */
  readonly headerListBytes?: number;
}

/** What the other side has said in GOAWAY. */
export interface Goaway {
  readonly code: number;
  readonly lastStreamId: number;
}

const DEFAULTS = { maxConcurrentStreams: 128, streamWindowBytes: FIRST_WINDOW, headerListBytes: 65_536 };

/** From so much on frames leave before the end of a turn. */
const FLUSH_BYTES = 131_072;
/** While so many bytes wait to leave, nothing is read: it might cause more of them. */
const HELD_BYTES = 65_536;

/** Frames in a row that ask for work and carry none, and how fast they have to come to be a flood. */
const IDLE_FRAMES = { most: 10_000, withinMs: 600_000 };
/** Settings in one frame; there are about ten kinds. Each may change the windows of all streams. Source: the limit of nghttp2. */
const MOST_SETTINGS = 32;
/** Streams that a client may make us give up: so many at once, and so many more in a second. Source: the limits of nghttp2. */
const RESETS = { most: 1000, perSecond: 33 };
/** Streams that were reset here, of which something may still be on its way. */
const RESETS_KEPT = 1000;

const NOTHING: Buffer = Buffer.alloc(0);
/** What a PING of ours carries. */
const OWN_PING = Buffer.alloc(8);

/** Connections that have frames to send at the end of this turn. */
let dirty: Http2Connection<ConnectionSocket>[] = [];

function flushDirty(): void {
  const all = dirty;
  dirty = [];
  for (const connection of all) connection.flush();
}

/**
 * One end of a connection that speaks HTTP/2 (RFC 9113). It keeps the rules of the protocol: states, flow control, sizes, the
 * form of messages; and it ends a connection whose other side floods it. Priorities are ignored, push is refused.
 *
 * Frames that are written leave together, at the end of the read in which they were written or else of the turn of the event loop.
 */
export abstract class Http2Connection<Underlying extends ConnectionSocket = Socket>
  extends Connection<Underlying>
  implements StreamOwner
{
  /** What the other side has said in GOAWAY. */
  goaway: Goaway | undefined;
  /** The first SETTINGS of the other side have come. */
  hasSettings = false;
  /** Streams of ours that the other side takes at a time; `Infinity` until it says. */
  maxStreams = Infinity;
  receivedBytes = 0;
  writtenBytes = 0;

  readonly #isServer: boolean;
  readonly #limits: Required<Omit<Http2Options, "role">>;
  readonly #streams = new Map<number, Http2Stream>();
  readonly #encoder = new HpackEncoder();
  readonly #decoder: HpackDecoder;
  readonly #reader: FrameReader;
  readonly #output = new Output();
  /** What has come before `begin`. */
  #early: Buffer | undefined;
  #isReading = false;
  #isDirty = false;
  /** Nothing is read until what waits has left. */
  #isHeld = false;
  #isFailed = false;
  #isShuttingDown = false;
  /** It closes when all that waits has left. */
  #closesSoon = false;
  /** Missing bytes of a client's preface. */
  #prefaceLeft: number;
  #nextId: number;
  /** The last stream of the other side. */
  #lastId = 0;
  /** Streams of the other side beyond it are ignored: it has been told. */
  #lastTakenId = MOST_31;
  #areSettingsTaken = false;
  readonly #pongs: (() => void)[] = [];

  // What may be sent.
  /** For the streams alone. */
  sendWindow = FIRST_WINDOW;
  #firstSendWindow = FIRST_WINDOW;
  readonly #waiting = new Set<Http2Stream>();

  // What may come.
  #receiveWindow = FIRST_WINDOW;
  #consumed = 0;
  #firstReceiveWindow = FIRST_WINDOW;

  // A list of fields that comes in several frames.
  #block: Gathered | undefined;
  #blockStream = 0;
  #blockEnds = false;

  // Floods.
  #idleFrames = 0;
  #idleSinceMs = 0;
  #resets = 0;
  #resetsAtMs = 0;
  readonly #resetIds = new Set<number>();
  /** The highest stream of ours that was reset and is not among them any more: answers to lower ones may have crossed that. */
  #forgottenId = 0;

  /** See `Connection` for `socket` and `access`. Nothing is said before `begin`. */
  constructor(socket: Underlying, access: DirectAccess | undefined, { role, ...given }: Http2Options) {
    super(socket, access);
    const { maxConcurrentStreams, streamWindowBytes, headerListBytes: listBytes } = { ...DEFAULTS, ...given };
    const headerListBytes = Math.min(listBytes, MOST_31);
    const connectionWindowBytes =
      given.connectionWindowBytes ??
      Math.min(MOST_31, Math.max(FIRST_WINDOW, maxConcurrentStreams * streamWindowBytes));
    this.#limits = { maxConcurrentStreams, streamWindowBytes, headerListBytes, connectionWindowBytes };
    this.#isServer = role === "server";
    this.#prefaceLeft = this.#isServer ? PREFACE.length : 0;
    this.#nextId = this.#isServer ? 2 : 1;
    this.#decoder = new HpackDecoder(undefined, headerListBytes);
    this.#reader = new FrameReader({
      isOver: () => this.closed || this.#isFailed || this.#closesSoon,
      begin: (frame) => this.#onFrameHead(frame),
      take: (frame, bytes, from, to) => this.#onFrame(frame, bytes, from, to),
      takeData: (frame, bytes, from, to, isLast) => this.#onData(frame, bytes, from, to, isLast),
    });
  }

  /**
   * Says the preface and SETTINGS, and reads on. The socket is connected.
   *
   * @param memory see `attach`.
   * @param early what has come before and was read by another.
   */
  begin(memory: Buffer, early?: Buffer): void {
    const { maxConcurrentStreams, streamWindowBytes, connectionWindowBytes, headerListBytes } = this.#limits;
    if (!this.#isServer) {
      const at = this.#output.reserve(PREFACE.length);
      this.#output.memory.write(PREFACE, at, "latin1");
      this.#output.commit(at + PREFACE.length);
    }
    const settings: readonly (readonly [id: number, value: number])[] = [
      this.#isServer ? [SETTING.MAX_CONCURRENT_STREAMS, maxConcurrentStreams] : [SETTING.ENABLE_PUSH, 0],
      [SETTING.INITIAL_WINDOW_SIZE, streamWindowBytes],
      [SETTING.MAX_HEADER_LIST_SIZE, headerListBytes],
    ];
    const payload = Buffer.alloc(6 * settings.length);
    for (const [index, [id, value]] of settings.entries()) {
      payload[6 * index + 1] = id;
      writeUint32(payload, 6 * index + 2, value);
    }
    this.#writeFrame(FRAME.SETTINGS, 0, 0, payload);
    if (connectionWindowBytes > FIRST_WINDOW) {
      this.#writeNumber(FRAME.WINDOW_UPDATE, 0, connectionWindowBytes - FIRST_WINDOW);
    }
    this.#receiveWindow = Math.max(FIRST_WINDOW, connectionWindowBytes);
    this.#early = early;
    this.attach(memory);
    this.#readEarly();
    this.flush();
  }

  #readEarly(): void {
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) this.#read(early, 0, early.length);
  }

  /** Streams under way, of both sides. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** It was found to break HTTP/2, or is being closed: nothing more is read or taken. */
  get isFailed(): boolean {
    return this.#isFailed;
  }

  /** Whether a stream can be opened now. */
  get canOpen(): boolean {
    return (
      this.#streams.size < this.maxStreams &&
      this.goaway === undefined &&
      !this.closed &&
      !this.broken &&
      !this.#isFailed &&
      !this.#isShuttingDown &&
      !this.#closesSoon &&
      this.#nextId <= MOST_31
    );
  }

  /** Opens a stream, new or over, with the head of a request; `ends`: it has no body. To be called where `canOpen`. */
  open(stream: Http2Stream, fields: Fields, ends: boolean): void {
    stream.begin(this, this.#nextId, this.#firstSendWindow, this.#firstReceiveWindow);
    this.#nextId += 2;
    // An answer to HEAD says how long it would be, and has no body.
    stream.hasBody = !(fields[0] === ":method" && fields[1] === "HEAD");
    this.#streams.set(stream.id, stream);
    stream.writeHead(fields, ends);
  }

  /** Asks for a sign of life. */
  ping(onPong: () => void): void {
    if (this.closed || this.#isFailed) return;
    this.#pongs.push(onPong);
    this.#writeFrame(FRAME.PING, 0, 0, OWN_PING);
    this.#touch();
  }

  /**
   * Ends the connection when its streams have ended. A server says so in two steps, so that no stream is lost that is on its
   * way (RFC 9113, 6.8): it takes new ones until the client has answered. A client opens none.
   */
  shutDown(): void {
    if (this.#isShuttingDown || this.closed || this.#isFailed) return;
    this.#isShuttingDown = true;
    if (!this.#isServer) return this.#closeIfDone();
    this.#writeGoaway(MOST_31, HTTP2.NO_ERROR, "");
    this.ping(() => {
      if (this.#lastTakenId !== MOST_31) return;
      this.#lastTakenId = this.#lastId;
      this.#writeGoaway(this.#lastId, HTTP2.NO_ERROR, "");
      this.#closeIfDone();
    });
  }

  /** Ends the connection because the other side broke HTTP/2: it is told by GOAWAY, and streams by `onLost`. */
  fail(code: number, why: string): void {
    if (this.#isFailed || this.closed) return;
    this.#isFailed = true;
    this.#writeGoaway(this.#lastId, code, why);
    this.flush();
    const error = new Http2Error(code, why);
    this.#loseAll({ kind: "closed", error });
    this.onFailed(error);
  }

  /** Called when the other side broke HTTP/2, behind GOAWAY. Closes the connection. */
  protected onFailed(_error: Http2Error): void {
    this.destroySoon();
  }

  /** Returns a stream for a request that has come, new or over; a server has to say which. Its `onHead` is called next. */
  protected createStream(): Http2Stream {
    throw new TypeError("A client takes no streams");
  }

  /** SETTINGS have come: limits may have changed. */
  protected onSettings(): void {}

  /** GOAWAY has come, and streams that it leaves out have been told. */
  protected onGoaway(): void {}

  /** A stream has ended, in any way: there may be room for another, and its object may be used for another. Told last of all. */
  protected onStreamEnded(_stream: Http2Stream): void {}

  protected override onClosed(error: Error | undefined): void {
    this.#loseAll({ kind: "closed", error });
  }

  /** Nothing goes on without the other side's answers or windows. */
  protected override onEnd(): void {
    this.destroy();
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    this.#readEarly();
    this.#read(bytes, start, end);
    this.flush();
    this.#isHeld = this.blocked && this.#output.length > HELD_BYTES;
    return !this.#isHeld;
  }

  #read(bytes: Buffer, start: number, end: number): void {
    this.receivedBytes += end - start;
    if (this.#isFailed || this.#closesSoon || this.closed) return;
    this.#isReading = true;
    try {
      const from = this.#prefaceLeft > 0 ? this.#readPreface(bytes, start, end) : start;
      this.#reader.read(bytes, from, end);
    } catch (error) {
      if (!(error instanceof Http2Error)) throw error;
      this.fail(error.code, error.message);
    } finally {
      this.#isReading = false;
    }
  }

  protected override onDrained(): void {
    this.#output.release();
    this.#sendWaiting();
    this.flush();
    if (this.blocked || !this.#isHeld) return;
    this.#isHeld = false;
    this.resume();
  }

  /** Sends what was written. */
  flush(): void {
    this.#isDirty = false;
    const output = this.#output;
    while (output.length > 0 && !this.blocked) {
      if (this.closed || this.broken) return;
      this.writtenBytes += output.length;
      const pieces = output.take();
      const [only] = pieces;
      const isSent = pieces.length === 1 && only !== undefined ? this.writeBytes(only) : this.writeAll(pieces);
      if (!isSent) break;
      output.release();
    }
    if (this.#closesSoon && output.length === 0) super.destroySoon();
  }

  override destroySoon(): void {
    this.#closesSoon = true;
    this.flush();
  }

  // What streams call.

  writeFields(stream: Http2Stream, fields: Fields, ends: boolean): void {
    if (this.closed || this.#isFailed) return;
    const flags = ends ? FLAG.END_STREAM : 0;
    const bound = boundOf(fields);
    const output = this.#output;
    if (bound <= FRAME_PAYLOAD) {
      const at = output.reserve(FRAME_HEAD + bound);
      const to = this.#encoder.encode(fields, output.memory, at + FRAME_HEAD);
      const length = to - at - FRAME_HEAD;
      writeFrameHead(output.memory, at, length, FRAME.HEADERS, flags | FLAG.END_HEADERS, stream.id);
      output.commit(to);
    } else this.#writeLongFields(stream.id, fields, flags, bound);
    this.#touch();
  }

  #writeLongFields(id: number, fields: Fields, flags: number, bound: number): void {
    const block = Buffer.allocUnsafe(bound);
    const end = this.#encoder.encode(fields, block, 0);
    for (let from = 0; from < end; from += FRAME_PAYLOAD) {
      const to = Math.min(end, from + FRAME_PAYLOAD);
      const frameFlags = (from === 0 ? flags : 0) | (to === end ? FLAG.END_HEADERS : 0);
      this.#writeFrame(from === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, frameFlags, id, block, from, to);
    }
  }

  writeSome(stream: Http2Stream, bytes: Buffer, start: number, ends: boolean): number {
    let from = start;
    const end = bytes.length;
    while (!this.blocked && !this.closed && !this.#isFailed) {
      const most = Math.min(FRAME_PAYLOAD, this.sendWindow, stream.sendWindow);
      const to = Math.min(end, from + Math.max(0, most));
      if (to === from && from < end) break;
      const isEnd = ends && to === end;
      if (to === from && !isEnd) break;
      this.#writeFrame(FRAME.DATA, isEnd ? FLAG.END_STREAM : 0, stream.id, bytes, from, to);
      this.sendWindow -= to - from;
      stream.sendWindow -= to - from;
      from = to;
      // What the other side says of windows is about this.
      this.#idleFrames = 0;
      if (isEnd) {
        stream.hasSentEnd = true;
        break;
      }
      if (this.#output.length >= FLUSH_BYTES) this.flush();
    }
    this.#touch();
    return from;
  }

  wait(stream: Http2Stream): void {
    this.#waiting.add(stream);
  }

  takeBackWindow(stream: Http2Stream, bytes: number): void {
    this.#consume(bytes);
    if (stream.isOver || stream.hasReceivedEnd) return;
    stream.consumed += bytes;
    this.#grantIfDue(stream);
  }

  #grantIfDue(stream: Http2Stream): void {
    if (stream.consumed === 0 || 2 * stream.consumed < this.#firstReceiveWindow) return;
    this.#writeNumber(FRAME.WINDOW_UPDATE, stream.id, stream.consumed);
    stream.receiveWindow += stream.consumed;
    stream.consumed = 0;
    this.#touch();
  }

  #consume(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed === 0 || 2 * this.#consumed < this.#limits.connectionWindowBytes) return;
    this.#writeNumber(FRAME.WINDOW_UPDATE, 0, this.#consumed);
    this.#receiveWindow += this.#consumed;
    this.#consumed = 0;
    this.#touch();
  }

  writeReset(stream: Http2Stream, code: number): void {
    this.#noteReset(stream.id);
    this.#writeReset(stream.id, code);
    this.#forget(stream);
    this.#tellEnded(stream);
  }

  finish(stream: Http2Stream): void {
    this.#forget(stream);
    this.#tellEnded(stream);
  }

  #forget(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#waiting.delete(stream);
    stream.isOver = true;
    const { unread } = stream;
    stream.unread = 0;
    if (unread > 0) this.#consume(unread);
  }

  #tellEnded(stream: Http2Stream): void {
    this.onStreamEnded(stream);
    if (this.#isShuttingDown) this.#closeIfDone();
  }

  /** Tells a stream how it was lost. */
  #lose(stream: Http2Stream, loss: StreamLoss): void {
    stream.onLost(loss);
    this.#tellEnded(stream);
  }

  // What is written.

  /** Frames that were written leave at the end of the read, or of the turn. */
  #touch(): void {
    if (this.#isReading || this.#isDirty) return;
    this.#isDirty = true;
    if (dirty.length === 0) setImmediate(flushDirty);
    dirty.push(this);
  }

  #writeFrame(type: number, flags: number, stream: number, bytes: Buffer, from = 0, to = bytes.length): void {
    const output = this.#output;
    const at = output.reserve(FRAME_HEAD + to - from);
    const payload = writeFrameHead(output.memory, at, to - from, type, flags, stream);
    if (to > from) bytes.copy(output.memory, payload, from, to);
    output.commit(payload + to - from);
  }

  #writeNumber(type: number, stream: number, value: number): void {
    const output = this.#output;
    const at = output.reserve(FRAME_HEAD + 4);
    output.commit(writeUint32(output.memory, writeFrameHead(output.memory, at, 4, type, 0, stream), value));
  }

  #writeReset(stream: number, code: number): void {
    this.#writeNumber(FRAME.RST_STREAM, stream, code);
    this.#touch();
  }

  #writeGoaway(lastStreamId: number, code: number, why: string): void {
    const text = why.slice(0, 200);
    const payload = Buffer.alloc(8 + text.length);
    payload.write(text, writeUint32(payload, writeUint32(payload, 0, lastStreamId), code), "latin1");
    this.#writeFrame(FRAME.GOAWAY, 0, 0, payload);
    this.#touch();
  }

  /** Each stream that waits sends a frame in turn, as long as there is room. */
  #sendWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.blocked) return;
      this.#sendMoreOf(stream);
    }
  }

  /** Returns whether it had something to send and could. */
  #sendMoreOf(stream: Http2Stream): boolean {
    // On a connection that is over it would wait again at once, and be asked for ever.
    if (this.closed || this.#isFailed) return false;
    const canSend = stream.hasOnlyEndToSend || (stream.sendWindow > 0 && this.sendWindow > 0);
    if (!canSend || !this.#waiting.delete(stream)) return false;
    // If there is more of it, it stands behind the others again.
    stream.sendMore(FRAME_PAYLOAD);
    return true;
  }

  #closeIfDone(): void {
    const isTold = !this.#isServer || this.#lastTakenId !== MOST_31;
    if (isTold && this.#streams.size === 0 && !this.closed) this.destroySoon();
  }

  #loseAll(loss: StreamLoss): void {
    const lost = [...this.#streams.values()];
    this.#streams.clear();
    this.#waiting.clear();
    for (const stream of lost) stream.isOver = true;
    for (const stream of lost) this.#lose(stream, loss);
  }

  // What is read.

  #readPreface(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end && this.#prefaceLeft > 0) {
      if (bytes[at] !== PREFACE.charCodeAt(PREFACE.length - this.#prefaceLeft)) {
        throw protocolError("the connection does not begin with the preface of HTTP/2");
      }
      this.#prefaceLeft -= 1;
      at += 1;
    }
    return at;
  }

  #onFrameHead({ type, flags, stream }: FrameHead): void {
    const isInBlock = this.#blockStream !== 0;
    if (isInBlock !== (type === FRAME.CONTINUATION) || (isInBlock && stream !== this.#blockStream))
      throw protocolError("a list of fields is not whole, or CONTINUATION has none to go on with");
    if (!this.hasSettings && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0))
      throw protocolError("the first frame is not SETTINGS");
    if (type !== FRAME.DATA) return;
    if (stream === 0) throw protocolError("DATA is of no stream");
    if (this.#isIdle(stream)) throw protocolError("DATA is of a stream that was not opened");
  }

  #onFrame(frame: FrameHead, bytes: Buffer, from: number, to: number): void {
    switch (frame.type) {
      case FRAME.HEADERS:
        return this.#onHeaders(frame, bytes, from, to);
      case FRAME.PRIORITY:
        return this.#onPriority(frame, bytes, from);
      case FRAME.RST_STREAM:
        return this.#onReset(frame, bytes, from);
      case FRAME.SETTINGS:
        return this.#onSettings(frame, bytes, from, to);
      case FRAME.PUSH_PROMISE:
        throw protocolError("PUSH_PROMISE came, and push is not allowed");
      case FRAME.PING:
        return this.#onPing(frame, bytes, from);
      case FRAME.GOAWAY:
        return this.#onGoaway(frame, bytes, from);
      case FRAME.WINDOW_UPDATE:
        return this.#onWindowUpdate(frame, bytes, from);
      case FRAME.CONTINUATION:
        return this.#onContinuation(frame, bytes, from, to);
      default:
        // Kinds that are not known are ignored (RFC 9113, 5.5).
        this.#countIdle();
    }
  }

  #onData(frame: FrameHead, bytes: Buffer, from: number, to: number, isLast: boolean): void {
    const ends = isLast && (frame.flags & FLAG.END_STREAM) !== 0;
    // Padding counts as well, and is read at once.
    const padding = isLast ? frame.padding : 0;
    const bytesTaken = to - from + padding;
    if (to === from && !ends) this.#countIdle();
    else if (to > from) this.#idleFrames = 0;
    this.#receiveWindow -= bytesTaken;
    if (this.#receiveWindow < 0) {
      throw new Http2Error(HTTP2.FLOW_CONTROL_ERROR, "more DATA came than the window of the connection allows");
    }
    if (padding > 0) this.#consume(padding);
    const stream = this.#streams.get(frame.stream);
    if (stream === undefined || stream.hasReceivedEnd) {
      this.#consume(to - from);
      return this.#onUnasked(frame.stream, stream);
    }
    stream.receiveWindow -= bytesTaken;
    if (stream.receiveWindow < 0) {
      this.#consume(to - from);
      return this.#breakStream(stream, "more came than its window allows", HTTP2.FLOW_CONTROL_ERROR);
    }
    if (padding > 0) stream.consumed += padding;
    if (!stream.hasReceivedHead || (!stream.hasBody && to > from)) {
      this.#consume(to - from);
      return this.#breakStream(stream, "DATA came where no body can be");
    }
    stream.bodyBytes += to - from;
    const expected = stream.contentLength;
    if (expected >= 0 && (stream.bodyBytes > expected || (ends && stream.bodyBytes < expected))) {
      this.#consume(to - from);
      return this.#breakStream(stream, `its content-length is ${expected}, and its body is not`);
    }
    if (to > from) {
      stream.unread += to - from;
      stream.onData(bytes, from, to);
    }
    if (ends && !stream.isOver) this.#endReceiving(stream, undefined);
  }

  /** The other side has said all that it has to say. */
  #endReceiving(stream: Http2Stream, trailers: Fields | undefined): void {
    stream.hasReceivedEnd = true;
    if (!stream.hasSentEnd) return stream.onEnd(trailers);
    // It is told when there is room for the next one in its place.
    this.#forget(stream);
    stream.onEnd(trailers);
    this.#tellEnded(stream);
  }

  /** Something came on a stream that the other side had ended, or that is over. */
  #onUnasked(id: number, stream: Http2Stream | undefined): void {
    if (stream !== undefined) this.#breakStream(stream, "more came behind its end", HTTP2.STREAM_CLOSED);
    else if (this.#resetIds.has(id) || id <= this.#forgottenId || id > this.#lastTakenId) this.#countIdle();
    else throw new Http2Error(HTTP2.STREAM_CLOSED, "a frame came on a stream that had ended");
  }

  #onHeaders(frame: FrameHead, bytes: Buffer, start: number, end: number): void {
    if (frame.stream === 0) throw protocolError("HEADERS are of no stream");
    const payload = withoutPadding(frame, bytes, start, end);
    const { to } = payload;
    let { from } = payload;
    if ((frame.flags & FLAG.PRIORITY) !== 0) {
      if (to - from < 5) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, "HEADERS are too short for their priority");
      if (readUint31(bytes, from) === frame.stream) throw protocolError("a stream depends on itself");
      from += 5;
    }
    const ends = (frame.flags & FLAG.END_STREAM) !== 0;
    if ((frame.flags & FLAG.END_HEADERS) !== 0) return this.#onBlock(frame.stream, ends, bytes, from, to);
    this.#blockStream = frame.stream;
    this.#blockEnds = ends;
    this.#block = new Gathered();
    this.#block.append(bytes, from, to);
  }

  #onContinuation({ flags }: FrameHead, bytes: Buffer, from: number, to: number): void {
    const block = this.#block as Gathered;
    if (to === from) this.#countIdle();
    block.append(bytes, from, to);
    if (block.length > this.#limits.headerListBytes + FRAME_PAYLOAD) {
      throw new Http2Error(HTTP2.ENHANCE_YOUR_CALM, "a list of fields is too long");
    }
    if ((flags & FLAG.END_HEADERS) === 0) return;
    const stream = this.#blockStream;
    this.#blockStream = 0;
    this.#block = undefined;
    this.#onBlock(stream, this.#blockEnds, block.view(), 0, block.length);
  }

  /** A list of fields has come whole. It is decoded even if it is refused, because later ones refer to it. */
  #onBlock(id: number, ends: boolean, bytes: Buffer, from: number, to: number): void {
    const fields = this.#decoder.decode(bytes, from, to);
    const stream = this.#streams.get(id);
    if (stream !== undefined) {
      if (stream.hasReceivedEnd) this.#breakStream(stream, "more came behind its end", HTTP2.STREAM_CLOSED);
      else if (fields === "too large") {
        const what = stream.hasReceivedHead ? "trailers" : "header fields";
        this.#breakStream(stream, `its ${what} are too long`, HTTP2.ENHANCE_YOUR_CALM);
      } else if (this.#isServer || stream.hasReceivedHead) this.#onTrailers(stream, fields, ends);
      else this.#onAnswerHead(stream, fields, ends);
      return;
    }
    if (!this.#isServer) {
      if (this.#isIdle(id)) throw protocolError("HEADERS are of a stream that was not opened");
      return this.#onUnasked(id, undefined);
    }
    if ((id & 1) === 0) throw protocolError("a client opened a stream with an even number");
    if (id <= this.#lastId) {
      if (id === this.#lastId || this.#resetIds.has(id)) return this.#onUnasked(id, undefined);
      throw protocolError("a stream has a number lower than one before");
    }
    this.#lastId = id;
    if (id > this.#lastTakenId) return;
    this.#onRequest(id, fields, ends);
  }

  #onRequest(id: number, fields: Fields | "too large", ends: boolean): void {
    if (this.#streams.size >= this.#limits.maxConcurrentStreams) return this.#refuse(id, HTTP2.REFUSED_STREAM);
    const meaning = fields === "too large" ? undefined : meaningOf(fields, "request");
    const length = meaning?.contentLength ?? -1;
    if (meaning?.malformed !== undefined || (ends && length > 0)) return this.#refuse(id, HTTP2.PROTOCOL_ERROR);
    this.#idleFrames = 0;
    const stream = this.createStream();
    stream.begin(this, id, this.#firstSendWindow, this.#firstReceiveWindow);
    stream.hasReceivedHead = true;
    stream.contentLength = length;
    this.#streams.set(id, stream);
    if (fields === "too large") return this.#refuseLongHead(stream, ends);
    stream.onHead(fields, ends);
    if (ends && !stream.isOver) this.#endReceiving(stream, undefined);
  }

  #onAnswerHead(stream: Http2Stream, fields: Fields, ends: boolean): void {
    const { malformed, status, contentLength } = meaningOf(fields, "answer");
    if (malformed !== undefined) return this.#breakStream(stream, malformed);
    const isInterim = status < 200;
    if (isInterim && ends) return this.#breakStream(stream, "an interim answer ends it");
    if (!isInterim) {
      this.#idleFrames = 0;
      stream.hasReceivedHead = true;
      // What came as their body would be the next answer on a connection of HTTP/1.1 (RFC 9110, 6.4.1).
      if (status === 204 || status === 304) stream.hasBody = false;
      if (stream.hasBody) stream.contentLength = contentLength;
      if (ends && stream.contentLength > 0) {
        return this.#breakStream(stream, `its content-length is ${contentLength}, and it has no body`);
      }
    } else this.#countIdle();
    stream.onHead(fields, ends);
    if (ends && !stream.isOver) this.#endReceiving(stream, undefined);
  }

  #onTrailers(stream: Http2Stream, fields: Fields, ends: boolean): void {
    const why = ends ? meaningOf(fields, "trailers").malformed : "its trailers do not end it";
    if (why !== undefined) return this.#breakStream(stream, why);
    const expected = stream.contentLength;
    if (expected >= 0 && stream.bodyBytes < expected) {
      return this.#breakStream(stream, `its content-length is ${expected}, and its body is not`);
    }
    this.#endReceiving(stream, fields);
  }

  #refuseLongHead(stream: Http2Stream, ends: boolean): void {
    const { id } = stream;
    if (ends) stream.hasReceivedEnd = true;
    stream.onHeadTooLarge();
    if (this.#resetIds.has(id)) this.#countReset();
  }

  /** Refuses a stream before it begins. */
  #refuse(id: number, code: number): void {
    this.#noteReset(id);
    this.#writeReset(id, code);
    this.#countReset();
  }

  /** Resets a stream on which something wrong came, and tells it. */
  #breakStream(stream: Http2Stream, why: string, code: number = HTTP2.PROTOCOL_ERROR): void {
    this.#noteReset(stream.id);
    this.#writeReset(stream.id, code);
    this.#forget(stream);
    this.#lose(stream, { kind: "malformed", why });
    this.#countReset();
  }

  #noteReset(id: number): void {
    this.#resetIds.add(id);
    if (this.#resetIds.size <= RESETS_KEPT) return;
    for (const oldest of this.#resetIds) {
      this.#resetIds.delete(oldest);
      if (!this.#isServer) this.#forgottenId = Math.max(this.#forgottenId, oldest);
      return;
    }
  }

  #onPriority({ stream, length }: FrameHead, bytes: Buffer, from: number): void {
    if (stream === 0) throw protocolError("PRIORITY is of no stream");
    const open = this.#streams.get(stream);
    if (length !== 5) {
      if (open === undefined) this.#refuse(stream, HTTP2.FRAME_SIZE_ERROR);
      else this.#breakStream(open, "PRIORITY has not 5 bytes", HTTP2.FRAME_SIZE_ERROR);
    } else if (readUint31(bytes, from) === stream) {
      if (open === undefined) this.#refuse(stream, HTTP2.PROTOCOL_ERROR);
      else this.#breakStream(open, "it depends on itself");
    } else this.#countIdle();
  }

  #onReset({ stream: id, length }: FrameHead, bytes: Buffer, from: number): void {
    if (length !== 4) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, "RST_STREAM has not 4 bytes");
    if (id === 0 || this.#isIdle(id)) throw protocolError("RST_STREAM is of a stream that was not opened");
    const stream = this.#streams.get(id);
    if (stream === undefined) return this.#countIdle();
    this.#forget(stream);
    this.#lose(stream, { kind: "reset", code: bytes.readUInt32BE(from) });
    this.#countReset();
  }

  #onSettings({ stream, flags, length }: FrameHead, bytes: Buffer, start: number, end: number): void {
    if (stream !== 0) throw protocolError("SETTINGS are of a stream");
    const isAck = (flags & FLAG.ACK) !== 0;
    if (length % 6 !== 0 || (isAck && length !== 0))
      throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, `SETTINGS have ${length} bytes`);
    if (isAck) return this.#onOwnSettingsTaken();
    if (length > 6 * MOST_SETTINGS)
      throw new Http2Error(HTTP2.ENHANCE_YOUR_CALM, `SETTINGS have ${length / 6} entries, more than ${MOST_SETTINGS}`);
    this.#countIdle();
    for (let at = start; at < end; at += 6) {
      const id = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
      this.#takeSetting(id, bytes.readUInt32BE(at + 2));
    }
    this.hasSettings = true;
    this.#writeFrame(FRAME.SETTINGS, FLAG.ACK, 0, NOTHING);
    this.onSettings();
    this.#sendWaiting();
  }

  #takeSetting(id: number, value: number): void {
    if (id === SETTING.HEADER_TABLE_SIZE) this.#encoder.setMaxTableBytes(value);
    else if (id === SETTING.ENABLE_PUSH) {
      if (value > 1 || (value === 1 && !this.#isServer)) throw protocolError(`SETTINGS_ENABLE_PUSH is ${value}`);
    } else if (id === SETTING.MAX_CONCURRENT_STREAMS) this.maxStreams = value;
    else if (id === SETTING.MAX_FRAME_SIZE) {
      if (value < FRAME_PAYLOAD || value > 0xffffff) throw protocolError(`SETTINGS_MAX_FRAME_SIZE is ${value}`);
    } else if (id === SETTING.INITIAL_WINDOW_SIZE) {
      if (value > MOST_31) throw new Http2Error(HTTP2.FLOW_CONTROL_ERROR, `SETTINGS_INITIAL_WINDOW_SIZE is ${value}`);
      const change = value - this.#firstSendWindow;
      this.#firstSendWindow = value;
      for (const stream of this.#streams.values()) {
        stream.sendWindow += change;
        if (stream.sendWindow > MOST_31) throw new Http2Error(HTTP2.FLOW_CONTROL_ERROR, "a window is too large");
      }
    }
  }

  /** From now on the other side keeps what was told at the beginning. */
  #onOwnSettingsTaken(): void {
    if (this.#areSettingsTaken) return;
    this.#areSettingsTaken = true;
    const change = this.#limits.streamWindowBytes - this.#firstReceiveWindow;
    this.#firstReceiveWindow += change;
    for (const stream of this.#streams.values()) {
      stream.receiveWindow += change;
      if (!stream.hasReceivedEnd) this.#grantIfDue(stream);
    }
  }

  #onPing({ stream, flags, length }: FrameHead, bytes: Buffer, from: number): void {
    if (length !== 8) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, `PING has ${length} bytes`);
    if (stream !== 0) throw protocolError("PING is of a stream");
    const onPong = (flags & FLAG.ACK) === 0 ? undefined : this.#pongs.shift();
    if (onPong !== undefined) return onPong();
    this.#countIdle();
    if ((flags & FLAG.ACK) !== 0) return;
    this.#writeFrame(FRAME.PING, FLAG.ACK, 0, bytes, from, from + 8);
  }

  #onGoaway({ stream, length }: FrameHead, bytes: Buffer, from: number): void {
    if (stream !== 0) throw protocolError("GOAWAY is of a stream");
    if (length < 8) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, `GOAWAY has ${length} bytes`);
    this.#countIdle();
    const lastStreamId = readUint31(bytes, from);
    this.goaway = { lastStreamId, code: bytes.readUInt32BE(from + 4) };
    if (!this.#isServer) {
      for (const [id, left] of this.#streams) {
        if (id <= lastStreamId) continue;
        this.#forget(left);
        this.#lose(left, { kind: "unprocessed" });
      }
    }
    this.onGoaway();
  }

  #onWindowUpdate({ stream: id, length }: FrameHead, bytes: Buffer, from: number): void {
    if (length !== 4) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, `WINDOW_UPDATE has ${length} bytes`);
    if (id !== 0 && this.#isIdle(id)) throw protocolError("WINDOW_UPDATE is of a stream that was not opened");
    const bytesMore = readUint31(bytes, from);
    this.#countIdle();
    if (id === 0) {
      if (bytesMore === 0) throw protocolError("WINDOW_UPDATE opens the window by nothing");
      this.sendWindow += bytesMore;
      if (this.sendWindow > MOST_31) throw new Http2Error(HTTP2.FLOW_CONTROL_ERROR, "a window is too large");
      return this.#sendWaiting();
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (bytesMore === 0) return this.#breakStream(stream, "WINDOW_UPDATE opens the window by nothing");
    stream.sendWindow += bytesMore;
    if (stream.sendWindow > MOST_31) {
      return this.#breakStream(stream, "its window is too large", HTTP2.FLOW_CONTROL_ERROR);
    }
    while (!this.blocked && this.#sendMoreOf(stream));
  }

  /** Whether a stream was never opened. */
  #isIdle(id: number): boolean {
    const isOurs = (id & 1) === (this.#isServer ? 0 : 1);
    return isOurs ? id >= this.#nextId : id > this.#lastId;
  }

  /** Counts a frame that takes time and brings nothing on. */
  #countIdle(): void {
    this.#idleFrames += 1;
    if (this.#idleFrames === 1) this.#idleSinceMs = performance.now();
    if (this.#idleFrames <= IDLE_FRAMES.most) return;
    if (performance.now() - this.#idleSinceMs < IDLE_FRAMES.withinMs) {
      throw new Http2Error(HTTP2.ENHANCE_YOUR_CALM, `${IDLE_FRAMES.most} frames in a row carried nothing`);
    }
    this.#idleFrames = 0;
  }

  /** Counts a stream that a client has made us give up. What a server resets is work it did not do. */
  #countReset(): void {
    if (!this.#isServer) return;
    const nowMs = performance.now();
    this.#resets = Math.max(0, this.#resets - ((nowMs - this.#resetsAtMs) / 1000) * RESETS.perSecond) + 1;
    this.#resetsAtMs = nowMs;
    if (this.#resets > RESETS.most) throw new Http2Error(HTTP2.ENHANCE_YOUR_CALM, "too many streams were reset");
  }
}

/** Lists of fields that come again are the same object. */
const meanings = new WeakMap<Fields, FieldsMeaning & { readonly kind: string }>();

function meaningOf(fields: Fields, kind: "request" | "answer" | "trailers"): FieldsMeaning {
  const known = meanings.get(fields);
  if (known?.kind === kind) return known;
  const meaning = { ...readFields(fields, kind), kind };
  meanings.set(fields, meaning);
  return meaning;
}
