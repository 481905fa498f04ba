import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createServer as createHttps } from "node:https";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { ClientAnswer } from "./client-answer.js";
import { Exchange } from "./exchange.js";
import type { HttpContext } from "./http-context.js";
import { refuseConnection } from "./refuse-connection.js";
import { relayUpgrade } from "./upgrade.js";

/** The server in front, and what of it is under way. */
export interface HttpServer {
  readonly server: Server;
  /** Connections of clients that are open. */
  readonly connections: () => number;
  /** Ends the connections on which nothing is under way; all of them if nothing is. */
  readonly endIdle: () => void;
  /** Ends every connection. */
  readonly endAll: () => void;
}

/** Makes the server that clients speak to; it does not listen yet. */
export function createHttpServer(context: HttpContext): HttpServer {
  const { onRequest } = context.options;
  const sockets = new Set<Duplex>();
  let unfinished = 0;
  const serverOptions = { ...httpOptions(context.options), ServerResponse: ClientAnswer };
  const server =
    context.options.tls === undefined
      ? createHttp(serverOptions)
      : createHttps({ ...serverOptions, ...context.options.tls, ALPNProtocols: ["http/1.1"] });

  const handle = (request: IncomingMessage, answer: ClientAnswer): void => {
    unfinished += 1;
    const exchange = new Exchange(context, request, answer);
    answer.exchange = exchange;
    answer.on("close", settle);
    exchange.begin();
  };

  function settle(this: ClientAnswer): void {
    unfinished -= 1;
    const entry = this.exchange?.settle();
    if (context.closing) endIdle();
    if (entry !== undefined) onRequest?.(entry);
  }

  function endIdle(): void {
    if (unfinished === 0) server.closeAllConnections();
    else server.closeIdleConnections();
  }

  server.on("request", handle as (request: IncomingMessage, answer: unknown) => void);
  server.on("checkContinue", handle as (request: IncomingMessage, answer: unknown) => void);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    unfinished += 1;
    socket.once("close", () => {
      unfinished -= 1;
      if (context.closing) endIdle();
    });
    relayUpgrade(context, request, socket, head, handle);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    context.onRefused(501);
    refuseConnection(socket, 501);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = refuseConnection(socket, error);
    if (status !== undefined) context.onRefused(status);
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);
  server.on(context.options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  return {
    server,
    connections: () => sockets.size,
    endIdle,
    endAll: () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
    },
  };
}

function httpOptions({ timeouts, limits }: ResolvedOptions) {
  const finite = (ms: number): number => (Number.isFinite(ms) ? ms : 0);
  return {
    noDelay: true,
    keepAliveTimeout: finite(timeouts.keepAliveMs),
    headersTimeout: finite(timeouts.headMs),
    // A body may take as long as it likes while it goes on: see the deadlines of an exchange.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, Math.max(20, Math.floor(timeouts.headMs / 10))),
    ...(Number.isFinite(limits.headBytes) && limits.headBytes > 0 ? { maxHeaderSize: limits.headBytes } : {}),
  };
}
