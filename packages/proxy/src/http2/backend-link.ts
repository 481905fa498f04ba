import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import {
  type Fields,
  Gathered,
  HTTP2,
  Http2Connection,
  Http2Error,
  Http2Stream,
  nameHttp2Error,
  READ_BYTES,
  type StreamLoss,
  type Timed,
} from "@lbbench/wire";
import { fieldsOf, headOf, LONG_TRAILERS, trailersOf } from "../http/head-of-fields.js";
import { ConnectionLink } from "../http/connection-link.js";
import type { HttpContext } from "../http/context.js";
import { type Asker, type Attempt, type Failure, type Link, lossBy, UNASKED_SWITCH } from "../http/link.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ResolvedBackend } from "../options/resolve-options.js";
import { connectBackend, connectedEvent, shortageIn } from "../pool/connect-backend.js";

/** Requests that are on a connection at a time, however many the backend would take: what they may hold back is bounded. */
const MOST_STREAMS = 128;
/** The streams that a connection is thought to have until its backend has said how many. */
const USUAL_STREAMS = 100;
/** Heads of requests whose fields are remembered: those of one client are mostly the same. */
const HEADS_KEPT = 16;

/** What is offered where TLS lets the backend choose (ALPN). */
export const PROTOCOLS = ["h2", "http/1.1"];

const NOTHING: Buffer = Buffer.alloc(0);

const REMOVED = "was removed before the request had ended.";

/**
 * A way to a backend by HTTP/2. A request is a stream of a shared connection. Another connection is made if the present ones are
 * full. A connection is used once the backend's SETTINGS have come: before, neither its protocol nor its limits are known.
 */
export class Http2Link extends ConnectionLink<BackendConnection> implements Link {
  readonly #fields = new RequestFields(this.backend);
  /** Connections in use, in order of age. The first one with room is taken, so that surplus ones become idle. */
  readonly #usable: BackendConnection[] = [];
  /** Requests without a connection, first come, first served. */
  readonly #waiting = new Set<BackendStream>();
  #streamsEach = USUAL_STREAMS;

  send(asker: Asker, head: Buffer, isFresh: boolean): Attempt {
    const stream = new BackendStream(asker, this.#fields.of(head), isFresh, this);
    const connection = isFresh ? undefined : this.#findRoom();
    if (connection === undefined) {
      this.#waiting.add(stream);
      this.#connect();
    } else stream.give(connection);
    return stream;
  }

  #findRoom(): BackendConnection | undefined {
    for (const connection of this.#usable) if (connection.hasRoom) return connection;
    return undefined;
  }

  override async close(): Promise<void> {
    this.#refuse({ kind: "connect", what: REMOVED });
    await super.close();
  }

  get #connecting(): number {
    return this.all.size - this.#usable.length;
  }

  /** Makes as many connections as waiting requests fill. */
  #connect(): void {
    while (this.#waiting.size > this.#connecting * this.#streamsEach) {
      const options = { allowHalfOpen: true, protocols: PROTOCOLS };
      const socket = connectBackend(this.backend, this.context.options.backendTls, options);
      this.all.add(new BackendConnection(socket, this));
    }
  }

  /** Takes over a socket that is connected to the backend, which has chosen HTTP/2. */
  adopt(socket: Socket): void {
    this.all.add(new BackendConnection(socket, this, true));
  }

  onUsable(connection: BackendConnection): void {
    this.#usable.push(connection);
    this.#streamsEach = Math.max(1, Math.min(connection.maxStreams, MOST_STREAMS));
    this.#serve(connection, true);
    if (this.#waiting.size === 0) return;
    if (connection.openStreams > 0) this.#connect();
    else if (this.#connecting === 0) this.#refuse({ kind: "connect", what: "takes no requests over HTTP/2." });
  }

  onRoom(connection: BackendConnection): void {
    if (this.#waiting.size > 0) this.#serve(connection, false);
  }

  #serve(connection: BackendConnection, isNew: boolean): void {
    for (const stream of this.#waiting) {
      if (!connection.hasRoom) return;
      if (stream.isFresh && !isNew) continue;
      this.#waiting.delete(stream);
      stream.give(connection);
      stream.tellConnected();
    }
  }

  onGivenUp(stream: BackendStream): void {
    this.#waiting.delete(stream);
  }

  /** A connection is closed; `refusal` says why it has never been of use. */
  onGone(connection: BackendConnection, refusal: Failure | undefined): void {
    const at = this.#usable.indexOf(connection);
    if (at >= 0) this.#usable.splice(at, 1);
    this.all.delete(connection);
    if (refusal !== undefined && this.#connecting === 0) this.#refuse(refusal);
    // A request that was refused may have been put to this link once more.
    this.forget(connection);
  }

  #refuse(refusal: Failure): void {
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const stream of refused) stream.lose(refusal);
  }
}

