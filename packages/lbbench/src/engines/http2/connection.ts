import { connect, type ClientHttp2Session } from "node:http2";
import tls from "node:tls";
import type { ConnectionCount, LoadRun } from "../load-run.js";
import { countBytes, endOf, openSocket, type Destination, type SocketEnd } from "../sockets.js";
import type { LostConnection } from "./failure.js";

/** What is said of a server that speaks TLS and not HTTP/2 over it. */
const NOT_NEGOTIATED = "ERR_HTTP2_NOT_NEGOTIATED";
/** What servers answer that know of no protocol they were offered. */
const NO_PROTOCOL_ALERT = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";

/** So much may be on its way to us: no answer is to wait for a window of ours, since all of it is read at once. */
const WINDOW_BYTES = 2 ** 30;
/** What a session may need for its streams, in MB; Node would refuse to open more. */
const MEMORY_MB = 1000;
/** So large may the headers of a request be; Node would send no more than 64 KiB, and whether they are too many is for the server to say. */
const HEADER_BYTES = 2 ** 26;

/** A connection that speaks HTTP/2, or is to. */
export class Http2Connection implements LostConnection {
  readonly socket;
  /** Once it is established, after the handshake of TLS. */
  session: ClientHttp2Session | undefined;
  spoken = false;
  end: SocketEnd | undefined;
  goaway: LostConnection["goaway"];
  /** Streams that somebody waits for. */
  streams = 0;
  /** Whether it is to be closed when they are over. */
  retired = false;
  /** When the server was asked for a sign of life that it has not given yet, in microseconds from the common start. */
  askedUs: number | undefined;
  readonly closed: Promise<void>;

  constructor(to: Destination, onReady: () => void) {
    const socket = openSocket(to, onReady, "h2");
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("end", () => {
      this.end ??= endOf(socket);
    });
  }

  get connected(): boolean {
    return this.session !== undefined;
  }

  canBeUsed(): boolean {
    if (this.end !== undefined || this.socket.destroyed) return false;
    return this.session === undefined || !(this.session.closed || this.session.destroyed);
  }

  closeUnused(): void {
    if (this.retired && this.streams === 0) this.socket.destroy();
  }
}

/** Who waits for a connection. */
export interface Waiter {
  readonly onReady: (connection: Http2Connection, session: ClientHttp2Session) => void;
  /** It could not be established; `code` says why. */
  readonly onRefused: (code: string) => void;
}

/**
 * One connection at a time that several requesters share: opened by the first request, and again whenever it was lost. The first
 * request leaves when it is established; others wait until the server has said how many streams it takes at a time, which it
 * would have to refuse otherwise. Those beyond that number wait in Node until one has ended.
 */
export class SharedConnection {
  readonly #run: LoadRun;
  readonly #to: Destination;
  readonly #waiting = new Set<Waiter>();
  /** All that are not closed yet: one that the server is about to end may still have answers to give. */
  readonly #open = new Set<Http2Connection>();
  #current: Http2Connection | undefined;
  /** Whether a stream was opened on it. */
  #isUsed = false;
  #members = 0;
  readonly #connections: ConnectionCount;

