import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Front } from "../front.js";
import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";
import { createPool } from "../pool/pool.js";
import { HttpProxyLink } from "../http-proxy/http-proxy-link.js";
import { WireLink } from "./backend-connection.js";
import { ClientConnection } from "./client-connection.js";
import { findDirectAccess } from "./connection.js";
import type { WireContext } from "./context.js";
import { createDeadlines, tickFor } from "./deadlines.js";
import { Exchange } from "./exchange.js";
import { AnswerHead, RequestHead } from "./head.js";
import type { Link } from "./link.js";

/** As much as Node itself would read from a connection at a time. */
const READ_BYTES = 65_536;

/** A handshake has to have a limit in Node; this is the longest that its timers know. */
const LONGEST_HANDSHAKE_MS = 2 ** 31 - 1;

/** Mode `http`: a server that balances requests. `onRefused` counts those that no backend was given, by status. */
export function createHttpFront(options: ResolvedOptions, onRefused: (status: string) => void): Front {
  const { mode, backends, policy, limits, health, backendTls, timeouts, tls, forwarded, via, backendHeader } = options;
  const { headBytes } = limits;
  const openLink = (backend: ResolvedBackend): Link =>
    options.transport === "wire" ? new WireLink(context, backend) : new HttpProxyLink(context, backend);
  const context: WireContext = {
    options,
    outgoing: { forwarded, via, secure: tls !== undefined },
    get pool() {
      return pool;
    },
    deadlines: createDeadlines(tickFor(Object.values(timeouts))),
    access: undefined,
    requestHead: new RequestHead({ headBytes, forwarded }),
    answerHead: new AnswerHead({
      headBytes,
      ownName: backendHeader === false ? undefined : backendHeader.toLowerCase(),
    }),
    clientMemory: Buffer.allocUnsafeSlow(READ_BYTES),
    closing: false,
    onRefused: (status) => onRefused(String(status)),
  };
  const pool = createPool<Link>({
    mode,
    backends,
    policy,
    limits,
    health,
    backendTls,
    openLink,
    closeLink: (link) => link.close(),
    onDismissed: (waiters) => {
      for (const waiter of waiters) if (waiter instanceof Exchange) waiter.dismissed();
    },
  });

  /** Sockets of all connections, also of those whose TLS handshake is under way or has failed. */
  const sockets = new Set<Socket>();
  const clients = new Set<ClientConnection>();
  let onLastGone = (): void => undefined;
  const onGone = (client: ClientConnection): void => {
    clients.delete(client);
    if (clients.size === 0) onLastGone();
    if (context.closing) endIdle();
  };
  const forSockets = { allowHalfOpen: true, noDelay: true };
  const server =
    tls === undefined
      ? createServer(forSockets)
      : createTlsServer({
          ...forSockets,
          ...tls,
          ALPNProtocols: ["http/1.1"],
          handshakeTimeout: Math.min(timeouts.headMs, LONGEST_HANDSHAKE_MS),
        });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    clients.add(new ClientConnection(socket, context, onGone));
  });
  // Node itself leaves a connection open whose handshake fails or takes too long.
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);

  /** Ends the connections on which nothing is under way, and at last those on which nothing has ever been. */
  function endIdle(): void {
    const isAnyBusy = [...clients].some((client) => client.isBusy);
    for (const client of clients) client.endIfIdle(!isAnyBusy);
    if (clients.size === 0) for (const socket of sockets) socket.destroy();
  }

  return {
    server,
    pool,
    prepare: async () => {
      context.access = await findDirectAccess();
    },
    connections: () => clients.size,
    beginClosing: () => {
      context.closing = true;
    },
    endIdle,
    endAll: () => {
      for (const client of clients) client.destroy();
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      context.deadlines.stop();
      if (clients.size > 0) await new Promise<void>((resolve) => (onLastGone = resolve));
      for (const socket of sockets) if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}
