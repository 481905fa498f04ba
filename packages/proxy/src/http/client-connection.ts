import type { Socket } from "node:net";
import { BodyScan, Connection, PREFACE, type Timed } from "@lbbench/wire";
import type { Answer } from "./answer.js";
import type { AskedRequest } from "./asked-request.js";
import { ClientAnswer } from "./client-answer.js";
import { type Client, Exchange, type TunnelEnd } from "./exchange.js";
import type { HttpContext } from "./context.js";

/**
 * What a client's connection is read for: the head of a request; its body; nothing, while its answer is under way; what
 * goes through a tunnel; or nothing any more, while it is being closed.
 */
type State = "head" | "body" | "waiting" | "tunnel" | "lingering";

/** How long what a client still sends is read behind its last answer: with a reset it might never see that. */
const LINGER_MS = 1000;

/** From so much on what a client sends while it waits for an answer is left in the kernel. */
const AHEAD_BYTES = 65_536;

const END_OF_HEAD = "\r\n\r\n";

/** This much of the preface shows that a connection speaks HTTP/2; its reader checks the rest. */
const SIGN_OF_HTTP2 = PREFACE.slice(0, PREFACE.indexOf("\r"));

/** The connection of a client. Its requests are served one after the other, and no more of them is read ahead. */
export class ClientConnection extends Connection implements Client, Timed {
  aliveTick = 0;
  place = -1;
  readonly version = "1.1";
  readonly remoteAddress: string | undefined;
  readonly #context: HttpContext;
  readonly #exchange: Exchange;
  readonly #body = new BodyScan();
  readonly #onGone: (client: ClientConnection) => void;
  readonly #onHttp2: (client: ClientConnection, begun: Buffer) => void;
  #state: State = "head";
  /** What has come and cannot be read yet. */
  #kept: Buffer | undefined;
  /** A head that comes in pieces is looked at again when it has grown to this size, or has come to its end. */
  #nextLook = 0;
  #isReading = false;
  /** Nothing more is asked for until `proceed`. */
  #isPaused = false;
  #hasServed = false;

  /** `onHttp2`: the client speaks HTTP/2; the socket is free for what reads that, and `begun` has been read from it. */
  constructor(
    socket: Socket,
    context: HttpContext,
    onGone: (client: ClientConnection) => void,
    onHttp2: (client: ClientConnection, begun: Buffer) => void,
  ) {
    super(socket, context.access);
    this.remoteAddress = socket.remoteAddress;
    this.#context = context;
    this.#onGone = onGone;
    this.#onHttp2 = onHttp2;
    this.#exchange = new Exchange(context, this);
    context.deadlines.watch(this);
    this.attach(context.clientMemory);
  }

