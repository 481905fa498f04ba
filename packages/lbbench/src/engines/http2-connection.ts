/** HTTP/2 under load: connections, and how the requesters of a load share them. */
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { TLSSocket } from "node:tls";
import { Http2Connection, READ_BYTES, type DirectAccess, type Http2Error } from "@lbbench/wire";
import type { ConnectionCount, LoadRun } from "./load-run.js";
import { endOf, handshakeOf, openSocket, type Destination, type SocketEnd } from "./sockets.js";

/** The code for a server that does not answer in HTTP/2. */
export const NOT_SPOKEN = "ERR_HTTP2_NOT_SPOKEN";
/** What is said of a server that speaks TLS and not HTTP/2 over it. */
const NOT_NEGOTIATED = "ERR_HTTP2_NOT_NEGOTIATED";
/** The alert of a server that knows none of the offered protocols. */
const NO_PROTOCOL_ALERT = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";
/** The code for a server that closes a connection before it has spoken HTTP/2. */
const CLOSED_EARLY = "CLOSED_IN_HANDSHAKE";

/** The window that the server gets: no answer waits for it, since all that comes is read at once. */
const WINDOW_BYTES = 2 ** 30;
/** The most fields of an answer; longer ones are refused. */
const HEADER_BYTES = 65_536;

/** All connections of this process read into this memory, and copy what they keep. */
const MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** How connections under load are opened. */
export interface ConnectionPlan extends Destination {
  /** Whether a connection is one only when the server has spoken HTTP/2 on it, so that no request leaves before. */
  readonly awaitsSettings: boolean;
  /** How long opening a connection may take, in ms, when no request waits for it any more. */
  readonly openingMs: number;
}

/** A connection that speaks HTTP/2, or is to. */
export class LoadConnection extends Http2Connection {
  readonly #run: LoadRun;
  readonly #shared: SharedConnection;
  readonly beganMs = performance.now();
  /** TCP is connected. If there is TLS, HTTP/2 is agreed on. */
  isConnected = false;
  /** Requests may leave on it. */
  isReady = false;
  /** How the server broke HTTP/2. */
  fault: Http2Error | undefined;
  /** How the server has ended it, if it did. */
  socketEnd: SocketEnd | undefined;
  /** Requests that wait for an answer on it. */
  requests = 0;
  /** Whether it is to be closed when they are over. */
  retired = false;
  /** When the server was asked for a sign of life that it has not given yet, in microseconds from the common start. */
  askedUs: number | undefined;
  /** When what is being read has come, in microseconds from the common start; and which read it is, from 1. */
  readUs = 0;
  reads = 0;
  readonly gone: Promise<void>;
  #setGone: () => void = () => {};

