import { Agent, type ClientRequest } from "node:http";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ResolvedBackend, ResolvedBackendTls } from "../options/resolve-options.js";
import { connectBackend } from "../pool/connect-backend.js";

/** Keeps the connections to one backend, and knows no other. */
export class BackendAgent extends Agent {
  readonly #backend: ResolvedBackend;
  readonly #tls: ResolvedBackendTls;

  constructor(backend: ResolvedBackend, tls: ResolvedBackendTls) {
    // Without these limits lifted, requests would queue here, and connections above 256 would be opened for one request
    // each. How many there may be is for the balancer to say.
    super({
      keepAlive: true,
      maxSockets: Infinity,
      maxFreeSockets: Infinity,
      scheduling: "lifo",
      timeout: BALANCER_DEFAULTS.backendIdleMs,
    });
    this.#backend = backend;
    this.#tls = tls;
  }

  override createConnection(): Duplex {
    return connectBackend(this.#backend, this.#tls, { allowHalfOpen: false });
  }

  /** All connections are to the same place. */
  override getName(): string {
    return "backend";
  }

  /**
   * Watches over a connection that nobody uses. Node would leave what comes on it where it is, and take it for the
   * answer to the next request.
   */
  override keepSocketAlive(socket: Duplex): void {
    // Its type says that it returns nothing; whether the connection is kept is what it returns.
    const isKept: unknown = super.keepSocketAlive(socket);
    if (isKept === true) socket.on("data", endUnasked).on("end", endUnasked);
    return isKept as void;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    socket.off("data", endUnasked).off("end", endUnasked);
    super.reuseSocket(socket, request);
  }

  /** Ends every connection; resolves when they are closed. */
  async close(): Promise<void> {
    const lists = [...Object.values(this.sockets), ...Object.values(this.freeSockets)];
    const sockets = lists.flatMap((list) => list ?? []);
    const closed = sockets.filter((socket) => !socket.closed).map((socket) => once(socket, "close"));
    this.destroy();
    await Promise.allSettled(closed);
  }
}

function endUnasked(this: Duplex): void {
  // Else it could be used until it tells that it is closed.
  this.emit("agentRemove");
  this.destroy();
}
