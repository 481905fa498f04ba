/** WebSockets of the library `ws` under load: messages leave over them, and what comes is taken for the answers to them, in order. */
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { WebSocket } from "ws";
import { INVALID_RESPONSE, UNASKED_RESPONSE } from "../http1.js";
import type { ConnectionCount, LoadRun } from "../load-run.js";
import type { LinePlan, RequestFailure } from "../requester.js";
import { defined } from "../../stats/defined.js";
import { endOf, handshakeOf, openSocket, type SocketEnd } from "../sockets.js";
import type { readHandshake, readMessage } from "./handshake.js";

/** How WebSockets are opened, what is sent over them, and which answer is ok. */
export type WebSocketPlan = LinePlan & ReturnType<typeof readHandshake> & ReturnType<typeof readMessage>;

/** The sender of a message, which is told its outcome. */
export interface MessageOwner {
  /** Which read of the connection was the last when the message left. */
  sentIn: number;
  /** The message leaves; `waited`: until the WebSocket was open. */
  readonly onSent: (waited: boolean) => void;
  /** The answer that is expected has come, at `nowUs`. */
  readonly onAnswer: (nowUs: number) => void;
  /** `isOpened`: whether the message had a WebSocket; `connected`: whether it had a connection. */
  readonly onFailed: (failure: RequestFailure, connected: boolean, isOpened: boolean) => void;
}

/** The status under which answers are counted. */
export const ANSWERED = "OK";
/** An HTTP answer with an expected status that is no upgrade. */
const NOT_UPGRADED = "NOT_UPGRADED";

/** Codes of closing: in order, and without a close frame (RFC 6455, 7.4.1). */
const NORMAL = 1000;
const ABNORMAL = 1006;

/** How long the other side may take to close, in ms. */
const CLOSE_LIMIT_MS = 500;

/** One WebSocket at a time: opened by the first message or before, and again by the first message after it was lost. */
export class KeptSocket {
  readonly #run: LoadRun;
  readonly #plan: WebSocketPlan;
  readonly #connections: ConnectionCount;
  #current: MessageConnection | undefined;
  /** All that are not closed yet. */
  readonly #open = new Set<MessageConnection>();

  constructor(run: LoadRun, plan: WebSocketPlan) {
    this.#run = run;
    this.#plan = plan;
    this.#connections = run.countConnections();
  }

  /** Resolves when it is open, or could not be opened. */
  open(): Promise<void> {
    return this.#usable().settled;
  }

  /** Sends a message; returns what it leaves by. */
  give(owner: MessageOwner): MessageConnection {
    const connection = this.#usable();
    connection.give(owner);
    return connection;
  }

  /** A message was answered. Where WebSockets are not kept the next one opens another. */
  answered(): void {
    if (this.#plan.requestsPerConnection === 1) this.#drop();
  }

  #drop(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#connections.closed();
    void current.close();
  }

