import type { IncomingMessage } from "node:http";
import type { RequestLogEntry } from "../options/options.js";
import type { Upstream, Waiter } from "../pool/upstream.js";
import type { Attempt, AttemptEvents, FailureKind, Link } from "../transports/link.js";
import { statusLine, type AnswerHeaders } from "./answer-head.js";
import { WHOLE_BYTES, type ClientAnswer, type Framing } from "./client-answer.js";
import type { Timed } from "./deadlines.js";
import type { HttpContext } from "./http-context.js";
import { sendOwnAnswer } from "./own-answer.js";
import { RequestBody } from "./request-body.js";
import { readRequestHead, type RequestHead } from "./request-head.js";

/** What an exchange is waiting for. */
type Phase = "body" | "queue" | "connection" | "sending" | "head" | "answer" | "draining" | "done";

/** Methods that may be sent twice with the same effect as once (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

/** One request of a client and what becomes of it: from its head until its answer is sent or its connection is gone. */
export class Exchange implements AttemptEvents, Timed, Waiter {
  aliveTick = 0;
  place = -1;
  readonly #context: HttpContext;
  readonly #request: IncomingMessage;
  readonly #answer: ClientAnswer;
  readonly #startedMs: number;
  readonly #startedAt: number;
  /** When the request was handed to the backend that has it. */
  #handedMs: number;
  #phase: Phase = "body";
  #head: RequestHead | undefined;
  #body: RequestBody | undefined;
  #upstream: Upstream<Link> | undefined;
  #attempt: Attempt | undefined;
  #holdsSlot = false;
  #tried: Upstream<Link>[] | undefined;
  /** A first piece of the answer's body that waits a moment for the rest. */
  #held: Buffer | undefined;
  #flushed = false;
  #status = 0;
  #answerEnded = false;
  #bodyBytes = 0;
  /** Why there is no complete answer of a backend. */
  #failure: string | undefined;

  constructor(context: HttpContext, request: IncomingMessage, answer: ClientAnswer) {
    this.#context = context;
    this.#request = request;
    this.#answer = answer;
    this.#startedMs = performance.now();
    this.#handedMs = this.#startedMs;
    this.#startedAt = context.options.onRequest === undefined ? 0 : Date.now();
  }