/** A connection to a backend, with all the requests that are under way on it. */
class BackendConnection extends Http2Connection implements Timed {
  aliveTick = 0;
  place = -1;
  hasServed = false;
  readonly #context: HttpContext;
  readonly #owner: Http2Link;
  #isConnected = false;
  #isUsable = false;
  #isRemoved = false;
  /** It is asked for a sign of life. */
  #isAsked = false;
  /** How the backend broke HTTP/2. */
  #offence: Http2Error | undefined;
  #isLate = false;
  /** It does not choose HTTP/2 any more. */
  #hasChosenOther = false;
  /** Streams whose answer has begun, but for its body. */
  readonly #begun: BackendStream[] = [];
  #headFields: Fields | undefined;
  /** Whether the head that was made last is one of gRPC, and the status in it and in the trailers that were made last; -1 without one. */
  headIsGrpc = false;
  headGrpcStatus = -1;
  trailersGrpcStatus = -1;
  #headEnds = false;
  #headIsToHead = false;
  #head = NOTHING;
  #trailerFields: Fields | undefined;
  #trailers: string | undefined = "";

  constructor(socket: Socket, owner: Http2Link, isConnected = false) {
    const { context, backend } = owner;
    super(socket, context.access, {
      role: "client",
      maxConcurrentStreams: MOST_STREAMS,
      // Each field is counted with 32 bytes more than its texts.
      headerListBytes: context.options.limits.headBytes * 2,
    });
    this.#context = context;
    this.#owner = owner;
    context.deadlines.watch(this);
    if (isConnected) this.#speak();
    else socket.once(connectedEvent(backend), () => !this.closed && this.#speak());
  }

  #speak(): void {
    this.#isConnected = true;
    const { alpnProtocol = "h2" } = this.socket as Socket & { readonly alpnProtocol?: string | false };
    this.#hasChosenOther = alpnProtocol !== "h2";
    if (this.#hasChosenOther) this.destroy();
    else this.begin(Buffer.allocUnsafeSlow(READ_BYTES));
  }

  /** Whether a request can be sent on it now. */
  get hasRoom(): boolean {
    return this.openStreams < MOST_STREAMS && this.canOpen;
  }

  /** The backend was removed. */
  remove(): void {
    this.#isRemoved = true;
    if (this.#endsAtOnce) this.shutDown();
    else this.reset();
  }

  /** Whether `shutDown` ends it without waiting for the backend to read. */
  get #endsAtOnce(): boolean {
    return this.#isUsable && this.openStreams === 0 && this.canOpen && !this.blocked;
  }

  /** What a stream has sent has had no answer for long: it may be the connection that is dead. */
  askForLife(): void {
    if (this.#isAsked || this.closed) return;
    this.#isAsked = true;
    this.aliveTick = this.#context.deadlines.tick;
    this.ping(() => (this.#isAsked = false));
  }

  /** The head of an answer as HTTP/1.1 has it; `ends`: nothing comes behind it, to a request of that method. */
  headOf(fields: Fields, ends: boolean, method: string): Buffer {
    const isToHead = method === "HEAD";
    // Repeated fields are one object.
    if (fields !== this.#headFields || ends !== this.#headEnds || isToHead !== this.#headIsToHead) {
      const status = fields[1] as string;
      const framing = framingOf(fields, ends, method);
      this.#head = headOf(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}${framing}`, fields, 2);
      this.#headFields = fields;
      this.#headEnds = ends;
      this.#headIsToHead = isToHead;
      this.headIsGrpc = valueOf(fields, "content-type").startsWith("application/grpc");
      this.headGrpcStatus = grpcStatusIn(fields);
    }
    return this.#head;
  }

  /** Trailers of an answer as HTTP/1.1 has them; `undefined`: they are too long. */
  trailersOf(fields: Fields | undefined): string | undefined {
    if (fields === undefined) return "";
    if (fields !== this.#trailerFields) {
      this.#trailers = trailersOf(fields);
      this.trailersGrpcStatus = grpcStatusIn(fields);
      this.#trailerFields = fields;
    }
    return this.#trailers;
  }

  /** The answer of a stream has begun; its head goes out with what comes of its body in the same piece. */
  noteBegun(stream: BackendStream): void {
    this.#begun.push(stream);
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    const goesOn = super.onBytes(bytes, start, end);
    const begun = this.#begun;
    if (begun.length > 0) {
      for (const stream of begun) stream.sendBegun();
      begun.length = 0;
    }
    return goesOn;
  }

  protected override onSettings(): void {
    if (this.#isUsable) return this.#owner.onRoom(this);
    this.#isUsable = true;
    this.aliveTick = this.#context.deadlines.tick;
    this.#owner.onUsable(this);
  }

  protected override onGoaway(): void {
    // It closes when the last of its streams has ended.
    this.shutDown();
  }

  protected override onStreamEnded(): void {
    if (!this.#isAsked) this.aliveTick = this.#context.deadlines.tick;
    this.#owner.onRoom(this);
  }

  protected override onFailed(error: Http2Error): void {
    this.#offence = error;
    super.onFailed(error);
  }

  protected override onClosed(error: Error | undefined): void {
    this.#context.deadlines.forget(this);
    super.onClosed(error);
    this.#owner.onGone(this, this.#isUsable ? undefined : this.#refusalBy(error));
  }

  #refusalBy(error: Error | undefined): Failure {
    const { connectMs } = this.#context.options.timeouts;
    const shortage = this.#isConnected ? undefined : shortageIn(error);
    if (shortage !== undefined) return { kind: "short", what: shortage };
    if (this.#isRemoved) return { kind: "connect", what: REMOVED };
    if (this.#isLate) {
      return { kind: "connect", what: `could not be connected to within ${connectMs} ms.`, status: 504 };
    }
    if (this.#hasChosenOther) return { kind: "unprocessed", what: "speaks HTTP/2 no more." };
    if (this.#offence !== undefined) {
      return { kind: "connect", what: `does not speak HTTP/2: ${this.#offence.message}.` };
    }
    // A shortage was looked for above: of a connection that had been made none is told.
    return { ...lossBy(error, "asked"), kind: "connect" };
  }

  /** How a stream is lost that the connection took with it. */
  lossOfStream(error: Error | undefined, hasAnswered: boolean): Failure {
    if (this.#isRemoved) return { kind: "broken", what: REMOVED };
    const isStale = this.hasServed && !hasAnswered;
    if (this.#isLate) {
      const { connectMs } = this.#context.options.timeouts;
      return { kind: isStale ? "stale" : "broken", what: `gave no sign of life for ${connectMs} ms.` };
    }
    if (error instanceof Http2Error) {
      return lossBy(new Error(`it broke HTTP/2: ${error.message}`), hasAnswered ? "answering" : "asked");
    }
    return lossBy(error, hasAnswered ? "answering" : isStale ? "kept" : "asked");
  }

  allowedMs(): number {
    if (!this.#isUsable || this.#isAsked) return this.#context.options.timeouts.connectMs;
    return this.openStreams === 0 ? BALANCER_DEFAULTS.backendIdleMs : Infinity;
  }

  onLate(): void {
    this.#isLate = true;
    if (this.#endsAtOnce && !this.#isAsked) this.shutDown();
    else this.destroy();
  }
}

/** One attempt: a stream, as soon as there is a connection for it. */
class BackendStream extends Http2Stream implements Attempt {
  isConnected = false;
  /** Whether it needs a new connection. */
  readonly isFresh: boolean;
  readonly #owner: Http2Link;
  readonly #fields: Fields;
  #asker: Asker | undefined;
  #place: BackendConnection | undefined;
  #startedMs = 0;
  #receivedBefore = 0;
  #hasAnswered = false;
  #isGrpc = false;
  #grpcStatus = -1;
  #mayHaveBody = true;
  /** The head of the answer has come, but the client has not got it. */
  #isHeadUnsent = false;
  /** The client has not taken what it was sent. */
  #isHeld = false;
  /** Bytes that the client was sent and has not taken. */
  #heldBytes = 0;
  /** What has come since then. */
  #kept: Gathered | undefined;
  #hasAll = false;
  #trailers = "";

  constructor(asker: Asker, fields: Fields, isFresh: boolean, owner: Http2Link) {
    super();
    this.#asker = asker;
    this.#fields = fields;
    this.isFresh = isFresh;
    this.#owner = owner;
  }

  /** It has a connection with room for it, and is started before anything else is. */
  give(connection: BackendConnection): void {
    this.#place = connection;
    this.isConnected = true;
  }

  tellConnected(): void {
    this.#asker?.onConnected();
  }

  lose(failure: Failure): void {
    const asker = this.#asker;
    this.#asker = undefined;
    asker?.lose(failure);
  }

  start(first: Buffer | undefined): void {
    const asker = this.#asker as Asker;
    const place = this.#place as BackendConnection;
    this.#startedMs = performance.now();
    this.#receivedBefore = place.receivedBytes;
    place.open(this, this.#fields, !asker.hasBody);
    if (first !== undefined) this.writeData(first, false);
  }

  sendBody(piece: Buffer): void {
    this.writeData(piece, false);
  }

  endBody(trailers: string): void {
    this.writeEnd(trailers === "" ? undefined : fieldsOf(trailers));
  }

  /** The client has taken what it was sent. */
  resume(): void {
    const asker = this.#asker;
    if (asker === undefined || !this.#isHeld) return;
    const kept = this.#kept;
    const taken = this.#heldBytes;
    this.#isHeld = false;
    this.#heldBytes = 0;
    if (kept !== undefined) {
      this.#kept = undefined;
      this.#pass(asker, kept.view());
    }
    if (this.#isHeadUnsent) this.sendBegun();
    // More of it may come only now.
    this.consume(taken);
    if (this.#hasAll) this.#complete(asker);
  }

  release(): void {
    this.#asker = undefined;
    // The backend has no use for the rest of the request, nor perhaps a window for it.
    this.reset(HTTP2.CANCEL);
  }

  abandon(): void {
    this.#asker = undefined;
    const place = this.#place;
    if (place === undefined || this.id === 0) return this.#owner.onGivenUp(this);
    if (this.isOver) return;
    const isSilent = place.receivedBytes === this.#receivedBefore;
    const { connectMs } = this.#owner.context.options.timeouts;
    if (isSilent && performance.now() - this.#startedMs >= connectMs) place.askForLife();
    this.reset(HTTP2.CANCEL);
  }

  /** A stream has no upgrade, and so no tunnel. */
  end(): void {}

  onHead(fields: Fields, ends: boolean): void {
    const asker = this.#asker;
    const place = this.#place;
    if (asker === undefined || place === undefined) return;
    const { answerHead } = this.#owner.context;
    const bytes = place.headOf(fields, ends, asker.method);
    const end = answerHead.scan(bytes, 0, bytes.length);
    if (end <= 0) return this.#spoil(`sent an answer ${end < 0 ? answerHead.reason : "that is no HTTP"}.`);
    const { status } = answerHead;
    if (status === 101) return this.#spoil(UNASKED_SWITCH.what);
    if (status < 200) {
      if (!asker.interim(answerHead, bytes, end)) this.#isHeld = true;
      return;
    }
    this.#hasAnswered = true;
    place.hasServed = true;
    this.#isGrpc = place.headIsGrpc;
    // An answer without a message has its status in the head.
    if (this.#isGrpc) this.#grpcStatus = place.headGrpcStatus;
    this.#mayHaveBody = mayHaveBody(status, asker.method);
    asker.openAnswer(answerHead, bytes, end, undefined);
    if (ends) return;
    this.#isHeadUnsent = true;
    place.noteBegun(this);
  }

  /** Sends the head of the answer, where nothing of its body has come with it. */
  sendBegun(): void {
    const asker = this.#asker;
    if (asker === undefined || !this.#isHeadUnsent || this.#isHeld) return;
    this.#isHeadUnsent = false;
    if (!asker.write(NOTHING)) this.#isHeld = true;
  }

  onData(bytes: Buffer, from: number, to: number): void {
    const asker = this.#asker;
    if (asker === undefined) return;
    if (!this.#mayHaveBody)
      return this.#spoil("sent an answer that cannot be passed on: it has a body and may have none.");
    if (this.#isHeld) (this.#kept ??= new Gathered()).append(bytes, from, to);
    // The client's connection may write it later, when its memory is used again.
    else this.#pass(asker, Buffer.from(bytes.subarray(from, to)));
  }

  #pass(asker: Asker, piece: Buffer): void {
    this.#isHeadUnsent = false;
    asker.bodyBytes += piece.length;
    if (asker.write(piece)) this.consume(piece.length);
    else {
      this.#isHeld = true;
      this.#heldBytes = piece.length;
    }
  }

  onEnd(trailers: Fields | undefined): void {
    const asker = this.#asker;
    if (asker === undefined) return;
    const place = this.#place as BackendConnection;
    const passed = place.trailersOf(trailers);
    if (passed === undefined) return this.#spoil(`sent an answer whose body cannot be read: ${LONG_TRAILERS}.`);
    this.#trailers = passed;
    if (this.#isGrpc && trailers !== undefined) this.#grpcStatus = place.trailersGrpcStatus;
    if (this.#kept === undefined) this.#complete(asker);
    else this.#hasAll = true;
  }

  #complete(asker: Asker): void {
    this.#asker = undefined;
    asker.grpcStatus = this.#grpcStatus;
    asker.endAnswer(this.#trailers, false, true);
  }

  onDrained(): void {
    this.#asker?.onBackendDrained();
  }

  onLost(loss: StreamLoss): void {
    // A complete answer is passed on.
    if (this.#hasAll) return;
    this.lose(this.#failureBy(loss));
  }

  #failureBy(loss: StreamLoss): Failure {
    switch (loss.kind) {
      case "unprocessed":
        return {
          kind: "unprocessed",
          what: "did not answer: it ended the connection before it began with the request.",
        };
      case "malformed":
        return { kind: "invalid", what: `sent an answer that is no HTTP: ${loss.why}.` };
      case "closed":
        return (this.#place as BackendConnection).lossOfStream(loss.error, this.#hasAnswered);
      case "reset": {
        const name = nameHttp2Error(loss.code);
        if (this.#hasAnswered)
          return { kind: "broken", what: `reset the stream before its answer was complete: ${name}` };
        const kind = loss.code === HTTP2.REFUSED_STREAM ? "unprocessed" : "broken";
        return { kind, what: `did not answer: it reset the stream: ${name}` };
      }
    }
  }

  #spoil(what: string): void {
    this.reset(HTTP2.PROTOCOL_ERROR);
    this.lose({ kind: "invalid", what });
  }
}

/** Whether an answer may have a body (RFC 9110, 6.4.1). */
function mayHaveBody(status: number, method: string): boolean {
  return method !== "HEAD" && status !== 204 && status !== 304;
}

/** The first value of a field; "" without one. */
function valueOf(fields: Fields, name: string): string {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1] as string;
  return "";
}

/** Status of gRPC; -1 for none. */
function grpcStatusIn(fields: Fields): number {
  const value = valueOf(fields, "grpc-status");
  return /^\d{1,3}$/.test(value) ? Number(value) : -1;
}

/** What has to be added to the head of an answer for HTTP/1.1: where it says no length its stream tells its end. */
function framingOf(fields: Fields, ends: boolean, method: string): string {
  const status = Number(fields[1]);
  if (status < 200 || !mayHaveBody(status, method)) return "";
  if (valueOf(fields, "content-length") !== "") return "";
  return ends ? "\r\nContent-Length: 0" : "\r\nTransfer-Encoding: chunked";
}

/** Headers of HTTP/1.1 that have another form in HTTP/2, or belong to one connection (RFC 9113, 8.2.2). */
const NOT_SENT: ReadonlySet<string> = new Set([
  "host",
  "te",
  "connection",
  "upgrade",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "http2-settings",
]);

/** Makes the fields of requests from heads of HTTP/1.1; those of the same head are the same object, which packs well. */
class RequestFields {
  readonly #scheme: string;
  readonly #known: { readonly head: Buffer; readonly fields: Fields }[] = [];
  #next = 0;

  constructor({ secure }: ResolvedBackend) {
    this.#scheme = secure ? "https" : "http";
  }

  of(head: Buffer): Fields {
    for (const known of this.#known) {
      if (known.head === head || (known.head.length === head.length && known.head.equals(head))) return known.fields;
    }
    const fields = this.#make(head.toString("latin1"));
    this.#known[this.#next] = { head, fields };
    this.#next = (this.#next + 1) % HEADS_KEPT;
    return fields;
  }

  #make(head: string): Fields {
    const lineEnd = head.indexOf("\r\n");
    const [method = "", path = ""] = head.slice(0, lineEnd).split(" ");
    let authority = "";
    let takesTrailers = false;
    const others: string[] = [];
    // Without the empty line at the end.
    const all = fieldsOf(head.slice(lineEnd + 2, head.lastIndexOf("\r\n")));
    for (let at = 0; at < all.length; at += 2) {
      const name = all[at] as string;
      const value = all[at + 1] as string;
      if (name === "host") authority = value;
      // gRPC tells by it whether something in between loses its trailers: those of answers are passed on here.
      if (name === "te") takesTrailers ||= /(?:^|[\s,])trailers(?:$|[\s,;])/i.test(value);
      if (name === "content-type") takesTrailers ||= value.startsWith("application/grpc");
      if (!NOT_SENT.has(name)) others.push(name, value);
    }
    const fields = [":method", method, ":scheme", this.#scheme];
    if (authority !== "") fields.push(":authority", authority);
    fields.push(":path", path, ...others);
    if (takesTrailers) fields.push("te", "trailers");
    return fields;
  }
}
