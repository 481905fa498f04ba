import type { Socket } from "node:net";
import {
  Connection,
  createDeadlines,
  type DirectAccess,
  READ_BYTES,
  resetSocket,
  tickFor,
  type Timed,
} from "@lbbench/wire";
import { type Counters, createFrontServer, type Front } from "../front.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { connectBackend, connectedEvent, describeError, shortageIn } from "../pool/connect-backend.js";
import { Pool } from "../pool/pool.js";
import type { Handed, Upstream, Waiter } from "../pool/upstream.js";

/** What is read from a client at a time: requests are mostly small, and there may be many clients. */
const CLIENT_READ_BYTES = 16_384;

/** From so much on what a client sends before there is a connection to a backend is left in the kernel. */
const AHEAD_BYTES = 65_536;

/** The way to a backend: its connections, open and being made, until they have told that they are closed. */
type RelayLink = Set<Side>;

type RelayContext = ReturnType<typeof createContext>;

/** Makes what all relays of a balancer share. */
function createContext(options: ResolvedOptions, { onRefused, onShortage, onOutlier }: Counters) {
  const { connectMs, queueMs, idleMs } = options.timeouts;
  return {
    options,
    pool: new Pool<RelayLink>({ ...options, onShortage, onOutlier, openLink: () => new Set(), closeLink }),
    deadlines: createDeadlines(tickFor([connectMs, queueMs, idleMs])),
    /** How connections are read and written; `undefined`: by the public interface of sockets only. */
    access: undefined as DirectAccess | undefined,
    /** Counts a connection that no backend was given. */
    onRefused: (): void => onRefused("reset"),
    onShortage,
  };
}

/** Mode `tcp`: a server that relays connections. */
export function createTcpFront(options: ResolvedOptions, counters: Counters): Front {
  const context = createContext(options, counters);
  const { server, tls, sockets, closed } = createFrontServer(options, (socket) => {
    new Relay(socket, context).start();
  });
  return {
    server,
    tls,
    pool: context.pool,
    context,
    connections: () => sockets.size,
    // The bytes of a connection are not understood, so its peer cannot be asked to end it, nor is it known to be idle.
    beginClosing: () => undefined,
    endIdle: () => undefined,
    endAll: () => {
      for (const socket of sockets) resetSocket(socket);
    },
    stop: async () => {
      await closed();
      context.deadlines.stop();
    },
  };
}

/** Cuts off the relays of a backend; resolves when its connections are closed. */
async function closeLink(link: RelayLink): Promise<void> {
  const closed = [...link].map(({ socket }) => new Promise((resolve) => socket.once("close", resolve)));
  for (const side of link) {
    if (side.socket.connecting) side.socket.destroy(new Error("the backend has been removed"));
    else side.reset();
  }
  await Promise.all(closed);
}

/** The connection of a client or of a backend. */
class Side extends Connection {
  readonly #relay: Relay;

  constructor(socket: Socket, access: DirectAccess | undefined, relay: Relay) {
    super(socket, access);
    this.#relay = relay;
  }

  protected override onBytes(bytes: Buffer, start: number, end: number): boolean {
    return this.#relay.pass(this, this.pieceOf(bytes, start, end));
  }

  protected override onEnd(): void {
    this.#relay.passEnd(this);
  }

  protected override onDrained(): void {
    this.#relay.onDrained(this);
  }

  protected override onClosed(error: Error | undefined): void {
    this.#relay.onClosed(this, error);
  }
}

/** How a relay ended: in order, by a fault of the backend, or because the client went away. */
type Outcome = "answered" | "failed" | "aborted";

/**
 * A client's connection and what becomes of it. A backend is picked, its turn is waited for, and another one is tried if
 * it cannot be reached. Then bytes, ends and resets of one side become those of the other; a side that reads slowly
 * makes the other one wait.
 */
class Relay implements Waiter, Handed, Timed {
  handedMs: number;
  waitedMs: number | undefined;
  aliveTick = 0;
  place = -1;
  readonly #context: RelayContext;
  readonly #client: Side;
  readonly #remoteAddress: string | undefined;
  readonly #startedMs = performance.now();
  readonly #startedAt = Date.now();
  #phase: "queue" | "connection" | "joined" | "ended" = "queue";
  #upstream: Upstream<RelayLink> | undefined;
  #holdsSlot = false;
  /** Backends that could not be reached. */
  readonly #tried: Upstream<RelayLink>[] = [];
  /** Name of the backend that was picked last, and how many could not be reached before. */
  #backendName: string | undefined;
  #retries = 0;
  #backend: Side | undefined;
  /** What the client has sent before there was a connection to a backend. */
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #bytesToClient = 0;
  #clientSentLast = false;
  /** What went wrong first. */
  #fault: { readonly outcome: Outcome; readonly error: string } | undefined;
  #closedSides = 0;