  /** Reads the head and sets out. */
  begin(): void {
    const { options, headOptions, deadlines } = this.#context;
    const head = readRequestHead(this.#request, headOptions);
    if ("status" in head) {
      this.#refuse(head.status, head.reason, true);
      return;
    }
    this.#head = head;
    if (head.path === "*") {
      this.#answerForItself(head.method);
      return;
    }
    if (head.body === "none") {
      deadlines.watch(this);
      this.#findBackend();
      return;
    }
    if (head.body !== "chunked" && head.body > options.limits.bodyBytes) {
      this.#refuse(413, `The body of the request is longer than ${options.limits.bodyBytes} bytes.`, true);
      return;
    }
    deadlines.watch(this);
    this.#takeBody(head);
  }

  /** The client's connection or the answer has come to its end. */
  settle(): RequestLogEntry | undefined {
    this.#context.deadlines.forget(this);
    const complete = this.#answer.writableFinished;
    const upstream = this.#upstream;
    if (this.#phase !== "done" && this.#phase !== "draining") {
      // The client has gone away before the answer was there.
      this.#giveUpAttempt();
    }
    this.#phase = "done";
    this.#endBody();
    if (upstream !== undefined) {
      if (this.#failure !== undefined) upstream.endFailed();
      else if (complete && this.#answerEnded) upstream.endAnswered(this.#status, performance.now() - this.#handedMs);
      else upstream.endAborted();
    }
    return this.#context.options.onRequest === undefined ? undefined : this.#logEntry(complete);
  }

  allowedMs(): number {
    const { timeouts } = this.#context.options;
    switch (this.#phase) {
      case "queue":
        return timeouts.queueMs;
      case "connection":
        return timeouts.connectMs;
      case "head":
        return timeouts.responseMs;
      case "body":
      case "sending":
      case "answer":
      case "draining":
        return timeouts.idleMs;
      case "done":
        return Infinity;
    }
  }

  onLate(): void {
    switch (this.#phase) {
      case "body":
        this.#refuse(408, "The body of the request did not come in time.", true);
        return;
      case "queue":
        this.#upstream?.slots.leave(this);
        this.#fail(503, `Backend ${this.#upstream?.name} had no connection free in time.`);
        return;
      case "connection":
        this.#lose("connect", `could not be connected to within ${this.allowedMs()} ms.`, 504);
        return;
      case "sending":
        this.#lateWhileSending();
        return;
      case "head":
        this.#lose("broken", `did not answer within ${this.allowedMs()} ms.`, 504);
        return;
      case "answer":
        if (this.#answer.writableNeedDrain) this.#answer.destroy();
        else this.#lose("broken", `sent nothing for ${this.allowedMs()} ms.`, 504);
        return;
      case "draining":
        this.#answer.destroy();
        return;
      case "done":
    }
  }

  /** It is this exchange's turn to have a connection to its backend. */
  takeTurn(): void {
    this.#holdsSlot = true;
    this.#send();
  }

  /** Its backend has become unavailable while it waited: another one is looked for. */
  dismissed(): void {
    const upstream = this.#upstream;
    if (this.#phase !== "queue" || upstream === undefined) return;
    upstream.endFailed();
    this.#upstream = undefined;
    this.#handedMs = performance.now();
    this.#findBackend();
  }

  onConnected(): void {
    this.#enter(this.#body?.ended === false ? "sending" : "head");
  }

  onInformation(status: number, reason: string, { lines }: AnswerHeaders): void {
    this.aliveTick = this.#context.deadlines.tick;
    this.#answer.inform(statusLine(status, reason) + lines);
  }

  onHead(status: number, reason: string, headers: AnswerHeaders): void {
    const line = statusLine(status, reason);
    const { closing, options } = this.#context;
    const { backendHeader } = options;
    const closes = closing || !this.#answer.shouldKeepAlive;
    const framing = this.#framingFor(status, headers);
    let lines = line + headers.lines;
    if (headers.length !== undefined && framing !== "chunked" && status !== 204) {
      lines += `Content-Length: ${headers.length}\r\n`;
    }
    if (backendHeader !== false) lines += `${backendHeader}: ${this.#upstream?.name}\r\n`;
    this.#status = status;
    this.#enter("answer");
    this.#answer.open(status, lines, framing, closes || framing === "close");
    // Mostly the whole answer comes in one piece, and is then sent in one.
    process.nextTick(flush, this);
  }

  onData(chunk: Buffer): boolean {
    if (this.#answer.destroyed) return true;
    this.aliveTick = this.#context.deadlines.tick;
    this.#bodyBytes += chunk.length;
    if (!this.#flushed) {
      if (this.#held === undefined && chunk.length <= WHOLE_BYTES) {
        this.#held = chunk;
        return true;
      }
      this.flush();
    }
    if (this.#answer.write(chunk)) return true;
    this.#answer.once("drain", () => {
      this.aliveTick = this.#context.deadlines.tick;
      this.#attempt?.resume();
    });
    return false;
  }

  onEnd(trailers: string): void {
    this.#answerEnded = true;
    this.#endAttempt();
    if (this.#upstream !== undefined) this.#context.pool.succeeded(this.#upstream);
    this.#enter("draining");
    if (this.#flushed) {
      this.#answer.endStreamed(trailers);
    } else {
      this.#flushed = true;
      this.#answer.endWhole(this.#held, trailers);
      this.#held = undefined;
    }
    this.#endBody();
  }

  onFailed(kind: FailureKind, reason: string): void {
    this.#attempt = undefined;
    this.#lose(kind, reason, 502);
  }

  /** Sends what is held back. */
  flush(): void {
    if (this.#flushed || this.#phase !== "answer") return;
    this.#flushed = true;
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) this.#answer.sendHead();
    else this.#answer.write(held);
  }

  #takeBody(head: RequestHead): void {
    const { limits } = this.#context.options;
    if (head.expectsContinue) {
      if (!this.#context.pool.upstreams.some(({ available }) => available)) {
        this.#refuseForWantOfBackend();
        return;
      }
      this.#answer.writeContinue();
    }
    this.#body = new RequestBody(this.#request, head.body === "chunked", limits, {
      onProgress: () => {
        this.aliveTick = this.#context.deadlines.tick;
      },
      onWhole: () => {
        if (this.#phase === "sending") this.#enter("head");
      },
      onTooLong: () => {
        this.#takeBack();
        this.#refuse(413, `The body of the request is longer than ${limits.bodyBytes} bytes.`, true);
      },
    });
    // A small body is mostly there with its head. It is then sent in one piece, else as it comes.
    setImmediate(() => {
      if (this.#phase === "body") this.#findBackend();
    });
  }

  #findBackend(): void {
    const upstream = this.#context.pool.pick(this.#request, this.#tried);
    if (upstream === undefined) {
      this.#refuseForWantOfBackend();
      return;
    }
    this.#give(upstream);
  }

  #give(upstream: Upstream<Link>): void {
    this.#upstream = upstream;
    upstream.begin(this.#tried !== undefined);
    const place = upstream.slots.take(this);
    if (place === "taken") this.takeTurn();
    else if (place === "queued") this.#enter("queue");
    else this.#fail(503, `Backend ${upstream.name} has no connection free, and its queue is full.`);
  }

  #send(): void {
    const upstream = this.#upstream;
    const head = this.#head;
    if (upstream === undefined || head === undefined) return;
    this.#enter("connection");
    const { basePath } = upstream.backend;
    const path = basePath === "" ? head.path : basePath + head.path;
    this.#attempt = upstream.link.send({ head, path, body: this.#body?.open() }, this);
  }

  /** The backend has lost the request: it is sent to another one if that may be, else the client is told. */
  #lose(kind: FailureKind, what: string, status: number): void {
    const upstream = this.#upstream;
    if (upstream === undefined || this.#phase === "done") return;
    this.#giveUpAttempt();
    this.#context.pool.failed(upstream);
    const tried = [...(this.#tried ?? []), upstream];
    const next = this.#mayRetry(kind) ? this.#context.pool.pick(this.#request, tried) : undefined;
    if (next === undefined) {
      this.#fail(status, `Backend ${upstream.name} ${what}`);
      return;
    }
    this.#tried = tried;
    this.#handedMs = performance.now();
    upstream.endFailed();
    this.#give(next);
  }

  #mayRetry(kind: FailureKind): boolean {
    const head = this.#head;
    const { retries } = this.#context.options;
    return (
      kind !== "invalid" &&
      head !== undefined &&
      (this.#tried?.length ?? 0) < retries &&
      IDEMPOTENT.has(head.method) &&
      !this.#answer.opened &&
      (this.#body === undefined || this.#body.replayable)
    );
  }

  /** Ends a request that no backend will complete: with an answer, or by breaking off the one that has begun. */
  #fail(status: number, reason: string): void {
    this.#failure = reason;
    this.#phase = "done";
    const { backendHeader } = this.#context.options;
    const upstream = this.#upstream;
    if (this.#flushed) {
      this.#breakOff();
      return;
    }
    const lines = backendHeader === false || upstream === undefined ? "" : `${backendHeader}: ${upstream.name}\r\n`;
    this.#sendOwn(status, reason, lines, false);
  }

  #refuse(status: number, reason: string, closes: boolean, lines = ""): void {
    this.#failure = reason;
    this.#phase = "done";
    this.#context.onRefused(status);
    if (closes) this.#context.ending.add(this.#request.socket);
    this.#sendOwn(status, reason, lines, closes);
  }

  #refuseForWantOfBackend(): void {
    const seconds = this.#context.pool.retryAfterSeconds();
    this.#refuse(503, "No backend is available.", false, `Retry-After: ${seconds}\r\n`);
  }

  #sendOwn(status: number, reason: string, lines: string, closes: boolean): void {
    this.#endBody();
    this.#status = status;
    const retryAfter =
      status === 503 && !lines.includes("Retry-After")
        ? `Retry-After: ${this.#context.pool.retryAfterSeconds()}\r\n`
        : "";
    const { shouldKeepAlive } = this.#answer;
    this.#held = undefined;
    this.#flushed = true;
    sendOwnAnswer(
      this.#answer,
      status,
      reason,
      lines + retryAfter,
      closes || this.#context.closing || !shouldKeepAlive,
    );
    // What is left of a body would otherwise block the client's next request on this connection.
    if (this.#head?.body !== "none") this.#request.resume();
  }

  #answerForItself(method: string): void {
    if (method !== "OPTIONS") {
      this.#refuse(400, "Only OPTIONS may ask for *.", true);
      return;
    }
    this.#phase = "done";
    this.#status = 204;
    this.#answer.open(
      204,
      `HTTP/1.1 204 No Content\r\n`,
      "none",
      this.#context.closing || !this.#answer.shouldKeepAlive,
    );
    this.#answer.endWhole(undefined, "");
  }

  #breakOff(): void {
    // To a client that takes the end of the connection for the end of the answer, an orderly close would be a lie.
    const endsWithConnection = !this.#answer.chunkedEncoding && this.#answer.req.httpVersionMinor === 0;
    if (endsWithConnection) this.#answer.socket?.resetAndDestroy();
    else this.#answer.destroy();
  }

