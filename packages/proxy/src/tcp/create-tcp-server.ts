import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { TlsOptions } from "../options/options.js";
import { IdleSweep } from "./idle-sweep.js";
import { relayConnection } from "./relay-connection.js";
import type { RelayContext, RelayOptions } from "./relay-context.js";
import { resetSocket } from "./reset-socket.js";
import { resetUnderTls } from "./reset-under-tls.js";

/** What a server of mode `tcp` is made from. */
export interface TcpServerOptions extends RelayOptions {
  /** Ends the clients' TLS here; what is relayed is what they say inside. */
  readonly tls?: TlsOptions | undefined;
}

/** A server that relays each connection to a backend. */
export interface TcpServer {
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
