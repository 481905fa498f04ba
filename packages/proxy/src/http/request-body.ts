import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** What a body tells of itself. */
interface BodyEvents {
  /** A piece has come from the client. */
  readonly onProgress: () => void;
  /** All of it has come. */
  readonly onWhole: () => void;
  /** There is more of it than is allowed; nothing more is taken. */
  readonly onTooLong: () => void;
}

/** How much of a body is allowed and kept, in bytes. */
interface BodyLimits {
  readonly bodyBytes: number;
  /** Up to this what has been sent is kept, so that it can be sent again. */
  readonly bufferBytes: number;
}

/**
 * The body of a request on its way to a backend. It stands between the client's request and whoever sends it on, because
 * those destroy what they read from when something goes wrong, and with the request would go the client's connection.
 * Reads no faster than it is read from.
 */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #isChunked: boolean;
  readonly #limits: BodyLimits;
  readonly #events: BodyEvents;
  #kept: Buffer[] = [];
  #bytes = 0;
  #lost = false;
  #ended = false;
  #stream: Readable | undefined;

  constructor(request: IncomingMessage, isChunked: boolean, limits: BodyLimits, events: BodyEvents) {
    this.#request = request;
    this.#isChunked = isChunked;
    this.#limits = limits;
    this.#events = events;
    request.on("data", this.#onData);
    request.on("end", this.#onEnd);
  }

  /** Whether all of it has come from the client. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it can still be sent from its beginning. */
  get replayable(): boolean {
    return !this.#lost;
  }

  /** Whether there is something of it that the backend has not taken. */
  get isWaiting(): boolean {
    return (this.#stream?.readableLength ?? 0) > 0;
  }

  /** The body from its beginning: all of it if it has come and has a length, else a stream. Ends an earlier stream. */
  open(): Buffer | Readable {
    this.#endStream();
    if (this.#ended && !this.#isChunked)
      return this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept);
    const stream = new Readable({ read: () => void this.#request.resume() });
    stream.on("error", () => undefined);
    this.#stream = stream;
    for (const chunk of this.#kept) stream.push(chunk);
    if (this.#bytes > this.#limits.bufferBytes) this.#forget();
    if (this.#ended) stream.push(null);
    return stream;
  }

  /** Ends it: what still comes is read and thrown away, so that the client gets to read its answer. */
  close(): void {
    this.#request.off("data", this.#onData);
    this.#request.off("end", this.#onEnd);
    this.#endStream();
    this.#forget();
    if (!this.#request.destroyed) this.#request.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length;
    this.#events.onProgress();
    if (this.#bytes > this.#limits.bodyBytes) {
      this.close();
      this.#events.onTooLong();
      return;
    }
    if (!this.#lost) this.#kept.push(chunk);
    const isFull = this.#bytes > this.#limits.bufferBytes;
    if (this.#stream === undefined) {
      // Nobody reads yet, and what has come must not be lost.
      if (isFull) this.#request.pause();
      return;
    }
    if (isFull) this.#forget();
    if (!this.#stream.push(chunk)) this.#request.pause();
  };

  readonly #onEnd = (): void => {
    if (!this.#request.complete) return;
    this.#ended = true;
    this.#stream?.push(null);
    this.#events.onWhole();
  };

  #forget(): void {
    this.#lost = true;
    this.#kept = [];
  }

  #endStream(): void {
    this.#stream?.destroy();
    this.#stream = undefined;
  }
}
