import type { IncomingHttpHeaders } from "node:http";
import type { AnswerHead, BodyScan, Connection, RequestHead } from "@lbbench/wire";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { PolicyRequest } from "../policies/policy.js";
import { describeError } from "../pool/connect-backend.js";
import type { Handed, Upstream, Waiter } from "../pool/upstream.js";
import type { Answer } from "./answer.js";
import { AskedRequest } from "./asked-request.js";
import type { HttpContext } from "./context.js";
import type { Asker, Attempt, Failure, Link } from "./link.js";
import { OutgoingHeads, forBackend } from "./outgoing-head.js";
import { RequestBody } from "./request-body.js";
import { RequestTimes } from "./request-times.js";

/** What an exchange waits for; `tunnel`: for both sides to end what they speak after an upgrade. */
type Phase = "none" | "begun" | "queue" | "connection" | "sending" | "head" | "answer" | "draining" | "tunnel";

/** How long a phase may be without a sign of life, where that is not `idleMs`. In the phase "none" no time counts: see `isUnderWay`. */
const LIMITS: Readonly<Partial<Record<Phase, keyof ResolvedOptions["timeouts"]>>> = {
  queue: "queueMs",
  connection: "connectMs",
  head: "responseMs",
  tunnel: "tunnelIdleMs",
};

/** Methods that may be sent twice with the same effect as once (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

const NOTHING: Buffer = Buffer.alloc(0);
const GONE = "The client closed the connection.";
const NO_BACKEND = "No backend is available.";

/** What a client is told of a request that failed, where it is not told of the backend. */
const WITHOUT_DETAILS: ReadonlyMap<number, string> = new Map([
  [500, "The balancer could not choose a backend."],
  [502, "The backend gave no complete answer."],
  [503, "No connection to a backend was free."],
  [504, "The backend did not answer in time."],
]);

/** What an exchange needs of a client's connection that has become one end of a tunnel. */
export type TunnelEnd = Pick<Connection, "ended" | "writeBytes" | "end" | "destroySoon">;

/** What an exchange needs of its client: a connection, or a stream of one. */
export interface Client {
  aliveTick: number;
  /** The version of HTTP that the client speaks: of a connection with requests of 1.0 it is 1.1. */
  readonly version: "1.1" | "2.0";
  readonly remoteAddress: string | undefined;
  /** The client has not taken all that was written to it. Once it has, `onClientDrained` is called. */
  readonly blocked: boolean;
  /** What an answer to this client is written by. Called once. */
  readonly answerTo: (asked: AskedRequest) => Answer;
  /** Goes on reading, where it was asked to wait. */
  readonly proceed: () => void;
  /** All of the answer to the request has been written; `closes` ends the connection, where that serves one request at a time. */
  readonly answered: (closes: boolean) => void;
  /** Ends what is under way before its end, so that the client knows it: by closing it, or with a reset. */
  readonly abandon: (how: "close" | "reset") => void;
  /** From now on all bytes of the client go to the backend. `undefined`: this client cannot become one end of a tunnel. */
  readonly openTunnel: () => TunnelEnd | undefined;
}

/**
 * One request of a client and what becomes of it, from its head until its answer is with the client or one of them is
 * gone: a backend is picked, queued for, sent the request, asked again elsewhere; its answer is passed on, counted and
 * logged. A client's connection of HTTP/1.1 has one exchange, which serves its requests one after the other.
 */
export class Exchange implements Waiter, Handed, PolicyRequest, Asker {
  readonly #context: HttpContext;
  readonly #client: Client;
  readonly #outgoing: OutgoingHeads;
  #phase: Phase = "none";

  // What was asked.
  readonly #asked: AskedRequest;
  #head = NOTHING;
  readonly #body = new RequestBody();
  /** The client waits for a 100 before it sends the body. */
  #awaitsContinue = false;
  /** Whether `beginAgain` may be called for a request whose head, and whose kind of body, is known to be that of the last one. */
  isRepeatable = false;
  #startedMs = 0;
  #startedAt = 0;

