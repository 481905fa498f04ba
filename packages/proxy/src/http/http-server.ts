import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createServer as createHttps } from "node:https";
import type { Server, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { resetSocket, resetUnderTls } from "../tcp/sockets.js";
import { ClientAnswer } from "./client-answer.js";
import { Exchange } from "./exchange.js";
import type { HttpContext } from "./http-context.js";
import { isGone, refuseConnection, type HttpSocket } from "./refuse-connection.js";
import { relayUpgrade } from "./upgrade/relay-upgrade.js";

/** The server in front, and what of it is under way. */
interface HttpServer {
  readonly server: Server;
  /** Connections of clients that are open. */
  readonly connections: () => number;
  /** Ends the connections on which nothing is under way; all of them if nothing is. */
  readonly endIdle: () => void;
  /** Ends every connection. */
  readonly endAll: () => void;
  /** Resolves when the connections that were open have closed and what was under way on them has ended. */
  readonly closed: () => Promise<void>;
}

/** Makes the server that clients speak to; it does not listen yet. */
export function createHttpServer(context: HttpContext): HttpServer {
  const { onRequest } = context.options;
  const { ending } = context;
  const sockets = new Set<Duplex>();
  /** With TLS: connections whose handshake is under way, or that it is over for; Node's server does not end them. */
  const plain = new Set<Socket>();
  // Answers that wait behind another one on their connection. Node does not tell them when it is closed.
  const queued = new Set<ClientAnswer>();
  let unfinished = 0;
  const serverOptions = { ...httpOptions(context.options), ServerResponse: ClientAnswer };
  const server =
    context.options.tls === undefined
      ? createHttp(serverOptions)
      : createHttps({ ...serverOptions, ...context.options.tls, ALPNProtocols: ["http/1.1"] });

  // Otherwise Node would leave out what is behind the 2000th, be it a Content-Length; the size is limited by `headBytes`.
  server.maxHeadersCount = 0;

  const handle = (request: IncomingMessage, answer: ClientAnswer): void => {
    if (ending.size > 0 && ending.has(request.socket)) return;
    unfinished += 1;
    const exchange = new Exchange(context, request, answer);
    answer.exchange = exchange;
    if (answer.socket === null) queued.add(answer);
    answer.on("close", settle);
    exchange.begin();
  };

  function settle(this: ClientAnswer): void {
    const { exchange } = this;
    if (exchange === undefined) return;
    this.exchange = undefined;
    if (queued.size > 0) queued.delete(this);
    unfinished -= 1;
    const entry = exchange.settle();
    if (context.closing) endIdle();
    if (entry !== undefined) onRequest?.(entry);
  }

  /** The answer to the last request of a connection that has come whole, as far as it is not answered yet. */
  function lastWhole(socket: HttpSocket): ClientAnswer | undefined {
    let last = socket._httpMessage?.req.complete === true ? socket._httpMessage : undefined;
    for (const answer of queued) if (answer.req.socket === socket && answer.req.complete) last = answer;
    return last;
  }

  function endIdle(): void {
    if (unfinished === 0) {
      server.closeAllConnections();
      for (const socket of plain) socket.destroy();
    } else server.closeIdleConnections();
  }

  server.on("request", handle as (request: IncomingMessage, answer: unknown) => void);
  server.on("checkContinue", handle as (request: IncomingMessage, answer: unknown) => void);
  // An expectation that nobody knows is refused as everything else that is.
  server.on("checkExpectation", handle as (request: IncomingMessage, answer: unknown) => void);
  const resetClient = context.options.tls === undefined ? resetSocket : resetUnderTls(server);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (ending.has(socket)) return;
    unfinished += 1;
    socket.once("close", () => {
      unfinished -= 1;
      if (context.closing) endIdle();
    });
    relayUpgrade({ context, handle, resetClient }, request, socket, head);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    context.onRefused(501);
    refuseConnection(socket, 501);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: HttpSocket) => {
    const last = lastWhole(socket);
    if (last !== undefined && !isGone(error)) {
      // What cannot be read stands behind requests that could be: those get their answers.
      ending.add(socket);
      last.endsConnection();
      return;
    }
    const status = refuseConnection(socket, error);
    if (status !== undefined) context.onRefused(status);
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);
  server.on(context.options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      ending.delete(socket);
      for (const answer of queued) if (answer.req.socket === socket) settle.call(answer);
    });
  });

  if (context.options.tls !== undefined) {
    server.on("connection", (socket: Socket) => {
      plain.add(socket);
      socket.once("close", () => plain.delete(socket));
    });
  }

  return {
    server,
    connections: () => sockets.size,
    endIdle,
    endAll: () => {
      for (const socket of sockets) socket.destroy();
      for (const socket of plain) socket.destroy();
      server.closeAllConnections();
    },
    closed: async () => {
      for (const socket of sockets) await new Promise((resolve) => socket.once("close", resolve));
    },
  };
}

function httpOptions({ timeouts, limits }: ResolvedOptions) {
  const finite = (ms: number): number => (Number.isFinite(ms) ? ms : 0);
  return {
    noDelay: true,
    // Whatever the process was started with.
    insecureHTTPParser: false,
    // Node's own refusal would let what stands behind such a request pass; see `readRequestHead`.
    requireHostHeader: false,
    keepAliveTimeout: finite(timeouts.keepAliveMs),
    headersTimeout: finite(timeouts.headMs),
    // A body may take as long as it likes while it goes on: see the deadlines of an exchange.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, Math.max(20, Math.floor(timeouts.headMs / 10))),
    ...(Number.isFinite(limits.headBytes) && limits.headBytes > 0 ? { maxHeaderSize: limits.headBytes } : {}),
  };
}
