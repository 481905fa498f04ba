import type { Socket } from "node:net";
import type { ConnectionSocket } from "../connection.js";
import type { Http2Error } from "../http2/errors.js";
import type { Fields } from "../http2/fields.js";
import { Http2Connection } from "../http2/http2-connection.js";
import { Http2Stream, type StreamLoss } from "../http2/http2-stream.js";

/** A stream that keeps all that it is told. */
export class RecordedStream extends Http2Stream {
  /** Whether what comes of a body is consumed at once. */
  consumes = true;
  readonly heads: Fields[] = [];
  readonly pieces: Buffer[] = [];
  trailers: Fields | undefined;
  /** `onEnd` was told. */
  hasAll = false;
  loss: StreamLoss | undefined;
  /** How often `onDrained` was told. */
  drains = 0;
  /** Called when all has come. */
  onAll: (() => void) | undefined;

  get body(): Buffer {
    return Buffer.concat(this.pieces);
  }

  override onHead(fields: Fields, _ends: boolean): void {
    this.heads.push(fields);
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    this.pieces.push(Buffer.from(bytes.subarray(from, to)));
    if (this.consumes) this.consume(to - from);
  }

  override onEnd(trailers: Fields | undefined): void {
    this.trailers = trailers;
    this.hasAll = true;
    this.onAll?.();
  }

  override onDrained(): void {
    this.drains += 1;
  }

  override onLost(loss: StreamLoss): void {
    this.loss = loss;
  }
}

/** One end of a connection that keeps its streams, and how it failed. */
export class RecordingEnd<Underlying extends ConnectionSocket = Socket> extends Http2Connection<Underlying> {
  /** Of a server: for each call of `createStream` one. */
  readonly streams: RecordedStream[] = [];
  /** How the other side broke HTTP/2. */
  failure: Http2Error | undefined;
  /** Reading has stopped until what waits has left. */
  isHeld = false;
  /** Called after each read, and when it is closed. */
  onChange: () => void = () => undefined;
  /** Makes the streams of a server. */
  makeStream: () => RecordedStream = () => new RecordedStream();

  protected override createStream(): Http2Stream {
    const stream = this.makeStream();
    this.streams.push(stream);
    return stream;
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    const goesOn = super.onBytes(bytes, start, end);
    this.isHeld = !goesOn;
    this.onChange();
    return goesOn;
  }

  protected override onFailed(error: Http2Error): void {
    this.failure = error;
    super.onFailed(error);
  }

  protected override onClosed(error: Error | undefined): void {
    super.onClosed(error);
    this.onChange();
  }
}