  // Where it goes.
  #upstream: Upstream<Link> | undefined;
  #attempt: Attempt | undefined;
  /** Whether the attempt is on a connection that was made for it, since another one had failed. */
  #isAfresh = false;
  #tried: Upstream<Link>[] | undefined;
  handedMs = 0;
  waitedMs: number | undefined;
  /** `undefined` where answers do not tell them. */
  readonly #times: RequestTimes | undefined;

  // The answer.
  readonly #answer: Answer;
  #tunnel: TunnelEnd | undefined;
  #isKept = false;
  #backendHasEnded = false;
  bodyBytes = 0;
  grpcStatus = -1;

  constructor(context: HttpContext, client: Client) {
    this.#context = context;
    this.#client = client;
    this.#outgoing = new OutgoingHeads(context, client.remoteAddress, client.version);
    this.#asked = new AskedRequest(context.requestHead);
    this.#answer = client.answerTo(this.#asked);
    this.#times = context.options.serverTiming ? new RequestTimes() : undefined;
  }

  get isUnderWay(): boolean {
    return this.#phase !== "none";
  }

  /** Whether the connection to the backend has become a part of a tunnel. */
  get isTunnel(): boolean {
    return this.#phase === "tunnel";
  }

  /** Whether all of the answer has been written, and only the client has not taken it yet. */
  get isAnswered(): boolean {
    return this.#phase === "draining";
  }

  get hasBody(): boolean {
    return this.#body.length !== 0;
  }

  get isChunked(): boolean {
    return this.#body.length === -1;
  }

  // What policies see.

  get isRetry(): boolean {
    return this.#tried !== undefined;
  }

  get method(): string {
    return this.#asked.method;
  }

  get upgrade(): string {
    return this.#asked.upgrade;
  }

  get url(): string {
    return this.#asked.url;
  }

  get headers(): IncomingHttpHeaders {
    return this.#asked.headers;
  }

  get socket(): { readonly remoteAddress?: string | undefined } {
    return this.#client;
  }

  // The request, as it comes from the client.

  /** Where a head ends that is the same as the last one, or 0. */
  isRepeatedIn(bytes: Buffer, from: number, end: number): number {
    return this.#asked.isRepeatedIn(bytes, from, end);
  }

  /** Begins a request whose head has been read from `bytes`, up to `end`. It may be answered at once. */
  begin(head: RequestHead, bytes: Buffer, end: number): void {
    const asked = this.#asked;
    const { limits, expect } = this.#context.options;
    asked.keep(head, bytes, end);
    this.#body.length = head.chunked ? -1 : Math.max(head.contentLength, 0);
    this.isRepeatable = !asked.isOfServer && !head.expectsContinue && this.#body.length <= limits.bodyBytes;
    if (asked.isOfServer) {
      this.beginAgain();
      if (asked.method !== "OPTIONS") return this.#refuse(400, "Only OPTIONS may ask for *.", true);
      this.#phase = "none";
      this.#answer.status = 204;
      this.#log(undefined, undefined);
      return this.#answerOwn(204, "", "", false);
    }
    this.#head = this.#outgoing.make(head, bytes);
    this.beginAgain();
    if (!this.hasBody) return;
    this.#awaitsContinue = head.expectsContinue;
    if (this.#body.length > limits.bodyBytes) this.#refuseLongBody();
    else if (this.#awaitsContinue && expect === "answer") {
      if (this.#context.pool.upstreams.some(({ available }) => available)) this.#sayContinue();
      else this.#refuse(503, NO_BACKEND, false);
    }
  }

  #sayContinue(): boolean {
    this.#awaitsContinue = false;
    this.#body.watchRate(performance.now());
    // Another limit holds from now on.
    this.#touch();
    return this.#answer.sayContinue();
  }

  /** Whether the client has not been sent the 100 that it waits for: once it has an answer it may leave the body out, or send it. */
  get #mayLeaveBodyOut(): boolean {
    return this.#awaitsContinue && this.#body.receivedBytes === 0;
  }