  /** `socket`: made by `openSocket`, and connecting. */
  constructor(run: LoadRun, socket: Socket, access: DirectAccess | undefined, shared: SharedConnection) {
    super(socket, access, {
      role: "client",
      streamWindowBytes: WINDOW_BYTES,
      connectionWindowBytes: WINDOW_BYTES,
      headerListBytes: HEADER_BYTES,
    });
    this.#run = run;
    this.#shared = shared;
    this.gone = new Promise((resolve) => (this.#setGone = resolve));
  }

  /** Whether it takes streams: now, or once one of those under way has ended. */
  get isUsable(): boolean {
    if (this.canOpen) return true;
    const isOver = this.closed || this.ended || this.isFailed || this.goaway !== undefined;
    return !isOver && this.openStreams >= this.maxStreams;
  }

  closeUnused(): void {
    if (this.retired && this.requests === 0) this.destroy();
  }

  /** Adds its bytes to the counts, or with -1 takes those so far away. */
  count(times: 1 | -1): void {
    const { counts } = this.#run.recorder;
    counts.received += times * this.receivedBytes;
    counts.written += times * this.writtenBytes;
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    this.readUs = this.#run.nowUs();
    this.reads += 1;
    return super.onBytes(bytes, start, end);
  }

  protected override onEnd(): void {
    this.socketEnd ??= endOf(this.socket);
    super.onEnd();
  }

  protected override onFailed(fault: Http2Error): void {
    this.fault = fault;
    super.onFailed(fault);
  }

  protected override onSettings(): void {
    this.#shared.onSettings(this);
  }

  protected override onGoaway(): void {
    this.#shared.retire(this);
    // After a GOAWAY with an error nothing more comes.
    if (this.goaway?.code !== 0) this.destroy();
  }

  protected override onStreamEnded(): void {
    this.#shared.onRoom(this);
  }

  protected override onClosed(error: NodeJS.ErrnoException | undefined): void {
    super.onClosed(error);
    this.count(1);
    this.#shared.onClosed(this, error);
    this.#setGone();
  }
}

/** Waits for a connection. */
export interface Waiter {
  /** A stream can be opened on it now. */
  readonly onReady: (connection: LoadConnection) => void;
  /** It could not be established; `code` says why. */
  readonly onRefused: (code: string) => void;
}

/**
 * One connection at a time that several requesters share: opened by the first request, and again whenever it was lost. The first
 * request leaves when it is established; others wait until the server has said how many streams it takes at a time, which it
 * would have to refuse otherwise. Those beyond that number wait here until one has ended.
 */
export class SharedConnection {
  readonly #run: LoadRun;
  readonly #plan: ConnectionPlan;
  readonly #access: DirectAccess | undefined;
  readonly #waiting = new Set<Waiter>();
  /** All that are not closed yet: one that the server is about to end may still have answers to give. */
  readonly #open = new Set<LoadConnection>();
  #current: LoadConnection | undefined;
  /** Whether a stream was opened on it. */
  #isUsed = false;
  #members = 0;
  readonly #connections: ConnectionCount;

  /** `access`: what `findDirectAccess` has found. */
  constructor(run: LoadRun, plan: ConnectionPlan, access: DirectAccess | undefined) {
    this.#run = run;
    this.#plan = plan;
    this.#access = access;
    this.#connections = run.countConnections();
    run.watch(() => {
      for (const connection of this.#open) connection.count(-1);
      return null;
    });
  }

  /** Called by each of the requesters when it is created. */
  join(): void {
    this.#members += 1;
  }

  /** Calls back when a stream can be opened: at once where there is room on a connection. */
  acquire(waiter: Waiter): void {
    const current = this.#current;
    if (current?.isUsable !== true) {
      this.#waiting.add(waiter);
      this.#begin();
    } else if (this.#waiting.size === 0 && this.#hasRoom(current)) this.#give(current, waiter);
    else this.#waiting.add(waiter);
  }

  /** It waits no more; a connection that is being opened for no request is given up after so long. */
  forget(waiter: Waiter): void {
    const current = this.#current;
    if (!this.#waiting.delete(waiter) || this.#waiting.size > 0 || current?.isReady !== false) return;
    if (performance.now() - current.beganMs < this.#plan.openingMs) return;
    current.destroy();
    this.#current = undefined;
  }

  /** Whether there is a connection, though the server may not have said anything on it. */
  isConnected(): boolean {
    return this.#current?.isConnected === true;
  }

  /** A request on it is over; where connections are not kept it was the only one. */
  done(connection: LoadConnection, keepAlive: boolean): void {
    connection.requests -= 1;
    if (keepAlive) connection.closeUnused();
    else this.retire(connection);
  }

  /** The connection was silent for too long and may be dead. It is given up if a ping gets no answer in time. */
  askForLife(silent: LoadConnection, timeoutMs: number): void {
    const nowUs = this.#run.nowUs();
    if (silent.closed) return;
    if (silent.askedUs === undefined) {
      silent.askedUs = nowUs;
      silent.ping(() => (silent.askedUs = undefined));
    } else if (nowUs - silent.askedUs >= timeoutMs * 1000) this.retire(silent);
  }

  /** The next request is to have another connection; this one is closed when its requests are over. */
  retire(connection: LoadConnection): void {
    connection.retired = true;
    connection.closeUnused();
    this.#replace(connection);
  }

  /** Called by each of the requesters when it has ended. With the last one all is closed; resolves when it is. */
  async release(): Promise<void> {
    this.#members -= 1;
    if (this.#members > 0) return;
    this.#connections.closed();
    this.#current = undefined;
    const all = [...this.#open];
    for (const connection of all) connection.destroy();
    await Promise.all(all.map(({ gone }) => gone));
  }

  /** Of the connection: the server has said how many streams it takes. */
  onSettings(connection: LoadConnection): void {
    if (!connection.isReady) this.#establish(connection);
    else if (connection === this.#current) this.#serve(connection);
  }

  /** Of the connection: a stream is over. */
  onRoom(connection: LoadConnection): void {
    if (this.#waiting.size > 0 && connection === this.#current) this.#serve(connection);
  }

  /** Of the connection: it could not be established. All who wait are told. */
  onRefused(connection: LoadConnection, code: string): void {
    connection.destroy();
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#connections.failed(code);
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of refused) waiter.onRefused(code);
  }

  /** Of the connection: it is closed, and its requests know. */
  onClosed(connection: LoadConnection, error: NodeJS.ErrnoException | undefined): void {
    this.#open.delete(connection);
    if (connection.isReady) this.#replace(connection);
    else this.onRefused(connection, refusalOf(connection, error));
  }

  #hasRoom(connection: LoadConnection): boolean {
    return connection.isReady && connection.canOpen && (connection.hasSettings || !this.#isUsed);
  }

  #give(connection: LoadConnection, waiter: Waiter): void {
    this.#isUsed = true;
    connection.requests += 1;
    waiter.onReady(connection);
  }

  #serve(connection: LoadConnection): void {
    for (const waiter of this.#waiting) {
      // The first bytes of a server may end the connection.
      if (!connection.isUsable) return this.#replace(connection);
      if (!this.#hasRoom(connection)) return;
      this.#waiting.delete(waiter);
      this.#give(connection, waiter);
    }
  }

  #begin(): void {
    this.#isUsed = false;
    const beganUs = this.#run.nowUs();
    const onReady = (): void => {
      const tookUs = this.#run.nowUs() - beganUs;
      const isOther = socket instanceof TLSSocket && socket.alpnProtocol !== "h2";
      if (isOther) return this.onRefused(connection, NOT_NEGOTIATED);
      connection.isConnected = true;
      connection.begin(MEMORY);
      if (!this.#plan.awaitsSettings) this.#establish(connection);
      this.#run.recorder.connected(tookUs, handshakeOf(socket, this.#plan));
    };
    const socket = openSocket(this.#plan, onReady, "h2");
    const connection = new LoadConnection(this.#run, socket, this.#access, this);
    this.#current = connection;
    this.#open.add(connection);
  }

  #establish(connection: LoadConnection): void {
    connection.isReady = true;
    this.#connections.established();
    if (connection === this.#current) this.#serve(connection);
  }

  /** The requests that wait for this connection get another one. */
  #replace(connection: LoadConnection): void {
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#connections.closed();
    if (this.#waiting.size > 0) this.#begin();
  }
}

/** Why a connection was not established, as a code of the system, of TLS or of HTTP/2. */
function refusalOf({ fault, socketEnd }: LoadConnection, error: NodeJS.ErrnoException | undefined): string {
  if (fault !== undefined) return NOT_SPOKEN;
  const code = error?.code ?? (socketEnd?.kind === "resets" ? socketEnd.code : CLOSED_EARLY);
  return code === NO_PROTOCOL_ALERT ? NOT_NEGOTIATED : code;
}
