import { type Fields, HTTP2, Http2Stream, type StreamLoss, type Timed } from "@lbbench/wire";
import type { Answer } from "../http/answer.js";
import type { AskedRequest } from "../http/asked-request.js";
import { type Client, Exchange } from "../http/exchange.js";
import { LONG_TRAILERS, trailersOf } from "../http/head-of-fields.js";
import type { HttpContext } from "../http/context.js";
import { requestHeadOf } from "./request-head.js";
import { type AnswerHeads, StreamAnswer } from "./stream-answer.js";

const CANCELLED = "The client reset the stream of the request.";

/** What a stream needs of its connection. */
export interface StreamOwner {
  readonly remoteAddress: string | undefined;
  readonly answerHeads: AnswerHeads;
  /** Calls `start` of its exchange when what has come by now has been read. */
  readonly startSoon: (stream: ClientStream) => void;
  /** The stream is over, and its exchange, too: it may stand for another one. */
  readonly onFree: (stream: ClientStream) => void;
}

/** A stream of a client that speaks HTTP/2: one exchange. It then serves for other streams of its connection. */
export class ClientStream extends Http2Stream implements Client, Timed {
  aliveTick = 0;
  place = -1;
  readonly version = "2.0";
  readonly exchange: Exchange;
  readonly #context: HttpContext;
  readonly #owner: StreamOwner;
  /** The head of the last request, and whether that had no body. */
  #fields: Fields | undefined;
  #hadNoBody = false;
  #bodyBytes = 0;
  /** Bytes of the body for which the client has not been given room again. */
  #owedBytes = 0;
  #isWhole = false;
  /** The request is answered, before it has come whole: it is reset when the client has the answer. */
  #isLeftOut = false;
  #isFree = true;

  constructor(context: HttpContext, owner: StreamOwner) {
    super();
    this.#context = context;
    this.#owner = owner;
    this.exchange = new Exchange(context, this);
    context.deadlines.watch(this);
  }

  get remoteAddress(): string | undefined {
    return this.#owner.remoteAddress;
  }

  answerTo(asked: AskedRequest): Answer {
    return new StreamAnswer(this.#context, this, asked, this.#owner.answerHeads);
  }

  override begin(...of: Parameters<Http2Stream["begin"]>): void {
    super.begin(...of);
    this.#bodyBytes = 0;
    this.#owedBytes = 0;
    this.#isWhole = false;
    this.#isLeftOut = false;
    this.#isFree = false;
  }

  override onHead(fields: Fields, ends: boolean): void {
    const exchange = this.exchange;
    this.#isWhole = ends;
    if (fields === this.#fields && ends === this.#hadNoBody && exchange.isRepeatable) exchange.beginAgain();
    else {
      const { requestHead } = this.#context;
      const head = Buffer.from(requestHeadOf(fields, ends), "latin1");
      this.#fields = fields;
      this.#hadNoBody = ends;
      const end = requestHead.scan(head, 0, head.length);
      if (end === head.length) exchange.begin(requestHead, head, end);
      else exchange.refuseHead(requestHead, head);
    }
    if (ends) exchange.start();
    else this.#owner.startSoon(this);
  }

  override onHeadTooLarge(): void {
    const { headBytes } = this.#context.options.limits;
    this.#fields = undefined;
    this.#isWhole = this.hasReceivedEnd;
    this.exchange.refuseUnread(431, `The request cannot be read: its head is longer than ${headBytes} bytes.`);
  }

  override onData(bytes: Buffer, from: number, to: number): void {
    this.#bodyBytes += to - from;
    this.#owedBytes += to - from;
    if (this.exchange.takeBody(bytes, from, to, this.#bodyBytes)) this.proceed();
  }

  override onEnd(trailers: Fields | undefined): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    const exchange = this.exchange;
    if (!exchange.isUnderWay) return;
    const passed = trailers === undefined ? "" : this.#passedOf(trailers);
    if (passed === undefined) return exchange.spoilBody(LONG_TRAILERS);
    exchange.endBody(passed);
    exchange.start();
  }

  /** Trailers that may be passed on: some servers take them for headers, among which those of the balancer are not the client's to say. */
  #passedOf(trailers: Fields): string | undefined {
    const kept: string[] = [];
    for (let at = 0; at < trailers.length; at += 2) {
      const name = trailers[at] as string;
      if (!this.#context.ownNames.has(name)) kept.push(name, trailers[at + 1] as string);
    }
    return trailersOf(kept);
  }

  override onDrained(): void {
    if (this.exchange.isUnderWay) this.exchange.onClientDrained();
    else if (this.#isLeftOut) this.reset(HTTP2.NO_ERROR);
  }

  override onLost(loss: StreamLoss): void {
    const exchange = this.exchange;
    if (loss.kind === "reset") exchange.onClientGone(undefined, CANCELLED);
    else if (loss.kind === "malformed") exchange.onClientGone(undefined, `The request cannot be read: ${loss.why}.`);
    else exchange.onClientGone(undefined);
    this.onOver();
  }

  proceed(): void {
    const bytes = this.#owedBytes;
    this.#owedBytes = 0;
    if (bytes > 0) this.consume(bytes);
  }

  answered(): void {
    // What is still to come of the request is not wanted (RFC 9113, 8.1).
    if (!this.#isWhole) {
      this.#isLeftOut = true;
      if (!this.blocked) this.reset(HTTP2.NO_ERROR);
    }
    this.onOver();
  }

  abandon(): void {
    this.reset(HTTP2.INTERNAL_ERROR);
    this.exchange.onClientGone(undefined);
    this.onOver();
  }

  /** Never called: a request of HTTP/2 asks for no other protocol. */
  openTunnel(): undefined {
    return undefined;
  }

  /** Called when the stream is over; it may be called again. */
  onOver(): void {
    if (this.#isFree || !this.isOver || this.exchange.isUnderWay) return;
    this.#isFree = true;
    this.#owner.onFree(this);
  }

  allowedMs(): number {
    if (this.exchange.isUnderWay) return this.exchange.allowedMs();
    return this.isOver ? Infinity : this.#context.options.timeouts.idleMs;
  }

  onLate(): void {
    if (this.exchange.isUnderWay) this.exchange.onLate();
    else this.reset(HTTP2.INTERNAL_ERROR);
  }
}