  /** Refuses a request with an unreadable head, of which part was read. */
  refuseHead(head: RequestHead, bytes: Buffer): void {
    this.#asked.keepRefused(head, bytes);
    this.#refuseAtOnce(head.status, head.reason);
  }

  refuseUnread(status: number, reason: string): void {
    if (this.isUnderWay && !this.#takeBack(reason)) return;
    this.#asked.keepUnread();
    this.#refuseAtOnce(status, reason);
  }

  #refuseAtOnce(status: number, reason: string): void {
    this.#body.length = 0;
    this.isRepeatable = false;
    this.beginAgain();
    this.#refuse(status, reason, true);
  }

  /** Begins a request with the same head as the last one. */
  beginAgain(): void {
    this.#phase = "begun";
    this.#startedMs = performance.now();
    this.handedMs = this.#startedMs;
    this.#times?.begin(this.#startedMs);
    if (this.#context.options.onRequest !== undefined) this.#startedAt = Date.now();
    this.#body.begin(this.#startedMs);
    this.#awaitsContinue = false;
    this.#tried = undefined;
    this.#answer.begin();
    this.bodyBytes = 0;
    this.grpcStatus = -1;
  }

  /** Sets out: the head has come, and as much of the body as came with it. */
  start(): void {
    if (this.#phase === "begun") this.#findBackend();
  }

  /**
   * Takes a piece of the request's body, of which `total` bytes have come with it; false asks the client's connection to
   * wait with the next one. Where the request has been answered by now it is thrown away.
   */
  takeBody(bytes: Buffer, from: number, to: number, total: number): boolean {
    const { limits } = this.#context.options;
    const body = this.#body;
    if (this.#mayLeaveBodyOut) body.watchRate(performance.now());
    body.receivedBytes = total;
    if (!this.isUnderWay) return true;
    if (total > limits.bodyBytes) {
      this.#refuseLongBody();
      return true;
    }
    body.take(bytes, from, to, limits.bufferBytes);
    // It has no receiver yet.
    let goesOn = total <= limits.bufferBytes;
    if (this.#attempt?.isConnected === true) {
      this.#touch();
      goesOn = this.#pump();
    }
    if (!goesOn) body.wait(performance.now());
    return goesOn;
  }

  /** All of the request's body has come; `trailers`: lines behind it, each with its line end. */
  endBody(trailers = ""): void {
    this.#body.isWhole = true;
    this.#body.trailers = trailers;
    if (this.#attempt?.isConnected === true) this.#pump();
  }

  spoilBody(reason: string): void {
    this.#refuseSpoilt(400, `The body of the request cannot be read: ${reason}.`);
  }

  // The backend.

  #findBackend(): void {
    const { pool } = this.#context;
    let upstream: Upstream<Link> | undefined;
    try {
      upstream = pool.pick(this, this.#tried, this.#mayRepeat);
    } catch (error) {
      return this.#refuse(500, describeError(error), false);
    }
    if (upstream === undefined) this.#refuse(503, NO_BACKEND, false);
    else this.#give(upstream);
  }

  #give(upstream: Upstream<Link>): void {
    this.#upstream = upstream;
    upstream.begin(this, this.#tried !== undefined);
    const place = upstream.slots.take(this);
    if (place === "taken") this.takeTurn();
    else if (place === "queued") {
      this.#times?.wait();
      this.#enter("queue");
    } else this.#fail(503, `Backend ${upstream.name} has no connection free, and its queue is full.`);
  }

  takeTurn(): void {
    this.#times?.endQueue();
    this.#send(false);
  }

  /** Makes an attempt with the backend that it has a slot of; `isFresh`: on a connection that is made for it. */
  #send(isFresh: boolean): void {
    const upstream = this.#upstream as Upstream<Link>;
    this.#enter("connection");
    this.#isAfresh = isFresh;
    const head = forBackend(this.#head, this.method, upstream.backend, this.#asked.hasHost);
    const attempt = upstream.link.send(this, head, isFresh);
    if (!attempt.isConnected) this.#times?.wait();
    this.goOnWith(attempt);
  }

  goOnWith(attempt: Attempt): void {
    this.#attempt = attempt;
    if (attempt.isConnected) this.onConnected();
  }

  /** The backend became unavailable during the wait: looks for another one. */
  dismissed(): void {
    if (this.#phase !== "queue") return;
    this.#times?.endQueue();
    this.#upstream?.endUnanswered(this, "failed");
    this.#upstream = undefined;
    this.handedMs = performance.now();
    this.#findBackend();
  }

  onConnected(): void {
    const attempt = this.#attempt as Attempt;
    this.#times?.endConnect();
    this.#enter("sending");
    attempt.start(this.#body.unsent());
    this.#body.noteSent();
    if (this.#pump() && !this.#body.isWhole) this.#proceed();
  }

  onBackendDrained(): void {
    this.#touch();
    if (this.#phase === "tunnel" || this.#pump()) this.#proceed();
  }

  #proceed(): void {
    this.#body.goOn(performance.now());
    this.#client.proceed();
  }

  /** Sends what has come of the body; false while the backend has not taken it. */
  #pump(): boolean {
    const attempt = this.#attempt as Attempt;
    const body = this.#body;
    const rest = body.unsent();
    if (rest !== undefined) {
      if (attempt.blocked) return false;
      attempt.sendBody(rest);
      body.noteSent();
    }
    if (body.isWhole && !body.isSent) {
      body.isSent = true;
      attempt.endBody(body.trailers);
      if (this.#phase === "sending") this.#enter("head");
    }
    return !attempt.blocked;
  }

  /** Whether sending it twice has the same effect as once, and can be done. */
  get #mayRepeat(): boolean {
    return IDEMPOTENT.has(this.method) && this.#body.isReplayable && (this.upgrade === "" || this.method === "GET");
  }

  /** The request is sent once more if that may be, else the client is told. */
  lose({ kind, what, status = 502 }: Failure): void {
    const upstream = this.#upstream;
    if (upstream === undefined || this.#phase === "none") return;
    if (kind === "short") return this.#refuseForShortage(upstream, what);
    const { pool, options } = this.#context;
    const { hasBegun } = this.#answer;
    // Without a connection nothing of it has left; or the backend says that it has done nothing about it.
    const isUntouched = kind === "connect" || kind === "unprocessed";
    const mayRepeat = isUntouched
      ? this.#body.isAllKept && !hasBegun
      : this.#mayRepeat && this.upgrade === "" && !hasBegun;
    // The connections of a backend that was removed are closed, and it gets no other.
    const isConnectionToBlame = (kind === "stale" || kind === "unprocessed") && upstream.closed === undefined;
    if (isConnectionToBlame && mayRepeat && !this.#isAfresh) {
      // It was closed as the request came, or took it no more: the backend may be well, and is asked on another one.
      this.#attempt?.abandon("close");
      this.#body.rewind();
      return this.#send(true);
    }
    this.#giveUpAttempt();
    pool.failed(upstream);
    const mayRetry = kind !== "invalid" && (this.#tried?.length ?? 0) < options.retries && mayRepeat;
    const before = this.#tried;
    // Before another one is picked, since policies are told that it is a retry.
    this.#tried = [...(before ?? []), upstream];
    let next: Upstream<Link> | undefined;
    try {
      next = mayRetry ? pool.pick(this, this.#tried, this.#mayRepeat) : undefined;
    } catch (error) {
      this.#tried = before;
      return this.#fail(500, describeError(error));
    }
    if (next === undefined) {
      this.#tried = before;
      return this.#fail(status, `Backend ${upstream.name} ${what}`);
    }
    this.#body.rewind();
    upstream.endUnanswered(this, "failed");
    this.handedMs = performance.now();
    this.#give(next);
  }

  /** This machine lacks what a connection takes. The backend is not at fault. */
  #refuseForShortage(upstream: Upstream<Link>, code: string): void {
    this.#giveUpAttempt();
    upstream.takeBack(this, this.#tried !== undefined);
    this.#upstream = undefined;
    this.#context.onShortage(code);
    this.#refuse(503, `No connection to backend ${upstream.name} could be made: ${code}.`, false);
  }

  // The answer, as it comes from the backend.

  interim(head: AnswerHead, bytes: Buffer, size: number): boolean {
    const answer = this.#answer;
    if (!answer.countInterim(size)) {
      this.lose({ kind: "invalid", what: "sent too many answers before its answer." });
      return true;
    }
    if (head.status === 100) return !this.#awaitsContinue || this.#sayContinue();
    return answer.passInterim(head, bytes);
  }

  openAnswer(head: AnswerHead, bytes: Buffer, end: number, scan: BodyScan | undefined): number {
    this.#enter("answer");
    this.#upstream?.beginAnswer(this);
    const answer = this.#answer;
    answer.backendName = this.#upstream?.name ?? "";
    answer.serverTiming = this.#times?.value() ?? "";
    answer.isBodyLeftOut = this.#mayLeaveBodyOut;
    const from = answer.open(head, bytes, end, scan);
    this.#isKept = head.keepAlive && answer.isDelimited;
    return from;
  }

  write(piece: Buffer): boolean {
    this.#touch();
    return this.#answer.write(piece);
  }

  endAnswer(trailers: string, isEnded: boolean, keep: boolean): void {
    this.#answer.end(trailers, isEnded);
    this.#isKept &&= keep;
    this.#enter("draining");
    if (!this.#client.blocked) this.#complete();
  }

  onClientDrained(): void {
    // Answers before the answer do not prolong the time that it may take.
    if (this.#phase !== "head") this.#touch();
    if (this.#phase === "draining") this.#complete();
    else this.#attempt?.resume();
  }

  #complete(): void {
    const upstream = this.#upstream as Upstream<Link>;
    const attempt = this.#attempt as Attempt;
    const { isTunnel } = this;
    this.#attempt = undefined;
    this.#upstream = undefined;
    this.#phase = "none";
    // A client that keeps its connection without another request would else keep it.
    this.#body.forget();
    // An answer to a request that has not been sent whole is one to which the backend may still expect the rest.
    attempt.release(this.#isKept && this.#body.isSent);
    upstream.slots.release();
    if (!isTunnel) this.#context.pool.succeeded(upstream);
    upstream.endAnswered(this, this.#answer.status, this.grpcStatus);
    this.#log(upstream, undefined);
    this.#client.answered(this.#answer.closes);
  }

  // Upgrades.

  agree(head: AnswerHead, bytes: Buffer): void {
    const body = this.#body;
    if (!body.isSent && this.isChunked) {
      return this.lose({ kind: "invalid", what: "switched to another protocol before it had all of the request." });
    }
    // What is still to come of a body with a length goes through the tunnel as it is.
    const rest = body.unsent();
    if (rest !== undefined) this.#attempt?.sendBody(rest);
    body.isWhole = true;
    const upstream = this.#upstream as Upstream<Link>;
    this.#backendHasEnded = false;
    this.#isKept = false;
    this.#context.pool.succeeded(upstream);
    upstream.beginAnswer(this);
    this.#answer.backendName = upstream.name;
    this.#answer.agree(head, bytes);
    body.forget();
    this.#enter("tunnel");
    this.#tunnel = this.#client.openTunnel();
  }

  tunnelToClient(bytes: Buffer, from: number, to: number): boolean {
    this.#touch();
    this.bodyBytes += to - from;
    return this.#tunnel?.writeBytes(bytes.subarray(from, to)) ?? true;
  }

  /** Passes on what the client says in a tunnel; false asks it to wait. */
  tunnelToBackend(bytes: Buffer, from: number, to: number): boolean {
    const attempt = this.#attempt as Attempt;
    this.#touch();
    attempt.sendBody(Buffer.from(bytes.subarray(from, to)));
    return !attempt.blocked;
  }

  endTunnelOf(side: "client" | "backend"): void {
    if (side === "backend") this.#backendHasEnded = true;
    if (this.#backendHasEnded && this.#tunnel?.ended === true) this.#complete();
    else {
      if (side === "client") this.#attempt?.end();
      else this.#tunnel?.end();
      // From now on the other side has a limit.
      this.#touch();
    }
  }

  /** The backend has broken a tunnel; one that had ended before may have said its last words, which are not cut off. */
  breakTunnel(reason: string, hadEnded: boolean): void {
    this.#end("failed", reason, "reset");
    if (hadEnded) this.#tunnel?.destroySoon();
    else this.#client.abandon("reset");
  }

  // Ends without an answer.

  /** The client has gone away, or wants no answer any more; `what` says so. */
  onClientGone(error: Error | undefined, what = GONE): void {
    if (this.#phase === "none") return;
    // An answer of which it was sent nothing is none.
    if (!this.#answer.hasBegun) this.#answer.status = 0;
    if (!this.isTunnel) return this.#end("aborted", what);
    this.#end("aborted", error === undefined ? what : `The client's connection broke: ${error.message}`, "reset");
  }

  /** Answers with a plain text. The reason of a failure names backends and errors of the system, which are not the client's business. */
  #answerOwn(status: number, reason: string, lines: string, closes: boolean): void {
    const text = this.#context.options.errorDetails ? reason : (WITHOUT_DETAILS.get(status) ?? reason);
    const ends = closes || !this.#asked.keepAlive || this.#context.closing || this.#mayLeaveBodyOut;
    this.#answer.own(status, text, lines, ends);
    this.#client.answered(ends);
  }

  #refuse(status: number, reason: string, closes: boolean): void {
    this.#phase = "none";
    this.#answer.status = status;
    this.#body.forget();
    this.#context.onRefused(status);
    this.#log(undefined, reason);
    this.#answerOwn(status, reason, "", closes);
  }

  #refuseLongBody(): void {
    const { bodyBytes } = this.#context.options.limits;
    this.#refuseSpoilt(413, `The body of the request is longer than ${bodyBytes} bytes.`);
  }

  /** Ends a request that no backend will complete: with an answer, or by breaking off the one that has begun. */
  #fail(status: number, reason: string): void {
    const { backendHeader } = this.#context.options;
    const { name } = this.#upstream as Upstream<Link>;
    const { hasBegun } = this.#answer;
    if (!hasBegun) this.#answer.status = status;
    this.#end("failed", reason);
    if (!hasBegun) {
      this.#answerOwn(status, reason, backendHeader === false ? "" : `${backendHeader}: ${name}\r\n`, false);
      // To a client that takes the end of the connection for the end of the answer, an orderly close would be a lie.
    } else this.#client.abandon(this.#answer.endsByClose ? "reset" : "close");
  }

  /** Gives up a request without an answer, or with only a part of one; counts and logs it. */
  #end(outcome: "failed" | "aborted", reason: string, how: "close" | "reset" = "close"): void {
    this.#giveUpAttempt(how);
    const upstream = this.#upstream;
    this.#upstream = undefined;
    this.#phase = "none";
    this.#body.forget();
    upstream?.endUnanswered(this, outcome);
    this.#log(upstream, reason);
  }

  /** Refuses a request that the client has spoilt, or breaks off the answer to it. */
  #refuseSpoilt(status: number, reason: string): void {
    if (this.#takeBack(reason)) this.#refuse(status, reason, true);
  }

  /** Takes a request away from its backend that the client has spoilt; false: it is too late for an answer to that, which is broken off. */
  #takeBack(reason: string): boolean {
    if (this.#answer.hasBegun) {
      this.#breakOff(reason);
      return false;
    }
    this.#giveUpAttempt();
    this.#upstream?.endUnanswered(this, "aborted");
    this.#upstream = undefined;
    return true;
  }

  /** Breaks off an answer because of its client. */
  #breakOff(reason: string): void {
    this.#end("aborted", reason);
    this.#client.abandon("close");
  }

  #giveUpAttempt(how: "close" | "reset" = "close"): void {
    const attempt = this.#attempt;
    const upstream = this.#upstream;
    this.#attempt = undefined;
    attempt?.abandon(how);
    // A request with an attempt has a slot.
    if (attempt === undefined) upstream?.slots.leave(this);
    else upstream?.slots.release();
  }

  // Time.

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#touch();
  }

  #touch(): void {
    this.#client.aliveTick = this.#context.deadlines.tick;
  }

  allowedMs(): number {
    const { timeouts } = this.#context.options;
    const phase = this.#phase;
    if (this.isOverdue) return 0;
    if (phase === "sending" && this.#mayLeaveBodyOut) return timeouts.responseMs;
    if (phase === "tunnel" && (this.#tunnel?.ended === true || this.#backendHasEnded)) return timeouts.idleMs;
    return timeouts[LIMITS[phase] ?? "idleMs"];
  }

  onLate(): void {
    if (this.isOverdue) return this.#refuseLateBody();
    const ms = this.allowedMs();
    const lose = (kind: Failure["kind"], what: string): void => this.lose({ kind, what, status: 504 });
    const breakOff = (): void => this.#breakOff(`The client took nothing of the answer for ${ms} ms.`);
    switch (this.#phase) {
      case "queue":
        return this.#fail(503, `Backend ${this.#upstream?.name} had no connection free in time.`);
      case "connection":
        return lose("connect", `could not be connected to within ${ms} ms.`);
      case "sending":
        // It is the fault of the backend if it has not said 100, or has not taken what has come; else it is that of the client.
        if (this.#mayLeaveBodyOut) return lose("broken", `did not answer within ${ms} ms.`);
        if (this.#attempt?.blocked === true) return lose("broken", `took nothing of the request for ${ms} ms.`);
        return this.#refuseLateBody();
      case "head":
        return lose("broken", `did not answer within ${ms} ms.`);
      case "tunnel":
        this.#end("aborted", `Nothing came through the tunnel for ${ms} ms.`, "reset");
        return this.#client.abandon("reset");
      case "answer":
        return this.#client.blocked ? breakOff() : lose("broken", `sent nothing for ${ms} ms.`);
      default:
        breakOff();
    }
  }

  /** Whether the request as a whole takes too long to come, however busily, or its body comes too slowly. */
  get isOverdue(): boolean {
    if (this.#body.isWhole) return false;
    const { timeouts, limits } = this.#context.options;
    const now = performance.now();
    if (now - this.#startedMs >= timeouts.requestMs) return true;
    // A backend that has begun its answer may listen and speak in turn, now and then. A client may wait for a 100.
    if (this.#phase === "answer" || this.#mayLeaveBodyOut) return false;
    return this.#body.isTooSlow(now, limits.bodyBytesPerSecond, timeouts.slowBodyMs);
  }

  #refuseLateBody(): void {
    this.#refuseSpoilt(408, "The body of the request did not come in time.");
  }

  #log(upstream: Upstream<Link> | undefined, error: string | undefined): void {
    const { onRequest } = this.#context.options;
    if (onRequest === undefined) return;
    const { host, referer, "user-agent": userAgent } = this.headers;
    const { remoteAddress } = this.#client;
    onRequest({
      method: this.method,
      path: this.url,
      httpVersion: this.#asked.isHttp10 ? "1.0" : this.#client.version,
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#startedMs,
      bodyBytes: this.bodyBytes,
      status: this.#answer.status === 0 ? undefined : this.#answer.status,
      backend: upstream?.name,
      error,
      retries: this.#tried?.length,
      remoteAddress,
      host,
      referer,
      userAgent,
    });
  }
}
