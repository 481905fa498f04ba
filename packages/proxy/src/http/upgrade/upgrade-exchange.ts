import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Upstream, Waiter } from "../../pool/upstream.js";
import type { FailureKind, Link } from "../../transports/link.js";
import { answerHeadersOfTexts, statusLine, type AnswerHeaders } from "../answer-head.js";
import type { ClientAnswer } from "../client-answer.js";
import type { Timed } from "../deadlines.js";
import type { HttpContext } from "../http-context.js";
import { InvalidAnswerError } from "../invalid-answer-error.js";
import { sendOwnAnswer } from "../own-answer.js";
import type { Refusal, RequestHead } from "../request-head.js";
import { answerDirectly } from "./answer-directly.js";
import { keepEarlyBytes, type EarlyBytes } from "./early-bytes.js";
import { joinSockets, type TunnelEnd } from "./join-sockets.js";
import { noteUpgrade, type Severable } from "./link-upgrades.js";
import { framingOfRefusal, passRefusal } from "./pass-refusal.js";
import { attemptUpgrade, type UpgradeEvents } from "./upgrade-attempt.js";
import { upgradeEntry } from "./upgrade-entry.js";

/** What an upgrade is waiting for; `open` is when it has been agreed to. */
type Phase = "queue" | "connection" | "head" | "answer" | "draining" | "open" | "done";

const GONE: TunnelEnd = { outcome: "aborted", error: "The client closed the connection." };

/**
 * A request for another protocol and what becomes of it: until both sides have closed the connection, or until the
 * client has been told that there is none. It has a slot of its backend for all of that time; while it is open nothing
 * ends it for being idle.
 */
export class UpgradeExchange implements Timed, Waiter, Severable, UpgradeEvents {
  aliveTick = 0;
  place = -1;
  readonly #context: HttpContext;
  readonly #request: IncomingMessage;
  readonly #client: Socket;
  readonly #resetClient: (client: Socket) => void;
  readonly #remoteAddress: string | undefined;
  readonly #startedMs = performance.now();
  readonly #startedAt: number;
  readonly #tried: Upstream<Link>[] = [];
  #phase: Phase = "queue";
  #head: RequestHead | undefined;
  #early: EarlyBytes | undefined;
  #upstream: Upstream<Link> | undefined;
  #holdsSlot = false;
  #abandon: (() => void) | undefined;
  #forget: (() => void) | undefined;
  #breakTunnel: ((end: TunnelEnd) => void) | undefined;
  #answer: ClientAnswer | undefined;
  #status = 0;
  #bodyBytes = 0;
  /** Why there is no complete answer of a backend. */
  #failure: string | undefined;

  constructor(context: HttpContext, request: IncomingMessage, client: Socket, resetClient: (client: Socket) => void) {
    const { onRequest } = context.options;
    this.#context = context;
    this.#request = request;
    this.#client = client;
    this.#resetClient = resetClient;
    this.#remoteAddress = onRequest === undefined ? undefined : client.remoteAddress;
    this.#startedAt = onRequest === undefined ? 0 : Date.now();
  }

