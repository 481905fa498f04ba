import type { RequestLogEntry } from "../options/options.js";
import type { ResolvedBackend, ResolvedTimeouts } from "../options/resolve-options.js";
import type { PolicyRequest } from "../policies/policy.js";
import type { Pool } from "../pool/pool.js";
import type { Upstream, Waiter } from "../pool/upstream.js";
import { startTimer } from "../start-timer.js";
import type { IdleSweep } from "./socket-pair.js";
import type { RelayLink } from "./sockets.js";
import { connect, type OnReadOpts, type Socket } from "node:net";

/** A backend to relay to. */
type RelayUpstream = Upstream<RelayLink>;

/** What relays need to know from the balancer. */
export interface RelayOptions {
  readonly pool: Pool<RelayLink>;
  /** Of these `connectMs`, `queueMs` and `idleMs` count; with TLS also `headMs`, for the handshake. */
  readonly timeouts: ResolvedTimeouts;
  /** How many further backends a connection may try when one cannot be reached. */
  readonly retries: number;
  /** Called for each connection that is reset because no backend is available. */
  readonly onRefused: () => void;
  /** Called once for each connection that has ended. */
  readonly onEnd?: ((entry: RequestLogEntry) => void) | undefined;
}

/** What the relays of a server share. */
export interface RelayContext extends RelayOptions {
  /** Ends relays that have been idle for too long. */
  readonly idleSweep: IdleSweep;
  /** Ends a client's connection at once, with a reset if there is a way. */
  readonly resetClient: (client: Socket) => void;
}

/** Who wants a backend. */
interface Seeker {
  readonly request: PolicyRequest;
  /** How the backend's connection is to be read. */
  readonly onread: () => OnReadOpts;
  /** Called with a connection to a backend that has begun and given a slot: both are now the seeker's to end. */
  readonly onFound: (upstream: RelayUpstream, backend: Socket) => void;
  /** Called when there is no backend to be had; nothing is left to be ended. */
  readonly onNotFound: (error: string) => void;
}

/**
 * The way to a connection with a backend: one is picked, its turn is waited for, and another one is tried if it cannot
 * be reached.
 */
export class BackendSearch implements Waiter {
  readonly #context: RelayContext;
  readonly #seeker: Seeker;
  readonly #unreachable: RelayUpstream[] = [];
  /** The backend that was picked last. */
  #upstream: RelayUpstream | undefined;
  /** Stops what is under way there, and whatever else it takes for it to be left. */
  #stop: () => void = nothing;

  constructor(context: RelayContext, seeker: Seeker) {
    this.#context = context;
    this.#seeker = seeker;
  }

  /** Name of the backend that was picked last. */
  get backendName(): string | undefined {
    return this.#upstream?.name;
  }

  /** How many backends could not be reached before the one that was picked last. */
  get retries(): number {
    const upstream = this.#upstream;
    return this.#unreachable.filter((other) => other !== upstream).length;
  }

  /** Picks a backend; `reason` is why the one before could not be had. */
  start(reason = "No backend is available."): void {
    const { pool, timeouts, onRefused } = this.#context;
    const isRetry = this.#unreachable.length > 0;
    const upstream = pool.pick(this.#seeker.request, this.#unreachable);
    if (upstream === undefined) {
      if (!isRetry) onRefused();
      this.#seeker.onNotFound(reason);
      return;
    }
    this.#upstream = upstream;
    upstream.begin(isRetry);
    const { name, slots } = upstream;
    const place = slots.take(this);
    if (place === "taken") this.#dial(upstream);
    else if (place === "full") this.#fail(upstream, `The queue of ${name} is full.`);
    else {
      const stopTimer = startTimer(() => {
        slots.leave(this);
        this.#fail(upstream, `${name} had no connection free for ${timeouts.queueMs} ms.`);
      }, timeouts.queueMs);
      this.#stop = () => {
        stopTimer();
        slots.leave(this);
      };
    }
  }

  /** It has waited for a slot, and has it. */
  takeTurn(): void {
    this.#stop();
    if (this.#upstream !== undefined) this.#dial(this.#upstream);
  }

  /** It has waited for a slot of a backend that is not available any more: another one is looked for. */
  dismissed(): void {
    this.#stop();
    this.#upstream?.endFailed();
    this.start();
  }

  /** Ends the search because the client has gone; nobody is called. */
  abandon(): void {
    this.#stop();
    this.#upstream?.endAborted();
  }

  #dial(upstream: RelayUpstream): void {
    const { pool, timeouts, retries } = this.#context;
    const { name, link, slots } = upstream;
    const leave = (): void => {
      link.delete(backend);
      slots.release();
    };
    const backend = dialBackend(upstream.backend, timeouts.connectMs, this.#seeker.onread(), (error) => {
      if (error === undefined) {
        pool.succeeded(upstream);
        this.#seeker.onFound(upstream, backend);
        return;
      }
      const reason = `${name} could not be reached: ${error.message || String(error)}.`;
      this.#unreachable.push(upstream);
      pool.failed(upstream);
      if (this.#unreachable.length > retries) {
        this.#fail(upstream, reason);
      } else {
        upstream.endFailed();
        this.start(reason);
      }
      leave();
    });
    link.add(backend);
    this.#stop = () => {
      backend.destroy();
      leave();
    };
  }

  #fail(upstream: RelayUpstream, error: string): void {
    this.#stop = nothing;
    upstream.endFailed();
    this.#seeker.onNotFound(error);
  }
}

/** Sends those that waited for a backend to another one, for a pool's `onDismissed`. */
export function redirectDismissed(waiters: readonly Waiter[]): void {
  for (const waiter of waiters) if (waiter instanceof BackendSearch) waiter.dismissed();
}

function nothing(): void {}

/**
 * Opens a connection to a backend. `done` is called once, with an error when there is no connection within `connectMs`;
 * never when the socket is destroyed without an error before that. After a success the caller has to listen for errors.
 */
function dialBackend(
  { hostname, port, socketPath }: ResolvedBackend,
  connectMs: number,
  onread: OnReadOpts,
  done: (error?: Error) => void,
): Socket {
  const place = socketPath === undefined ? { host: hostname, port, noDelay: true } : { path: socketPath };
  const socket = connect({ ...place, allowHalfOpen: true, onread });
  const stopTimer = startTimer(() => {
    socket.destroy(new Error(`there was no connection within ${connectMs} ms`));
  }, connectMs);
  socket.on("error", done);
  socket.on("close", stopTimer);
  socket.once("connect", () => {
    stopTimer();
    socket.off("close", stopTimer);
    socket.off("error", done);
    done();
  });
  return socket;
}
