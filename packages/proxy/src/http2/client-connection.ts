import type { Socket } from "node:net";
import { Http2Connection, type Http2Stream, type Timed } from "@lbbench/wire";
import type { HttpContext } from "../http/context.js";
import { ClientStream, type StreamOwner } from "./client-stream.js";
import { AnswerHeads } from "./stream-answer.js";

/** How long a client that is asked to end the connection may take to say that it knows. */
const GOAWAY_MS = 1000;

/** The connection of a client that speaks HTTP/2. Each of its streams is an exchange of its own. */
export class Http2ClientConnection extends Http2Connection implements StreamOwner, Timed {
  aliveTick = 0;
  place = -1;
  readonly remoteAddress: string | undefined;
  readonly answerHeads: AnswerHeads;
  readonly #context: HttpContext;
  readonly #onGone: (client: Http2ClientConnection) => void;
  readonly #streams: ClientStream[] = [];
  readonly #free: ClientStream[] = [];
  /** Streams whose heads have come with this read. */
  #beginning: ClientStream[] = [];
  #isEnding = false;

  constructor(socket: Socket, context: HttpContext, onGone: (client: Http2ClientConnection) => void) {
    super(socket, context.access, { role: "server", headerListBytes: listBytesOf(context.options.limits) });
    this.remoteAddress = socket.remoteAddress;
    this.answerHeads = new AnswerHeads(context.options.backendHeader);
    this.#context = context;
    this.#onGone = onGone;
    context.deadlines.watch(this);
  }

  /** Whether a request is under way. */
  get isBusy(): boolean {
    return this.openStreams > 0;
  }

  protected override createStream(): ClientStream {
    let stream = this.#free.pop();
    if (stream === undefined) {
      stream = new ClientStream(this.#context, this);
      this.#streams.push(stream);
    }
    return stream;
  }

  startSoon(stream: ClientStream): void {
    this.#beginning.push(stream);
  }

  onFree(stream: ClientStream): void {
    this.#free.push(stream);
  }

  override begin(memory: Buffer, early?: Buffer): void {
    super.begin(memory, early);
    this.#startBegun();
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    const goesOn = super.onBytes(bytes, start, end);
    if (this.#beginning.length > 0) this.#startBegun();
    return goesOn;
  }

  /** What has come of the bodies by now goes with the heads. */
  #startBegun(): void {
    const beginning = this.#beginning;
    this.#beginning = [];
    for (const stream of beginning) stream.exchange.start();
  }

  protected override onStreamEnded(stream: Http2Stream): void {
    this.aliveTick = this.#context.deadlines.tick;
    (stream as ClientStream).onOver();
  }

  /** Ends the connection when nothing is under way on it. The client is told to begin nothing more. */
  endIfIdle(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.aliveTick = this.#context.deadlines.tick;
    if (this.hasSettings) this.shutDown();
    else this.destroySoon();
  }

  /** Ends it and what is under way, because of what is said. */
  cut(what: string): void {
    for (const stream of this.#streams) stream.exchange.onClientGone(undefined, what);
    this.destroy();
  }

  protected override onClosed(error: Error | undefined): void {
    this.#context.deadlines.forget(this);
    super.onClosed(error);
    for (const stream of this.#streams) this.#context.deadlines.forget(stream);
    this.#onGone(this);
  }

  allowedMs(): number {
    // Streams have limits of their own.
    if (this.isBusy) return Infinity;
    if (this.#isEnding) return GOAWAY_MS;
    const { timeouts } = this.#context.options;
    return this.hasSettings ? timeouts.keepAliveMs : timeouts.headMs;
  }

  onLate(): void {
    if (this.#isEnding || this.blocked || !this.hasSettings) this.destroy();
    else this.endIfIdle();
  }
}

/** How long a list of fields may be so that each head fits that HTTP/1.1 would allow: a list counts 32 bytes more for each field. */
function listBytesOf({ headBytes, headLines }: HttpContext["options"]["limits"]): number {
  // A line takes four bytes at least.
  return headBytes + 32 * Math.min(headLines, Math.ceil(headBytes / 4));
}
