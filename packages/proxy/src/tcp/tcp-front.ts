import type { Front } from "../front.js";
import type { RequestLogEntry, TlsOptions } from "../options/options.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { createPool } from "../pool/pool.js";
import { BackendSearch, redirectDismissed, type RelayContext, type RelayOptions } from "./backend-search.js";
import { IdleSweep, type RelayEnd, SocketPair } from "./socket-pair.js";
import { closeRelayLink, openRelayLink, resetSocket, resetUnderTls } from "./sockets.js";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** Mode `tcp`: a server that relays connections. `onRefused` counts those that no backend was given. */
export function createTcpFront(options: ResolvedOptions, onRefused: (status: string) => void): Front {
  const { mode, backends, policy, limits, health, backendTls, timeouts, retries, tls, onRequest } = options;
  const pool = createPool({
    mode,
    backends,
    policy,
    limits,
    health,
    backendTls,
    openLink: openRelayLink,
    closeLink: closeRelayLink,
    onDismissed: redirectDismissed,
  });
  const { server, openConnections, destroyAll, closed } = createTcpServer({
    pool,
    timeouts,
    retries,
    tls,
    onRefused: () => onRefused("reset"),
    onEnd: onRequest,
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);
  return {
    server,
    pool,
    connections: openConnections,
    // What is said on a connection is not known, so nobody can be asked to end it, nor is it known to be idle.
    beginClosing: () => undefined,
    endIdle: () => undefined,
    endAll: destroyAll,
    stop: closed,
  };
}

/** What a server of mode `tcp` is made from. */
interface TcpServerOptions extends RelayOptions {
  /** Ends the clients' TLS here; what is relayed is what they say inside. */
  readonly tls?: TlsOptions | undefined;
}

/** A server that relays each connection to a backend. */
interface TcpServer {
  /** Not listening yet. Its `error` events are for the caller to handle. */
  readonly server: Server;
  /** How many connections of clients are open, with those whose TLS handshake is under way. */
  readonly openConnections: () => number;
  /** Resets every connection of a client, and with it the one to its backend. */
  readonly destroyAll: () => void;
  /** Resolves when the connections of clients that were open have closed. */
  readonly closed: () => Promise<void>;
}

/** A handshake has to have a limit in Node; this is the longest that its timers know. */
const LONGEST_HANDSHAKE_MS = 2 ** 31 - 1;

/** Makes the server of mode `tcp`. */
export function createTcpServer({ tls, ...options }: TcpServerOptions): TcpServer {
  const { headMs, idleMs } = options.timeouts;
  // Either side may go on sending after the other one has ended.
  const forSockets = { allowHalfOpen: true, noDelay: true };
  const handshakeTimeout = Math.min(headMs, LONGEST_HANDSHAKE_MS);
  const server =
    tls === undefined ? createServer(forSockets) : createTlsServer({ ...forSockets, ...tls, handshakeTimeout });

  // Node itself leaves a connection open whose handshake takes too long.
  server.on("tlsClientError", (_error: Error, client: Socket) => client.destroy());

  const open = new Set<Socket>();
  server.prependListener("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  const resetClient = tls === undefined ? resetSocket : resetUnderTls(server);
  const context: RelayContext = { ...options, idleSweep: new IdleSweep(idleMs), resetClient };
  server.on(tls === undefined ? "connection" : "secureConnection", (client: Socket) =>
    relayConnection(client, context),
  );

  return {
    server,
    openConnections: () => open.size,
    destroyAll() {
      for (const socket of open) resetSocket(socket);
    },
    closed: async () => {
      for (const socket of open) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}

/** Relays a client's connection to a backend of the pool until it ends; resets it when no backend can be had. */
function relayConnection(client: Socket, context: RelayContext): void {
  const { idleSweep, resetClient, onEnd } = context;
  const startedMs = performance.now();
  const startedAt = onEnd === undefined ? 0 : Date.now();
  const remoteAddress = onEnd === undefined ? undefined : client.remoteAddress;
  const pair = new SocketPair(client, { idleMs: idleSweep.idleMs, resetClient });

  const search = new BackendSearch(context, {
    request: { headers: {}, socket: client },
    onread: () => pair.onread,
    onFound(upstream, backend) {
      client.off("close", onGone);
      idleSweep.add(pair);
      pair.join(backend, ({ outcome, error }) => {
        idleSweep.delete(pair);
        if (outcome === "answered") upstream.endAnswered(0, performance.now() - startedMs);
        else if (outcome === "failed") upstream.endFailed();
        else upstream.endAborted();
        upstream.slots.release();
        tell(error);
      });
      backend.once("close", () => upstream.link.delete(backend));
    },
    onNotFound(error) {
      client.off("close", onGone);
      resetClient(client);
      tell(error);
    },
  });

  const onGone = (): void => {
    search.abandon();
    tell("The client's connection was closed before there was one to a backend.");
  };

  const tell = (error: string | undefined): void => {
    if (onEnd === undefined) return;
    const durationMs = performance.now() - startedMs;
    const { backendName, retries } = search;
    const bodyBytes = client.bytesWritten;
    onEnd(connectionEntry({ startedAt, durationMs, remoteAddress, backendName, retries, bodyBytes, error }));
  };

  // The connection is read from the start, into its own buffer, so that it is known when it breaks while it waits.
  client.on("error", ignore);
  client.on("close", onGone);
  search.start();
}

function ignore(): void {}

/** What is known of a relayed connection at its end. */
interface ConnectionFacts {
  /** When it came, in ms since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly remoteAddress: string | undefined;
  /** Name of the backend that was picked last. */
  readonly backendName: string | undefined;
  readonly retries: number;
  /** Bytes sent to the client. */
  readonly bodyBytes: number;
  readonly error: RelayEnd["error"];
}

/** The log entry of a connection: that of a request, as far as a connection has the same things. */
function connectionEntry(facts: ConnectionFacts): RequestLogEntry {
  const { startedAt, durationMs, bodyBytes, remoteAddress, backendName, retries, error } = facts;
  return {
    method: "TCP",
    path: "",
    httpVersion: "",
    startedAt,
    durationMs,
    bodyBytes,
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(backendName !== undefined && { backend: backendName }),
    ...(retries > 0 && { retries }),
    ...(error !== undefined && { error }),
  };
}
