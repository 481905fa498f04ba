import { FRAME, FLAG, FRAME_HEAD, FRAME_PAYLOAD, readUint24, readUint31 } from "./frames.js";
import { HTTP2, Http2Error, protocolError } from "./errors.js";

/** The head of a frame. */
export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
  /** Bytes of the payload of a DATA frame that are padding, with the byte that tells its length. */
  readonly padding: number;
}

/** What is told of frames; each may throw an `Http2Error`. */
export interface FrameSink {
  /** Nothing more is to be read. */
  readonly isOver: () => boolean;
  /** The head of a frame has come. */
  readonly begin: (frame: FrameHead) => void;
  /** A frame has come whole, and is no DATA frame. Its payload stands from `from` to `to`. */
  readonly take: (frame: FrameHead, bytes: Buffer, from: number, to: number) => void;
  /** A piece of a DATA frame without its padding, in the memory it was read into; an empty frame is one empty piece. */
  readonly takeData: (frame: FrameHead, bytes: Buffer, from: number, to: number, isLast: boolean) => void;
}

/** Reads frames from pieces of any size, in place. A frame that comes in pieces is kept, except DATA frames. */
export class FrameReader implements FrameHead {
  type = 0;
  flags = 0;
  stream = 0;
  length = 0;
  padding = 0;
  readonly #sink: FrameSink;
  /** A head that has not come whole. */
  #head: Buffer | undefined;
  #headBytes = 0;
  /** The payload of a frame that has not come whole. */
  #payload: Buffer | undefined;
  #payloadBytes = 0;
  /** Of a DATA frame. */
  #isData = false;
  #dataLeft = 0;
  #paddingLeft = 0;
  #awaitsPadding = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  read(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && !this.#sink.isOver()) {
      if (this.#isData) at = this.#readData(bytes, at, end);
      else if (this.#payload !== undefined) at = this.#gather(this.#payload, bytes, at, end);
      else if (this.#headBytes === 0 && end - at >= FRAME_HEAD) {
        this.#parse(bytes, at);
        at = this.#beginPayload(bytes, at + FRAME_HEAD, end);
      } else at = this.#gatherHead(bytes, at, end);
    }
  }

  #gatherHead(bytes: Buffer, from: number, end: number): number {
    const head = (this.#head ??= Buffer.alloc(FRAME_HEAD));
    const to = Math.min(end, from + FRAME_HEAD - this.#headBytes);
    bytes.copy(head, this.#headBytes, from, to);
    this.#headBytes += to - from;
    if (this.#headBytes < FRAME_HEAD) return to;
    this.#headBytes = 0;
    this.#parse(head, 0);
    return this.#beginPayload(bytes, to, end);
  }

  #parse(bytes: Buffer, at: number): void {
    this.length = readUint24(bytes, at);
    this.type = bytes[at + 3] as number;
    this.flags = bytes[at + 4] as number;
    this.stream = readUint31(bytes, at + 5);
    if (this.length > FRAME_PAYLOAD) {
      throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, `a frame has ${this.length} bytes, more than ${FRAME_PAYLOAD}`);
    }
    this.#sink.begin(this);
  }

  #beginPayload(bytes: Buffer, from: number, end: number): number {
    const { length } = this;
    if (this.type === FRAME.DATA) {
      this.#isData = true;
      this.#dataLeft = length;
      this.#paddingLeft = 0;
      this.padding = 0;
      this.#awaitsPadding = (this.flags & FLAG.PADDED) !== 0;
      if (length > 0 || this.#awaitsPadding) return this.#readData(bytes, from, end);
      this.#isData = false;
      this.#sink.takeData(this, bytes, from, from, true);
      return from;
    }
    if (end - from >= length) {
      this.#sink.take(this, bytes, from, from + length);
      return from + length;
    }
    this.#payload = Buffer.allocUnsafe(length);
    this.#payloadBytes = 0;
    return this.#gather(this.#payload, bytes, from, end);
  }

  #gather(payload: Buffer, bytes: Buffer, from: number, end: number): number {
    const to = Math.min(end, from + payload.length - this.#payloadBytes);
    bytes.copy(payload, this.#payloadBytes, from, to);
    this.#payloadBytes += to - from;
    if (this.#payloadBytes < payload.length) return to;
    this.#payload = undefined;
    this.#sink.take(this, payload, 0, payload.length);
    return to;
  }

  #readData(bytes: Buffer, from: number, end: number): number {
    let at = from;
    if (this.#awaitsPadding) {
      if (this.length === 0)
        throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, "a padded frame has no length of its padding");
      if (at === end) return at;
      this.#awaitsPadding = false;
      this.#paddingLeft = bytes[at] as number;
      at += 1;
      this.padding = 1 + this.#paddingLeft;
      this.#dataLeft -= this.padding;
      if (this.#dataLeft < 0) throw protocolError("the padding of a frame is longer than the frame");
      if (this.#dataLeft === 0) this.#sink.takeData(this, bytes, at, at, true);
    }
    if (this.#dataLeft > 0) {
      const to = Math.min(end, at + this.#dataLeft);
      this.#dataLeft -= to - at;
      if (to > at) this.#sink.takeData(this, bytes, at, to, this.#dataLeft === 0);
      at = to;
    }
    if (this.#dataLeft > 0) return at;
    const skipped = Math.min(this.#paddingLeft, end - at);
    this.#paddingLeft -= skipped;
    this.#isData = this.#paddingLeft > 0;
    return at + skipped;
  }
}

/** A frame's payload without its padding and without the padding's length in front. */
export function withoutPadding(
  { flags }: FrameHead,
  bytes: Buffer,
  from: number,
  to: number,
): { readonly from: number; readonly to: number } {
  if ((flags & FLAG.PADDED) === 0) return { from, to };
  if (from === to) throw new Http2Error(HTTP2.FRAME_SIZE_ERROR, "a padded frame has no length of its padding");
  const end = to - (bytes[from] as number);
  if (end < from + 1) throw protocolError("the padding of a frame is longer than the frame");
  return { from: from + 1, to: end };
}