  constructor(socket: Socket, context: RelayContext) {
    this.#context = context;
    this.#remoteAddress = socket.remoteAddress;
    this.handedMs = this.#startedMs;
    this.#client = new Side(socket, context.access, this);
  }

  start(): void {
    this.#context.deadlines.watch(this);
    // It is read from the start, to notice that the client has gone away.
    this.#client.attach(Buffer.allocUnsafeSlow(CLIENT_READ_BYTES));
    this.#findBackend("No backend is available.");
  }

  /** Picks a backend; `reason` is why the one before could not be had. */
  #findBackend(reason: string): void {
    const { pool, onRefused } = this.#context;
    const isRetry = this.#tried.length > 0;
    const request = { headers: {}, socket: { remoteAddress: this.#remoteAddress }, isRetry };
    let upstream: Upstream<RelayLink> | undefined;
    try {
      upstream = pool.pick(request, this.#tried);
    } catch (error) {
      onRefused();
      this.#refuse(describeError(error));
      return;
    }
    if (upstream === undefined) {
      if (!isRetry) onRefused();
      this.#refuse(reason);
      return;
    }
    this.#upstream = upstream;
    this.#backendName = upstream.name;
    this.#retries = this.#tried.length;
    upstream.begin(this, isRetry);
    const place = upstream.slots.take(this);
    if (place === "taken") this.takeTurn();
    else if (place === "queued") this.#enter("queue");
    else this.#refuse(`The queue of ${upstream.name} is full.`);
  }

  takeTurn(): void {
    const { access, options } = this.#context;
    const { backend, link } = this.#upstream as Upstream<RelayLink>;
    this.#holdsSlot = true;
    this.#enter("connection");
    const socket = connectBackend(backend, options.backendTls, { allowHalfOpen: true });
    const side = new Side(socket, access, this);
    this.#backend = side;
    link.add(side);
    socket.once("close", () => link.delete(side));
    socket.once(connectedEvent(backend), () => {
      if (side === this.#backend && !side.closed) this.#join(side);
    });
  }

  dismissed(): void {
    this.#leave("failed");
    this.handedMs = performance.now();
    this.#findBackend("No backend is available.");
  }

  /** There is no connection to the backend: another one is tried if that may be. */
  #lose(why: string): void {
    const { pool, options } = this.#context;
    const upstream = this.#upstream as Upstream<RelayLink>;
    const reason = `${upstream.name} could not be reached: ${why}.`;
    this.#tried.push(upstream);
    this.#backend = undefined;
    pool.failed(upstream);
    this.#leave("failed");
    this.handedMs = performance.now();
    if (this.#tried.length > options.retries) this.#refuse(reason);
    else this.#findBackend(reason);
  }

  /** This machine lacks what a connection takes. The backend is not at fault. */
  #refuseForShortage(code: string): void {
    const { onRefused, onShortage } = this.#context;
    const upstream = this.#upstream as Upstream<RelayLink>;
    this.#backend = undefined;
    onShortage(code);
    onRefused();
    this.#leave("none of its");
    this.#refuse(`No connection to ${upstream.name} could be made: ${code}.`);
  }

  #join(backend: Side): void {
    const client = this.#client;
    const upstream = this.#upstream as Upstream<RelayLink>;
    this.#context.pool.succeeded(upstream);
    upstream.beginAnswer(this);
    this.#enter("joined");
    backend.attach(Buffer.allocUnsafeSlow(READ_BYTES));
    if (this.#earlyBytes > 0) backend.writeBytes(Buffer.concat(this.#early));
    this.#early = [];
    if (client.ended) backend.end();
    else if (!backend.blocked) client.resume();
  }

  /** Passes on what one side has sent, in memory that is used again; false asks it to wait. */
  pass(from: Side, bytes: Buffer): boolean {
    const isFromClient = from === this.#client;
    this.#clientSentLast = isFromClient;
    if (this.#phase !== "joined") {
      this.#early.push(Buffer.from(bytes));
      this.#earlyBytes += bytes.length;
      return this.#earlyBytes < AHEAD_BYTES;
    }
    this.aliveTick = this.#context.deadlines.tick;
    if (isFromClient) return (this.#backend as Side).writeBytes(bytes);
    this.#bytesToClient += bytes.length;
    return this.#client.writeBytes(bytes);
  }

  passEnd(from: Side): void {
    if (this.#phase !== "joined") return;
    this.#otherOf(from)?.end();
    // Not when both are closed: the client may be back before that, and a slow one would keep the next from being served.
    if (from === this.#backend) this.#releaseSlot();
  }

  onDrained(side: Side): void {
    this.aliveTick = this.#context.deadlines.tick;
    this.#otherOf(side)?.resume();
  }

  onClosed(side: Side, error: Error | undefined): void {
    const isClient = side === this.#client;
    if (this.#phase === "ended" || (!isClient && side !== this.#backend)) return;
    if (this.#phase === "joined") {
      if (error !== undefined || !side.ended || !side.socket.writableFinished) {
        const what = error === undefined ? "was closed." : `broke: ${error.message}`;
        if (isClient) this.#break("aborted", `The client's connection ${what}`);
        else this.#break("failed", `The backend's connection ${what}`, side.ended && error !== undefined);
      }
      this.#closedSides += 1;
      if (this.#closedSides === 2) this.#finish(this.#fault?.outcome ?? "answered", this.#fault?.error);
    } else if (isClient) {
      this.#finish("aborted", "The client's connection was closed before there was one to a backend.");
      this.#backend?.destroy();
    } else {
      const shortage = shortageIn(error);
      if (shortage === undefined) this.#lose(describeError(error));
      else this.#refuseForShortage(shortage);
    }
  }

  allowedMs(): number {
    const { queueMs, connectMs, idleMs } = this.#context.options.timeouts;
    return { queue: queueMs, connection: connectMs, joined: idleMs, ended: Infinity }[this.#phase];
  }

  onLate(): void {
    const ms = this.allowedMs();
    if (this.#phase === "queue") this.#refuse(`${this.#backendName} had no connection free for ${ms} ms.`);
    else if (this.#phase === "connection") {
      this.#backend?.destroy();
      this.#lose(`there was no connection within ${ms} ms`);
    } else {
      const error = `No byte came from either side for ${ms} ms`;
      // The side that was to send next is the one that is silent.
      if (this.#clientSentLast) this.#break("failed", `${error}; the client had sent last.`);
      else this.#break("aborted", `${error}; the client had not sent since.`);
    }
  }

  #otherOf(side: Side): Side | undefined {
    return side === this.#client ? this.#backend : this.#client;
  }

  #enter(phase: "queue" | "connection" | "joined"): void {
    this.#phase = phase;
    this.aliveTick = this.#context.deadlines.tick;
  }

  /** Resets both sides. One that has ended before it broke may have answered: the client is given that first. */
  #break(outcome: "failed" | "aborted", error: string, hadEnded = false): void {
    const isFirst = this.#fault === undefined;
    this.#fault ??= { outcome, error };
    if (hadEnded && isFirst) this.#client.destroySoon();
    else this.#client.reset();
    this.#backend?.reset();
    this.#releaseSlot();
  }

  /** Resets a client that no backend can be had for. */
  #refuse(error: string): void {
    this.#finish("failed", error);
    this.#client.reset();
  }

  /** Ends the connection to the backend that was picked last. */
  #leave(outcome: Outcome | "none of its"): void {
    const upstream = this.#upstream;
    if (upstream === undefined) return;
    upstream.slots.leave(this);
    this.#releaseSlot();
    this.#upstream = undefined;
    if (outcome === "answered") upstream.endAnswered(this, 0);
    else if (outcome === "none of its") upstream.takeBack(this, this.#retries > 0);
    else upstream.endUnanswered(this, outcome);
  }

  /** The backend has ended its connection, or has lost it: another one may take its place. */
  #releaseSlot(): void {
    if (!this.#holdsSlot) return;
    this.#holdsSlot = false;
    this.#upstream?.slots.release();
  }

  #finish(outcome: Outcome, error?: string): void {
    const { deadlines, options } = this.#context;
    this.#phase = "ended";
    deadlines.forget(this);
    this.#leave(outcome);
    options.onRequest?.({
      method: "TCP",
      path: "",
      httpVersion: "",
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#startedMs,
      bodyBytes: this.#bytesToClient,
      remoteAddress: this.#remoteAddress,
      backend: this.#backendName,
      retries: this.#retries || undefined,
      error,
    });
  }
}