  constructor(run: LoadRun, to: Destination) {
    this.#run = run;
    this.#to = to;
    this.#connections = run.countConnections();
    run.watch({
      carry: () => {
        for (const { socket } of this.#open) countBytes(run, socket, -1);
        return null;
      },
    });
  }

  /** Called by each of the requesters when it is created. */
  join(): void {
    this.#members += 1;
  }

  /** Calls back when a stream can be opened: at once where there is a connection. */
  acquire(waiter: Waiter): void {
    this.#waiting.add(waiter);
    if (this.#current?.canBeUsed() !== true) this.#begin();
    else this.#serve(this.#current);
  }

  /** It waits no more; a connection that is being opened for nobody is given up. */
  forget(waiter: Waiter): void {
    if (!this.#waiting.delete(waiter) || this.#waiting.size > 0 || this.isConnected()) return;
    this.#current?.socket.destroy();
    this.#current = undefined;
  }

  /** Whether there is an established connection, though the server may not have said anything on it. */
  isConnected(): boolean {
    return this.#current?.connected === true;
  }

  /** A stream on it is over; where connections are not kept it was the only one. */
  done(connection: Http2Connection, keepAlive: boolean): void {
    connection.streams -= 1;
    if (keepAlive) connection.closeUnused();
    else this.retire(connection);
  }

  /** It did not answer in time, and may be dead: it is given up when it does not answer a ping in time either. */
  askForLife(silent: Http2Connection, timeoutMs: number): void {
    const { session, askedUs } = silent;
    const nowUs = this.#run.nowUs();
    if (session === undefined || session.destroyed) return;
    if (askedUs === undefined) {
      silent.askedUs = nowUs;
      session.ping((failed) => {
        if (failed === null) silent.askedUs = undefined;
      });
    } else if (nowUs - askedUs >= timeoutMs * 1000) this.retire(silent);
  }

  /** The next request is to have another connection; this one is closed when its streams are over. */
  retire(connection: Http2Connection): void {
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
    for (const { socket } of all) socket.destroy();
    await Promise.all(all.map(({ closed }) => closed));
  }

  #serve(connection: Http2Connection): void {
    const { session } = connection;
    if (session === undefined) return;
    for (const waiter of this.#waiting) {
      if (connection !== this.#current || (this.#isUsed && !connection.spoken)) return;
      // A server may end a connection with the first that it says.
      if (!connection.canBeUsed()) return this.#replace(connection);
      this.#waiting.delete(waiter);
      this.#isUsed = true;
      connection.streams += 1;
      waiter.onReady(connection, session);
    }
  }

  /** Opens a connection: by prior knowledge, or over TLS where the server has to choose HTTP/2. */
  #begin(): void {
    const connection = new Http2Connection(this.#to, () => {
      if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== "h2") this.#refuse(connection, NOT_NEGOTIATED);
      else this.#startSession(connection);
    });
    const { socket } = connection;
    socket.once("close", () => {
      this.#open.delete(connection);
      countBytes(this.#run, socket);
      this.#replace(connection);
    });
    socket.on("error", ({ code = "UNKNOWN" }: NodeJS.ErrnoException) => {
      if (!connection.connected) this.#refuse(connection, code === NO_PROTOCOL_ALERT ? NOT_NEGOTIATED : code);
      // What the session finds fault with, it passes on to its socket.
      else if (!code.startsWith("ERR_HTTP2")) connection.end ??= { kind: "resets", code };
    });
    this.#isUsed = false;
    this.#current = connection;
    this.#open.add(connection);
  }

  #startSession(connection: Http2Connection): void {
    const session = connect(`${this.#to.secure ? "https" : "http"}://localhost`, {
      createConnection: () => connection.socket,
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: MEMORY_MB,
      maxSendHeaderBlockLength: HEADER_BYTES,
    });
    session.setLocalWindowSize(WINDOW_BYTES);
    // The streams are told as well, and it is they that count.
    session.on("error", () => {});
    session.on("goaway", (code, lastStreamId) => {
      connection.goaway = { code, lastStreamId };
    });
    session.once("remoteSettings", () => {
      connection.spoken = true;
      this.#serve(connection);
    });
    connection.session = session;
    this.#connections.established();
    this.#serve(connection);
  }

  /** All who wait are told that it could not be established. */
  #refuse(connection: Http2Connection, code: string): void {
    connection.socket.destroy();
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#connections.failed(code);
    const refused = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of refused) waiter.onRefused(code);
  }

  /** Those who wait for it to be served get another, of which one of them is the first. */
  #replace(connection: Http2Connection): void {
    if (connection !== this.#current) return;
    this.#current = undefined;
    this.#connections.closed();
    if (this.#waiting.size > 0) this.#begin();
  }
}
