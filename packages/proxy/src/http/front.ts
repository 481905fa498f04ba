import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { AnswerHead, createDeadlines, READ_BYTES, RequestHead, tickFor } from "@lbbench/wire";
import { type Counters, createFrontServer, type Front } from "../front.js";
import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";
import { Pool } from "../pool/pool.js";
import { ChosenLink } from "../http2/chosen-link.js";
import { Http2Link } from "../http2/backend-link.js";
import { HttpProxyLink } from "../http-proxy/http-proxy-link.js";
import { WireLink } from "./backend-connection.js";
import { Http2ClientConnection } from "../http2/client-connection.js";
import { ClientConnection } from "./client-connection.js";
import type { Link, HttpContext } from "./link.js";
import { ownHeaders } from "./outgoing-head.js";

/** Mode `http`: a server that balances requests. */
export function createHttpFront(options: ResolvedOptions, { onRefused, onShortage, onOutlier }: Counters): Front {
  const { timeouts, forwarded, via, expect, backendHeader } = options;
  const { headBytes, headLines } = options.limits;
  const openLink = (backend: ResolvedBackend): Link => {
    if (options.transport === "http-proxy") return new HttpProxyLink(context, backend);
    if (backend.http === "chosen") return new ChosenLink(context, backend);
    return backend.http === "2" ? new Http2Link(context, backend) : new WireLink(context, backend);
  };
  const own = ownHeaders(options);
  let port: number | undefined;
  const context: HttpContext = {
    options,
    outgoing: {
      forwarded,
      via,
      expect,
      secure: options.tls !== undefined,
      get port() {
        return port;
      },
    },
    get pool() {
      return pool;
    },
    deadlines: createDeadlines(tickFor(Object.values(timeouts))),
    access: undefined,
    requestHead: new RequestHead({ headBytes, headLines, ...own }),
    ownNames: new Set([...own.dropped, ...own.taken]),
    answerHead: new AnswerHead({
      headBytes,
      headLines,
      dropped: backendHeader === false ? [] : [backendHeader.toLowerCase()],
    }),
    clientMemory: Buffer.allocUnsafeSlow(READ_BYTES),
    closing: false,
    onRefused: (status) => onRefused(String(status)),
    onShortage,
  };
  const pool = new Pool<Link>({
    ...options,
    onShortage,
    onOutlier,
    openLink,
    closeLink: (link) => link.close(),
  });

  const clients = new Set<ClientConnection | Http2ClientConnection>();
  let onLastGone = (): void => undefined;
  /** `endIdle` is called at the end of this turn. */
  let isEndingIdle = false;
  const onGone = (client: ClientConnection | Http2ClientConnection): void => {
    clients.delete(client);
    if (clients.size === 0) onLastGone();
    // Many go at a time, and each time all the others are looked at.
    if (!context.closing || isEndingIdle) return;
    isEndingIdle = true;
    setImmediate(endIdle);
  };
  const { server, tls, sockets, closed } = createFrontServer(options, (socket) => {
    if (socket instanceof TLSSocket && socket.alpnProtocol === "h2") takeHttp2(socket, undefined);
    else clients.add(new ClientConnection(socket, context, onGone, onHttp2));
  });

  function onHttp2(client: ClientConnection, begun: Buffer): void {
    clients.delete(client);
    takeHttp2(client.socket, begun);
  }

  function takeHttp2(socket: Socket, begun: Buffer | undefined): void {
    const client = new Http2ClientConnection(socket, context, onGone);
    clients.add(client);
    client.begin(context.clientMemory, begun);
    if (context.closing) client.endIfIdle();
  }

  server.once("listening", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") ({ port } = address);
  });

  /** Ends the connections on which nothing is under way, and at last those on which nothing has ever been. */
  function endIdle(): void {
    isEndingIdle = false;
    const isAnyBusy = [...clients].some((client) => client.isBusy);
    for (const client of clients) client.endIfIdle(!isAnyBusy);
    if (clients.size === 0) for (const socket of sockets) socket.destroy();
  }

  return {
    server,
    tls,
    pool,
    context,
    connections: () => clients.size,
    beginClosing: () => {
      context.closing = true;
    },
    endIdle,
    endAll: () => {
      for (const client of clients) client.cut("The balancer was closed before the request had ended.");
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      context.deadlines.stop();
      if (clients.size > 0) await new Promise<void>((resolve) => (onLastGone = resolve));
      await closed();
    },
  };
}
