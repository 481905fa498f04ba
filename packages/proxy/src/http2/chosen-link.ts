import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { WireLink } from "../http/backend-connection.js";
import type { HttpContext } from "../http/context.js";
import { type Asker, type Attempt, type Link, lossBy } from "../http/link.js";
import type { ResolvedBackend } from "../options/resolve-options.js";
import { connectBackend, connectedEvent } from "../pool/connect-backend.js";
import { Http2Link, PROTOCOLS } from "./backend-link.js";

/**
 * A way to a backend that chooses between HTTP/1.1 and HTTP/2 as TLS begins (ALPN, RFC 7301). What it chooses holds as long
 * as there are connections to it, and is asked for anew by the first one after them.
 */
export class ChosenLink implements Link {
  readonly #context: HttpContext;
  readonly #backend: ResolvedBackend;
  readonly #wire: WireLink;
  readonly #http2: Http2Link;
  #chosen: WireLink | Http2Link | undefined;
  /** The connection whose protocol is being chosen. */
  #socket: TLSSocket | undefined;
  #choosesSinceMs = 0;
  /** That one, and those whose choice is not waited for any more, until they are closed. */
  readonly #sockets = new Set<TLSSocket>();
  /** Requests that wait for the choice, first come, first served. */
  readonly #waiting = new Set<WaitingAttempt>();

  constructor(context: HttpContext, backend: ResolvedBackend) {
    this.#context = context;
    this.#backend = backend;
    this.#wire = new WireLink(context, backend);
    this.#http2 = new Http2Link(context, backend);
  }

  send(asker: Asker, head: Buffer, isFresh: boolean): Attempt {
    // Only HTTP/1.1 has upgrades.
    if (asker.upgrade !== "") return this.#wire.send(asker, head, isFresh);
    // What failed on a connection that was there may have met a backend that has come back as another one.
    if (!isFresh && this.#chosen?.isEmpty === false) return this.#chosen.send(asker, head, false);
    const attempt = new WaitingAttempt(asker, head, isFresh, (given) => this.#giveUp(given));
    this.#waiting.add(attempt);
    if (this.#socket === undefined) this.#letChoose();
    return attempt;
  }

  async close(): Promise<void> {
    const closed = Array.from(this.#sockets, (socket) => once(socket.destroy(), "close"));
    await Promise.all([...closed, this.#wire.close(), this.#http2.close()]);
  }

  #letChoose(): void {
    const { backendTls } = this.#context.options;
    const options = { allowHalfOpen: true, protocols: PROTOCOLS };
    const socket = connectBackend(this.#backend, backendTls, options) as TLSSocket;
    let failure: Error | undefined;
    const onError = (error: Error): void => void (failure = error);
    const onClose = (): void => {
      this.#sockets.delete(socket);
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      const loss = lossBy(failure, "connecting");
      for (const { asker } of this.#takeWaiting()) asker?.lose(loss);
    };
    socket.on("error", onError).on("close", onClose);
    socket.once(connectedEvent(this.#backend), () => {
      if (socket.destroyed) return;
      socket.off("error", onError).off("close", onClose);
      this.#sockets.delete(socket);
      this.#socket = undefined;
      const chosen = socket.alpnProtocol === "h2" ? this.#http2 : this.#wire;
      this.#chosen = chosen;
      chosen.adopt(socket);
      for (const { asker, head, isFresh } of this.#takeWaiting()) {
        // A link of HTTP/1.1 takes the connection that it has just got.
        asker?.goOnWith(chosen.send(asker, head, isFresh && chosen === this.#http2));
      }
    });
    this.#socket = socket;
    this.#choosesSinceMs = performance.now();
    this.#sockets.add(socket);
  }

  #giveUp(attempt: WaitingAttempt): void {
    this.#waiting.delete(attempt);
    const { connectMs } = this.#context.options.timeouts;
    // A handshake that hangs is left as soon as a request has waited too long: others may go on to come for ever.
    if (this.#waiting.size > 0 && performance.now() - this.#choosesSinceMs < connectMs) return;
    this.#socket?.destroy();
    // It takes a while to close, and is of no use to requests that come meanwhile.
    this.#socket = undefined;
    if (this.#waiting.size > 0) this.#letChoose();
  }

  #takeWaiting(): readonly WaitingAttempt[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting;
  }
}

/** An attempt that waits until it is known how the backend is spoken to; its asker then goes on with one of that kind. */
class WaitingAttempt implements Attempt {
  readonly isConnected = false;
  readonly blocked = false;

  constructor(
    /** None once it has given up. */
    public asker: Asker | undefined,
    readonly head: Buffer,
    readonly isFresh: boolean,
    readonly onGivenUp: (attempt: WaitingAttempt) => void,
  ) {}

  abandon(): void {
    this.asker = undefined;
    this.onGivenUp(this);
  }

  // Without a connection there is nothing to do.
  start(): void {}
  sendBody(): void {}
  endBody(): void {}
  resume(): void {}
  release(): void {}
  end(): void {}
}
