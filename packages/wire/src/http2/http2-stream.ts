import { Gathered } from "../gathered.js";
import { HTTP2 } from "./errors.js";
import type { Fields } from "./fields.js";

/** How a stream ended before its time. */
export type StreamLoss =
  /** The other side has reset it. */
  | { readonly kind: "reset"; readonly code: number }
  /** The other side ends the connection, and has done nothing of what was asked: it may be asked again. */
  | { readonly kind: "unprocessed" }
  /** What came on it is no HTTP. It was reset. */
  | { readonly kind: "malformed"; readonly why: string }
  /** The connection has ended; with an `Http2Error` because the other side broke HTTP/2. */
  | { readonly kind: "closed"; readonly error: Error | undefined };

/** What a stream needs of its connection. */
export interface StreamOwner {
  readonly writeFields: (stream: Http2Stream, fields: Fields, ends: boolean) => void;
  /** Writes as much of a piece as windows and socket allow; returns up to where. `ends`: with its last byte the stream ends. */
  readonly writeSome: (stream: Http2Stream, bytes: Buffer, start: number, ends: boolean) => number;
  /** Something of the stream waits to be written: its `sendMore` is called when that can be. */
  readonly wait: (stream: Http2Stream) => void;
  /** This many bytes of it were consumed. */
  readonly takeBackWindow: (stream: Http2Stream, bytes: number) => void;
  readonly writeReset: (stream: Http2Stream, code: number) => void;
  /** Both sides have ended it. */
  readonly finish: (stream: Http2Stream) => void;
}

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * One stream of a connection: a request and its answer. A class of its own implements the methods that tell what comes. None is
 * called from within a call that writes. If both sides have ended a stream, it is over without a word.
 */
export abstract class Http2Stream {
  /** 0 until it is opened. */
  id = 0;
  /** Set when it is opened. */
  connection!: StreamOwner;
  /** Windows or socket are full until `onDrained`: only the end may be written. */
  blocked = false;
  /** Both sides have ended it, or it was reset or lost. */
  isOver = false;
  /** This side has written its end, which may still wait to leave. */
  hasEnded = false;

  // For its connection alone.
  hasSentEnd = false;
  hasReceivedHead = false;
  hasReceivedEnd = false;
  /** Whether the other side may send a body. */
  hasBody = true;
  contentLength = -1;
  bodyBytes = 0;
  sendWindow = 0;
  receiveWindow = 0;
  /** Bytes that were told and not consumed. */
  unread = 0;
  /** Consumed bytes that the other side was not told of. */
  consumed = 0;
  #queue: Gathered | undefined;
  #queueFrom = 0;
  #endsBehindQueue = false;
  #trailers: Fields | undefined;

  /** For its connection alone: it stands for a stream that begins. */
  begin(connection: StreamOwner, id: number, sendWindow: number, receiveWindow: number): void {
    this.connection = connection;
    this.id = id;
    this.sendWindow = sendWindow;
    this.receiveWindow = receiveWindow;
    this.blocked = false;
    this.isOver = false;
    this.hasEnded = false;
    this.hasSentEnd = false;
    this.hasReceivedHead = false;
    this.hasReceivedEnd = false;
    this.hasBody = true;
    this.contentLength = -1;
    this.bodyBytes = 0;
    this.unread = 0;
    this.consumed = 0;
    this.#queue = undefined;
    this.#queueFrom = 0;
    this.#endsBehindQueue = false;
    this.#trailers = undefined;
  }

  /** A head has come: a request, or an answer, also an interim one (1xx). It is well-formed. `ends`: nothing comes behind it. */
  abstract onHead(fields: Fields, ends: boolean): void;

  /** A piece of the body has come. Its memory is used again. The other side may send no more than its window until it is `consume`d. */
  abstract onData(bytes: Buffer, from: number, to: number): void;

  /** All has come. */
  abstract onEnd(trailers: Fields | undefined): void;

  /** All that was written has left, after `blocked`. */
  abstract onDrained(): void;