  answerTo(asked: AskedRequest): Answer {
    return new ClientAnswer(this.#context, this, asked);
  }

  /** Whether a request is under way. */
  get isBusy(): boolean {
    return this.#exchange.isUnderWay;
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    const kept = this.#kept;
    if (kept === undefined) return this.#read(bytes, start, end);
    const all = Buffer.concat([kept, bytes.subarray(start, end)]);
    this.#kept = undefined;
    return this.#read(all, 0, all.length);
  }

  /** Reads what can be read; false asks for nothing more for now. */
  #read(bytes: Buffer, start: number, end: number): boolean {
    let from = start;
    this.#isReading = true;
    // A client that cannot be answered is not read.
    while (from < end && from >= 0 && !this.broken) {
      if (this.#state === "head" && !this.blocked) from = this.#readHead(bytes, from, end);
      else if (this.#state === "body") from = this.#readBody(bytes, from, end);
      else if (this.#state === "lingering") break;
      else if (this.#state === "tunnel") {
        const goesOn = this.#exchange.tunnelToBackend(bytes, from, end);
        this.#isReading = false;
        return goesOn;
      } else {
        // It is read all the same, to notice that the client has gone away.
        this.#keep(bytes, from, end);
        from = end - from < AHEAD_BYTES && this.#state !== "head" ? end : -1;
      }
    }
    this.#isReading = false;
    this.#isPaused = from < 0;
    // What has come of the body by now goes with the head; where a backend takes it at once, more is asked for.
    this.#exchange.start();
    // A connection that reads no more is told when to go on, unless the request has been refused by now.
    return !this.#isPaused || (!this.isBusy && !this.blocked);
  }

  #keep(bytes: Buffer, from: number, end: number): void {
    this.#kept = Buffer.from(bytes.subarray(from, end));
  }

  #readHead(bytes: Buffer, from: number, end: number): number {
    const exchange = this.#exchange;
    const again = exchange.isRepeatedIn(bytes, from, end);
    if (again > 0) {
      exchange.beginAgain();
      this.#nextLook = 0;
      this.#state = "waiting";
      exchange.start();
      return again;
    }
    if (end - from < this.#nextLook && bytes.indexOf(END_OF_HEAD, from, "latin1") === -1) {
      this.#keep(bytes, from, end);
      return end;
    }
    const { requestHead } = this.#context;
    const next = requestHead.scan(bytes, from, end);
    if (next === 0) {
      if (this.#nextLook === 0) this.aliveTick = this.#context.deadlines.tick;
      this.#nextLook = 2 * (end - from);
      this.#keep(bytes, from, end);
      return end;
    }
    this.#nextLook = 0;
    if (next < 0) {
      if (!this.#hasServed && requestHead.status === 505 && this.#beginsHttp2(bytes, from, end)) return end;
      this.#state = "waiting";
      exchange.refuseHead(requestHead, bytes);
      return end;
    }
    this.#body.beginRequest(requestHead, "payload");
    this.#state = this.#body.done ? "waiting" : "body";
    exchange.begin(requestHead, bytes, next);
    if (this.#state === "waiting") exchange.start();
    return next;
  }

  /** Whether the first bytes of a connection are the preface of HTTP/2, as far as they have come: then others read on. */
  #beginsHttp2(bytes: Buffer, from: number, end: number): boolean {
    const begun = bytes.toString("latin1", from, Math.min(end, from + SIGN_OF_HTTP2.length));
    if (!SIGN_OF_HTTP2.startsWith(begun)) return false;
    if (begun.length < SIGN_OF_HTTP2.length) {
      this.#keep(bytes, from, end);
      return true;
    }
    this.#context.deadlines.forget(this);
    this.handOver();
    this.#onHttp2(this, Buffer.from(bytes.subarray(from, end)));
    return true;
  }

  /** Reads the body of a request, also when its answer is through already: it is then thrown away. */
  #readBody(bytes: Buffer, start: number, end: number): number {
    const exchange = this.#exchange;
    const body = this.#body;
    let goesOn = true;
    let from = start;
    while (from < end && !body.done) {
      const to = body.take(bytes, from, end);
      if (to < 0) {
        if (exchange.isUnderWay) exchange.spoilBody(body.reason);
        else this.#linger();
        return end;
      }
      if (to > from) goesOn = exchange.takeBody(bytes, from, to, body.payloadBytes);
      // It may have been too long: it is refused, or broken off where its answer has begun.
      if (this.#state !== "body" || this.closed) return end;
      from = body.next;
    }
    if (!exchange.isUnderWay) this.aliveTick = this.#context.deadlines.tick;
    if (body.done) {
      this.#state = exchange.isUnderWay ? "waiting" : "head";
      if (exchange.isUnderWay) exchange.endBody();
      // Here already: where it is refused at once the loop goes on, and does not call itself for each that follows.
      exchange.start();
      return from;
    }
    if (goesOn) return from;
    return -1;
  }

  proceed(): void {
    if (this.#isReading || this.closed) return;
    this.#isPaused = false;
    const kept = this.#kept;
    if (kept !== undefined) {
      this.#kept = undefined;
      if (!this.#read(kept, 0, kept.length)) return;
    }
    this.resume();
  }

  answered(closes: boolean): void {
    this.#hasServed = true;
    this.aliveTick = this.#context.deadlines.tick;
    if (closes || this.ended) {
      this.#linger();
      return;
    }
    if (this.#state === "waiting") this.#state = "head";
    if (this.#context.closing) this.endIfIdle(false);
    this.proceed();
  }

  openTunnel(): TunnelEnd {
    this.#state = "tunnel";
    this.proceed();
    return this;
  }

  abandon(how: "close" | "reset"): void {
    if (how === "reset") this.reset();
    else this.destroy();
  }

  #linger(): void {
    this.#kept = undefined;
    this.#state = "lingering";
    this.aliveTick = this.#context.deadlines.tick;
    if (this.ended) return this.destroySoon();
    this.end();
    this.resume();
  }

  /** Ends the connection if nothing is under way on it; `forced`: also if a request has begun to come. */
  endIfIdle(forced: boolean): void {
    if (!this.isBusy && this.#state !== "lingering" && (forced || this.#kept === undefined)) this.destroySoon();
  }

  /** A request that comes while the connection is being closed is not begun, so that it can be sent again. */
  override destroySoon(): void {
    this.#kept = undefined;
    this.#state = "lingering";
    super.destroySoon();
  }

  protected override onEnd(): void {
    const exchange = this.#exchange;
    if (exchange.isTunnel) exchange.endTunnelOf("client");
    // A client that ends the connection while an answer is under way no longer wants it: most servers read it so.
    else if (exchange.isUnderWay && !exchange.isAnswered) this.destroy();
    else if (!exchange.isUnderWay) this.destroySoon();
  }

  protected override onDrained(): void {
    if (this.isBusy) this.#exchange.onClientDrained();
    else this.proceed();
  }

  /** Ends it and what is under way, because of what is said. */
  cut(what: string): void {
    this.#exchange.onClientGone(undefined, what);
    this.destroy();
  }

  protected override onClosed(error: Error | undefined): void {
    this.#context.deadlines.forget(this);
    this.#kept = undefined;
    this.#exchange.onClientGone(error);
    this.#onGone(this);
  }

  allowedMs(): number {
    if (this.#exchange.isUnderWay) return this.#exchange.allowedMs();
    const { timeouts } = this.#context.options;
    if (this.#state === "lingering") return this.blocked ? timeouts.idleMs : LINGER_MS;
    if (this.#state === "body") return this.#exchange.isOverdue ? 0 : timeouts.idleMs;
    return this.#isSpeaking ? timeouts.headMs : timeouts.keepAliveMs;
  }

  onLate(): void {
    if (this.#exchange.isUnderWay) this.#exchange.onLate();
    else if (this.blocked) this.destroy();
    else if (this.#state === "head" && this.#isSpeaking) {
      this.#exchange.refuseUnread(408, "The head of the request did not come in time.");
    } else if (this.#state === "head") this.destroySoon();
    else this.destroy();
  }

  /** Whether a head is to be expected: the first one, or one of which a part has come. */
  get #isSpeaking(): boolean {
    return !this.#hasServed || this.#kept !== undefined;
  }
}