  /** Resolves when all is closed. */
  async close(): Promise<void> {
    this.#drop();
    await Promise.all([...this.#open].map(({ gone }) => gone));
  }

  /** Of the connection: it is connected, with TLS where that is asked for. */
  onConnected(): void {
    this.#connections.established();
  }

  /** Of the connection: it was lost, and its messages are about to know. `code`: why it could not be connected. */
  onLost(connection: MessageConnection, connected: boolean, code: string | undefined): void {
    if (connection === this.#current) this.#current = undefined;
    if (connected) this.#connections.closed();
    else this.#connections.failed(code);
  }

  #usable(): MessageConnection {
    if (this.#current?.isUsable === true) return this.#current;
    const connection = new MessageConnection(this.#run, this.#plan, this);
    this.#current = connection;
    this.#open.add(connection);
    void connection.gone.then(() => this.#open.delete(connection));
    return connection;
  }
}

/**
 * A WebSocket from its first byte to its last. When anything goes wrong with a message, it is not known which answer would be the next one's:
 * then all messages that are open on it fail in the same way, and it is destroyed.
 */
export class MessageConnection {
  readonly #run: LoadRun;
  readonly #plan: WebSocketPlan;
  readonly #holder: KeptSocket;
  readonly #socket: Socket;
  readonly #client: WebSocket;
  /** Resolves when it is open, or never will be. */
  readonly settled: Promise<void>;
  /** Resolves when the socket is closed. */
  readonly gone: Promise<void>;
  #settle: () => void = () => {};
  /** Whose messages are open, in the order in which they leave. */
  readonly #owners: MessageOwner[] = [];
  /** When it began. The clock of the run may start later. */
  readonly #beganMs = performance.now();
  #isConnected = false;
  #isOpened = false;
  /** No outcome comes from it any more. */
  #isOver = false;
  #end: SocketEnd | undefined;
  /** Of the system or of TLS. */
  #code: string | undefined;
  #reads = 0;
  #readUs = 0;
  #readBytes = 0;

  constructor(run: LoadRun, plan: WebSocketPlan, holder: KeptSocket) {
    this.#run = run;
    this.#plan = plan;
    this.#holder = holder;
    this.settled = new Promise((resolve) => (this.#settle = resolve));
    const socket = openSocket(plan, () => this.#onConnected(), "http/1.1");
    this.#socket = socket;
    this.gone = new Promise((resolve) => socket.once("close", () => resolve()));
    // Before `ws` and `node:http` listen: they take resets for ends, or ends for resets.
    socket.on("end", () => (this.#end ??= endOf(socket)));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => (this.#code ??= code));
    const { url, headers, subprotocols } = plan;
    const client = new WebSocket(url, [...subprotocols], {
      createConnection: () => socket,
      perMessageDeflate: false,
      finishRequest: (request) => {
        for (const [name, values] of headers) request.setHeader(name, values);
        request.end();
      },
    });
    this.#client = client;
    client.on("open", () => this.#onOpen());
    client.on("message", (data) => this.#onMessage(data as Buffer));
    client.on("unexpected-response", (_request, { statusCode = 0 }) => this.#onRefused(statusCode));
    client.on("error", (error) => this.#onFault(error));
    client.on("close", (code) => this.#onClosed(code));
  }

  /** Whether messages can leave over it, now or when it is open. */
  get isUsable(): boolean {
    return !this.#isOver && this.#client.readyState <= WebSocket.OPEN;
  }

  /** Sends a message, once it is open. */
  give(owner: MessageOwner): void {
    this.#owners.push(owner);
    if (this.#client.readyState === WebSocket.OPEN) this.#send(owner, false);
  }

  /** Fails all messages that are open, and destroys it. */
  fail(failure: RequestFailure): void {
    if (this.#isOver) return;
    this.#finish();
    this.#socket.destroy();
    this.#holder.onLost(this, this.#isConnected, failure.code);
    // A wrong answer came for the first one alone; refused were all.
    const { kind, code } = failure;
    const others = kind === "mismatched" ? { kind, ...defined({ code }) } : failure;
    for (const [index, owner] of this.#owners.splice(0).entries()) {
      owner.onFailed(index === 0 ? failure : others, this.#isConnected, this.#isOpened);
    }
  }

  /** Closes it in order, without an outcome for messages that are open; resolves when it is closed. */
  async close(): Promise<void> {
    const isOpen = !this.#isOver && this.#client.readyState === WebSocket.OPEN;
    this.#finish();
    if (isOpen) this.#client.close(NORMAL);
    else this.#socket.destroy();
    const limit = setTimeout(() => this.#socket.destroy(), CLOSE_LIMIT_MS);
    await this.gone;
    clearTimeout(limit);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#countRead();
    if (!this.#isOpened) this.#countHandshake();
    this.#settle();
  }

  #onConnected(): void {
    if (this.#isOver) return;
    this.#isConnected = true;
    this.#holder.onConnected();
    // What was opened before is no part of the measurement.
    if (!this.#run.isMeasured) return;
    const tookUs = (performance.now() - this.#beganMs) * 1000;
    this.#run.recorder.connected(tookUs, handshakeOf(this.#socket, this.#plan));
  }

  #onOpen(): void {
    if (this.#isOver) return;
    this.#isOpened = true;
    this.#countHandshake();
    // First of all who listen.
    this.#socket.prependListener("data", () => {
      this.#reads += 1;
      this.#readUs = this.#run.nowUs();
      this.#countRead();
    });
    this.#settle();
    for (const owner of this.#owners) this.#send(owner, true);
  }

  #send(owner: MessageOwner, waited: boolean): void {
    const { message, isBinary } = this.#plan;
    owner.sentIn = this.#reads;
    this.#run.recorder.counts.written += frameBytes(message.length);
    owner.onSent(waited);
    this.#client.send(message, { binary: isBinary });
  }

  #onMessage(data: Buffer): void {
    if (this.#isOver) return;
    this.#run.recorder.counts.body += data.length;
    const [owner] = this.#owners;
    // What came before a message left cannot be its answer.
    if (owner === undefined || owner.sentIn === this.#reads) {
      return this.fail({ kind: "mismatched", code: UNASKED_RESPONSE });
    }
    if (!data.equals(this.#plan.expected)) return this.fail({ kind: "mismatched", status: ANSWERED });
    this.#owners.shift();
    owner.onAnswer(this.#readUs);
  }

  #onRefused(status: number): void {
    const isGood = status >= 200 && status < 300;
    this.fail(isGood ? { kind: "mismatched", status, code: NOT_UPGRADED } : { kind: "non2xx", status });
  }

  #onFault({ code = INVALID_RESPONSE }: NodeJS.ErrnoException): void {
    if (!this.#isConnected) return this.fail({ kind: "connectErrors", code: this.#code ?? code });
    // `node:http` makes an error of an end, too.
    const isOfSocket = this.#code !== undefined || this.#end !== undefined;
    this.fail(isOfSocket ? this.#endOfSocket() : { kind: "mismatched", code });
  }

  #onClosed(code: number): void {
    this.fail(code === ABNORMAL ? this.#endOfSocket() : { kind: "dropped", code: `CLOSE_${code}` });
  }

  #endOfSocket(): RequestFailure {
    if (this.#code !== undefined) return { kind: "resets", code: this.#code };
    return this.#end ?? { kind: "dropped" };
  }

  #countRead(): void {
    const bytes = this.#socket.bytesRead;
    this.#run.recorder.counts.received += bytes - this.#readBytes;
    this.#readBytes = bytes;
  }

  #countHandshake(): void {
    if (this.#isConnected) this.#run.recorder.counts.written += this.#socket.bytesWritten;
  }
}

/** Bytes of a masked frame with a payload of so many (RFC 6455, 5.2). */
function frameBytes(payload: number): number {
  const longer = payload > 65_535 ? 8 : payload > 125 ? 2 : 0;
  return 2 + longer + 4 + payload;
}