  /** It has ended before its time, or before its own end although the other side had ended. Nothing is told any more. */
  abstract onLost(loss: StreamLoss): void;

  /** The head that has come is too large to be read. */
  onHeadTooLarge(): void {
    this.onLost({ kind: "malformed", why: "its header fields are too long" });
    this.reset(HTTP2.ENHANCE_YOUR_CALM);
  }

  /** Writes a head; `ends`: there is nothing behind it. Fields are not checked. */
  writeHead(fields: Fields, ends: boolean): void {
    if (this.isOver || this.hasEnded) return;
    this.hasEnded = ends;
    this.hasSentEnd = ends;
    this.connection.writeFields(this, fields, ends);
    if (ends) this.#closeIfDone();
  }

  /** Writes a piece of the body. What cannot leave now is copied. False: it is `blocked`. */
  writeData(piece: Buffer, ends: boolean): boolean {
    if (this.isOver || this.hasEnded) return true;
    this.hasEnded = ends;
    const from = this.blocked ? 0 : this.connection.writeSome(this, piece, 0, ends);
    if (from < piece.length || (ends && !this.hasSentEnd)) {
      (this.#queue ??= new Gathered()).append(piece, from, piece.length);
      this.#endsBehindQueue = ends;
      this.#wait();
      return false;
    }
    if (ends) this.#closeIfDone();
    return true;
  }

  /** Writes the end, behind what waits. */
  writeEnd(trailers?: Fields): void {
    if (this.isOver || this.hasEnded) return;
    if (trailers === undefined && !this.blocked) return void this.writeData(NOTHING, true);
    this.hasEnded = true;
    this.#endsBehindQueue = true;
    this.#trailers = trailers;
    if (!this.blocked) this.#sendEnd();
  }

  /** So many bytes of `onData` have been dealt with: the other side may send as many more. */
  consume(bytes: number): void {
    if (this.isOver) return;
    this.unread -= bytes;
    this.connection.takeBackWindow(this, bytes);
  }

  /** Ends it now. Nothing is told any more, and what waits is dropped. */
  reset(code: number): void {
    if (this.isOver) return;
    this.#queue = undefined;
    this.blocked = false;
    this.connection.writeReset(this, code);
  }

  /** For its connection alone: no window is needed for what is left. */
  get hasOnlyEndToSend(): boolean {
    return this.#endsBehindQueue && (this.#queue === undefined || this.#queueFrom === this.#queue.length);
  }

  /** For its connection alone: sends what waits, at most so many bytes. */
  sendMore(most: number): void {
    const queue = this.#queue;
    if (queue !== undefined && this.#queueFrom < queue.length) {
      const rest = queue.view(this.#queueFrom);
      const piece = rest.length > most ? rest.subarray(0, most) : rest;
      const endsHere = this.#endsBehindQueue && this.#trailers === undefined && piece.length === rest.length;
      this.#queueFrom += this.connection.writeSome(this, piece, 0, endsHere);
      if (this.#queueFrom < queue.length) return this.#wait();
      this.#queue = undefined;
      this.#queueFrom = 0;
    }
    if (this.#endsBehindQueue && !this.hasSentEnd) {
      this.#queue = undefined;
      this.#sendEnd();
      if (!this.hasSentEnd) return;
    }
    this.blocked = false;
    this.onDrained();
    this.#closeIfDone();
  }

  #sendEnd(): void {
    if (this.#trailers !== undefined) {
      this.hasSentEnd = true;
      this.connection.writeFields(this, this.#trailers, true);
    } else this.connection.writeSome(this, NOTHING, 0, true);
    if (!this.hasSentEnd) return this.#wait();
    if (!this.blocked) this.#closeIfDone();
  }

  #wait(): void {
    this.blocked = true;
    this.connection.wait(this);
  }

  #closeIfDone(): void {
    if (this.hasSentEnd && this.hasReceivedEnd && !this.isOver) this.connection.finish(this);
  }
}