  #lateWhileSending(): void {
    // Whose fault it is: of the backend if it has not taken what is there, else of the client.
    if (this.#body?.isWaiting === true) {
      this.#lose("broken", `took nothing of the request for ${this.allowedMs()} ms.`, 504);
      return;
    }
    this.#takeBack();
    this.#refuse(408, "The body of the request did not come in time.", true);
  }

  #framingFor(status: number, { length, chunked }: AnswerHeaders): Framing {
    if (this.#head?.method === "HEAD" || status === 204 || status === 304 || status < 200) return "none";
    if (length !== undefined && !chunked) return "length";
    // A client of HTTP/1.0 knows no chunks; the end of its connection ends its answer.
    return this.#request.httpVersionMinor === 0 ? "close" : "chunked";
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.aliveTick = this.#context.deadlines.tick;
  }

  /** Takes a request away from its backend that the client has spoilt. */
  #takeBack(): void {
    this.#giveUpAttempt();
    this.#upstream?.endAborted();
    this.#upstream = undefined;
  }

  #giveUpAttempt(): void {
    this.#attempt?.abandon();
    this.#upstream?.slots.leave(this);
    this.#endAttempt();
  }

  #endAttempt(): void {
    this.#attempt = undefined;
    if (!this.#holdsSlot) return;
    this.#holdsSlot = false;
    this.#upstream?.slots.release();
  }

  #endBody(): void {
    this.#body?.close();
    this.#body = undefined;
  }

  #logEntry(complete: boolean): RequestLogEntry {
    const { method = "", url: path = "", httpVersion, headers, socket } = this.#request;
    const error = this.#failure ?? (complete ? undefined : "The client closed the connection.");
    const { host, referer, "user-agent": userAgent } = headers;
    const { remoteAddress } = socket;
    return {
      method,
      path,
      httpVersion,
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#startedMs,
      bodyBytes: this.#bodyBytes,
      ...(this.#answer.headersSent && this.#status !== 0 ? { status: this.#status } : {}),
      ...(this.#upstream === undefined ? {} : { backend: this.#upstream.name }),
      ...(error === undefined ? {} : { error }),
      ...(this.#tried === undefined ? {} : { retries: this.#tried.length }),
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
      ...(host === undefined ? {} : { host }),
      ...(referer === undefined ? {} : { referer }),
      ...(userAgent === undefined ? {} : { userAgent }),
    };
  }
}

function flush(exchange: Exchange): void {
  exchange.flush();
}
