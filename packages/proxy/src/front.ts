import { createServer, type Server, type Socket } from "node:net";
import type { DirectAccess } from "@lbbench/wire";
import type { ResolvedOptions } from "./options/resolve-options.js";
import { TCP_OPTIONS } from "./pool/connect-backend.js";
import type { Pool } from "./pool/pool.js";
import { LONGEST_MS } from "./start-timer.js";
import { type ClientTls, speakTls } from "./tls/client-tls.js";

/** What a mode makes of a balancer: the server that clients connect to, and the backends behind it. */
export interface Front {
  readonly server: Server;
  /** `undefined` where clients speak no TLS. */
  readonly tls: ClientTls | undefined;
  readonly pool: Pick<
    Pool<unknown>,
    "upstreams" | "add" | "remove" | "drain" | "restore" | "setWeight" | "reload" | "close"
  >;
  /** How its connections are read and written, to be set before the server listens; by public means by default. */
  readonly context: { access: DirectAccess | undefined };
  /** Connections of clients that are open. */
  readonly connections: () => number;
  /** From now on clients are asked to close their connections. */
  readonly beginClosing: () => void;
  /** Ends the connections on which nothing is under way. */
  readonly endIdle: () => void;
  /** Ends every connection of a client. */
  readonly endAll: () => void;
  /** Ends timers; called when the server has closed. Resolves when the last connection of a client has been told so. */
  readonly stop: () => Promise<void> | void;
}

/** What a front counts of requests (in mode `tcp`: connections) that no backend is to blame for, and what it has the operator told. */
export interface Counters {
  /** No backend was given it: by status, or `reset`. */
  readonly onRefused: (status: string) => void;
  /** This machine could make no connection for it, or for a check: by the system's code. */
  readonly onShortage: (code: string) => void;
  /** A backend has been ejected as an outlier: a sentence that says so, and why. */
  readonly onOutlier: (text: string) => void;
}

/**
 * Makes the server of a front, which does not listen yet, with TLS if the options say so. `onClient` is called for each connection that can be
 * spoken on; either side of it may go on sending after the other one has ended.
 */
export function createFrontServer(
  { tls: resolved, timeouts, mode }: Pick<ResolvedOptions, "tls" | "timeouts" | "mode">,
  onClient: (socket: Socket) => void,
) {
  const server = createServer({ allowHalfOpen: true, ...TCP_OPTIONS });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  let tls: ClientTls | undefined;
  if (resolved === undefined) server.on("connection", onClient);
  else {
    const ALPNProtocols = mode === "http" ? ["h2", "http/1.1"] : undefined;
    // Node wants a limit, also where there is to be none.
    const handshakeTimeout = Math.min(timeouts.headMs, LONGEST_MS);
    tls = speakTls(server, resolved, { ALPNProtocols, handshakeTimeout }, onClient);
  }
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);
  return {
    server,
    tls,
    /** All that are open, also those whose TLS handshake is under way or has failed; under TLS the plain ones. */
    sockets,
    /** Resolves when all open connections have closed. */
    closed: async (): Promise<void> => {
      for (const socket of sockets) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}
