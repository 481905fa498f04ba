import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Counters, createFrontServer, type Front } from "../front.js";
import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";
import { ChosenLink } from "../http2/chosen-link.js";
import { Http2Link } from "../http2/backend-link.js";
import { HttpProxyLink } from "../http-proxy/http-proxy-link.js";
import { WireLink } from "./backend-connection.js";
import { Http2ClientConnection } from "../http2/client-connection.js";
import { ClientConnection } from "./client-connection.js";
import { HttpContext } from "./context.js";
import type { Link } from "./link.js";

function openLink(context: HttpContext, backend: ResolvedBackend): Link {
  if (context.options.transport === "http-proxy") return new HttpProxyLink(context, backend);
  if (backend.http === "chosen") return new ChosenLink(context, backend);
  return backend.http === "2" ? new Http2Link(context, backend) : new WireLink(context, backend);
}

/** Mode `http`: a server that balances requests. */
export function createHttpFront(options: ResolvedOptions, counters: Counters): Front {
  const context = new HttpContext(options, counters, openLink);
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
    if (address !== null && typeof address === "object") context.port = address.port;
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
    pool: context.pool,
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