  /** Sets out with the head of the request and what the client has sent behind it. */
  begin(head: RequestHead | Refusal, first: Buffer): void {
    const { deadlines, options } = this.#context;
    if ("status" in head) {
      this.#refuse(head.status, head.reason);
      return;
    }
    if (head.body !== "none") {
      this.#refuse(400, "A request for an upgrade has a body.");
      return;
    }
    this.#head = head;
    this.#early = keepEarlyBytes(this.#client, first, options.limits.bufferBytes, () => this.#client.destroy());
    this.#client.once("close", () => {
      if (this.#answer === undefined && this.#phase !== "open") this.#end(GONE);
    });
    deadlines.watch(this);
    this.#findBackend();
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
      case "answer":
      case "draining":
        return timeouts.idleMs;
      case "open":
      case "done":
        return Infinity;
    }
  }

  onLate(): void {
    switch (this.#phase) {
      case "queue":
        this.#fail(503, `Backend ${this.#upstream?.name} had no connection free in time.`);
        return;
      case "connection":
        this.#lose("connect", `could not be connected to within ${this.allowedMs()} ms.`, 504);
        return;
      case "head":
        this.#lose("broken", `did not answer within ${this.allowedMs()} ms.`, 504);
        return;
      case "answer":
        if (this.#client.writableNeedDrain) this.#client.destroy();
        else this.#lose("broken", `sent nothing for ${this.allowedMs()} ms.`, 504);
        return;
      case "draining":
        this.#client.destroy();
        return;
      case "open":
      case "done":
    }
  }

  takeTurn(): void {
    const upstream = this.#upstream;
    const head = this.#head;
    this.#holdsSlot = true;
    if (upstream === undefined || head === undefined) return;
    const { options } = this.#context;
    const request = { head, protocol: this.#request.headers.upgrade ?? "", headBytes: options.limits.headBytes };
    this.#enter("connection");
    this.#forget = noteUpgrade(upstream.link, this);
    this.#abandon = attemptUpgrade(upstream.backend, options.backendTls, request, this);
  }

  /** Its backend has become unavailable while it waited: another one is looked for. */
  dismissed(): void {
    if (this.#phase !== "queue" || this.#upstream === undefined) return;
    this.#upstream.endFailed();
    this.#upstream = undefined;
    this.#findBackend();
  }

  sever(): void {
    const error = "was removed before the connection had ended.";
    if (this.#phase === "open") this.#breakTunnel?.({ outcome: "failed", error: `The backend ${error}` });
    else this.#lose(this.#phase === "connection" ? "connect" : "broken", error, 502);
  }

  onConnected(): void {
    this.#enter("head");
  }

  onInformation(status: number, reason: string, rawHeaders: readonly string[]): void {
    this.aliveTick = this.#context.deadlines.tick;
    const head = this.#headOf(status, reason, rawHeaders);
    if (head !== undefined) this.#client.write(`${head.line}${head.headers.lines}\r\n`, "latin1");
  }

  onAgreed(answer: IncomingMessage, backend: Socket, first: Buffer): void {
    const head = this.#headOf(101, answer.statusMessage ?? "", answer.rawHeaders);
    if (head === undefined) return;
    const { pool, deadlines, options } = this.#context;
    const client = this.#client;
    this.#phase = "open";
    this.#status = 101;
    this.#abandon = undefined;
    deadlines.forget(this);
    if (this.#upstream !== undefined) pool.succeeded(this.#upstream);
    backend.setNoDelay(true);
    const early = this.#early?.take() ?? Buffer.alloc(0);
    const own = `Connection: Upgrade\r\nUpgrade: ${answer.headers.upgrade}\r\n`;
    client.write(head.line + head.headers.lines + this.#nameOfBackend() + own + "\r\n", "latin1");
    this.#bodyBytes = first.length;
    if (first.length > 0) client.write(first);
    if (early.length > 0) backend.write(early);
    this.#breakTunnel = joinSockets(client, backend, {
      idleMs: options.timeouts.idleMs,
      resetClient: this.#resetClient,
      onBytes: (count) => {
        this.#bodyBytes += count;
      },
      onEnd: (end) => this.#end(end),
    });
  }

  onRefused(from: IncomingMessage): void {
    const status = from.statusCode ?? 0;
    const head = this.#headOf(status, from.statusMessage ?? "", from.rawHeaders);
    if (head === undefined) return;
    const { headers } = head;
    let lines = head.line + headers.lines + this.#nameOfBackend();
    if (headers.length !== undefined && status !== 204) lines += `Content-Length: ${headers.length}\r\n`;
    this.#enter("answer");
    this.#status = status;
    const answer = this.#answerOrdinarily();
    answer.open(status, lines, framingOfRefusal(this.#head?.method ?? "", status, headers), true);
    passRefusal(from, answer, {
      onBytes: (count) => {
        this.aliveTick = this.#context.deadlines.tick;
        this.#bodyBytes += count;
      },
      onWhole: () => {
        if (this.#upstream !== undefined) this.#context.pool.succeeded(this.#upstream);
        this.#endAttempt();
        this.#enter("draining");
      },
      onBroken: (reason) => this.#lose("broken", reason, 502),
    });
  }

  onFailed(kind: FailureKind, reason: string): void {
    this.#abandon = undefined;
    this.#lose(kind, reason, 502);
  }

  #findBackend(): void {
    const { pool } = this.#context;
    const upstream = pool.pick(this.#request, this.#tried);
    if (upstream === undefined) this.#refuse(503, "No backend is available.");
    else this.#give(upstream);
  }

  #give(upstream: Upstream<Link>): void {
    this.#upstream = upstream;
    upstream.begin(this.#tried.length > 0);
    const place = upstream.slots.take(this);
    if (place === "taken") this.takeTurn();
    else if (place === "queued") this.#enter("queue");
    else this.#fail(503, `Backend ${upstream.name} has no connection free, and its queue is full.`);
  }

  /** The backend has lost the request: another one is asked if that may be, else the client is told. */
  #lose(kind: FailureKind, what: string, status: number): void {
    const upstream = this.#upstream;
    if (upstream === undefined || this.#phase === "done" || this.#failure !== undefined) return;
    const { pool, options } = this.#context;
    this.#endAttempt();
    pool.failed(upstream);
    const tried = [...this.#tried, upstream];
    // Once there was a connection the backend may have acted on the request.
    const mayRetry = kind === "connect" && this.#head?.method === "GET" && this.#tried.length < options.retries;
    const next = mayRetry ? pool.pick(this.#request, tried) : undefined;
    if (next === undefined) {
      this.#fail(status, `Backend ${upstream.name} ${what}`);
      return;
    }
    this.#tried.push(upstream);
    upstream.endFailed();
    this.#give(next);
  }

  /** Ends a request that no backend will complete: with an answer, or by breaking off the one that has begun. */
  #fail(status: number, reason: string): void {
    this.#endAttempt();
    this.#failure = reason;
    if (this.#answer === undefined) this.#sendOwn(status, reason, this.#nameOfBackend());
    else this.#client.destroy();
  }

  #refuse(status: number, reason: string): void {
    this.#failure = reason;
    this.#context.onRefused(status);
    this.#sendOwn(status, reason, "");
  }

  #sendOwn(status: number, reason: string, lines: string): void {
    const retryAfter = status === 503 ? `Retry-After: ${this.#context.pool.retryAfterSeconds()}\r\n` : "";
    this.#enter("draining");
    this.#status = status;
    sendOwnAnswer(this.#answerOrdinarily(), status, reason, lines + retryAfter, true);
  }

  /** The client's connection for an ordinary answer, which is the last thing on it. */
  #answerOrdinarily(): ClientAnswer {
    this.#early?.take();
    const answer = answerDirectly(this.#request, this.#client);
    this.#answer = answer;
    answer.once("close", () => {
      if (this.#failure !== undefined) this.#end({ outcome: "failed", error: this.#failure });
      else if (answer.writableFinished && this.#phase === "draining") this.#end({ outcome: "answered" });
      else this.#end(GONE);
    });
    return answer;
  }

  #headOf(
    status: number,
    reason: string,
    raw: readonly string[],
  ): { line: string; headers: AnswerHeaders } | undefined {
    const { backendHeader } = this.#context.options;
    try {
      const headers = answerHeadersOfTexts(raw, backendHeader === false ? undefined : backendHeader.toLowerCase());
      return { line: statusLine(status, reason), headers };
    } catch (error) {
      if (!(error instanceof InvalidAnswerError)) throw error;
      this.#lose("invalid", `sent an answer that cannot be passed on: ${error.message}`, 502);
      return undefined;
    }
  }

  #nameOfBackend(): string {
    const { backendHeader } = this.#context.options;
    return backendHeader === false || this.#upstream === undefined
      ? ""
      : `${backendHeader}: ${this.#upstream.name}\r\n`;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.aliveTick = this.#context.deadlines.tick;
  }

  /** Gives up what is under way with the backend, and its slot. */
  #endAttempt(): void {
    this.#abandon?.();
    this.#abandon = undefined;
    this.#forget?.();
    this.#forget = undefined;
    this.#upstream?.slots.leave(this);
    if (!this.#holdsSlot) return;
    this.#holdsSlot = false;
    this.#upstream?.slots.release();
  }

  #end({ outcome, error }: TunnelEnd): void {
    if (this.#phase === "done") return;
    this.#phase = "done";
    this.#context.deadlines.forget(this);
    this.#endAttempt();
    const upstream = this.#upstream;
    const durationMs = performance.now() - this.#startedMs;
    if (outcome === "answered") upstream?.endAnswered(this.#status, durationMs);
    else if (outcome === "failed") upstream?.endFailed();
    else upstream?.endAborted();
    const { onRequest } = this.#context.options;
    onRequest?.(
      upgradeEntry(this.#request, {
        startedAt: this.#startedAt,
        durationMs,
        remoteAddress: this.#remoteAddress,
        status: this.#status,
        bodyBytes: this.#bodyBytes,
        backendName: upstream?.name,
        retries: this.#tried.length,
        error,
      }),
    );
  }
}
