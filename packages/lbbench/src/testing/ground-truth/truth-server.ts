import net, { type AddressInfo, type Server, type Socket } from "node:net";
import tls from "node:tls";
import { formatAddress } from "../../stats/url-address.js";
import type { Action } from "./action.js";
import { createRequestReader, type ReadRequest } from "./request-reader.js";
import { after, createServerLog, enterAction, enterRequest, type ServerLog, type TruthServer } from "./server-log.js";

/** Says what to do with a request; `number` counts from 1 over the whole server. */
export type Behaviour = (number: number, request: ReadRequest, place: Place) => Action;

/** On which connection of the server a request came, and which one of that connection it is; both count from 1. */
export interface Place {
  readonly connection: number;
  readonly onConnection: number;
}

/** Key and certificate, PEM. */
interface ServerIdentity {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** How a server is reached: over TLS with key and certificate, or at a port or an address that is asked for. */
export interface ReachOptions {
  readonly identity?: ServerIdentity | undefined;
  readonly port?: number;
  readonly host?: string;
  /** Deals with requests as soon as their head has come, and reads their body after that. */
  readonly atHead?: boolean;
}

/** Starts a server of HTTP/1.1 that does exactly what it is told and writes down what it did, on a port of the loopback. */
export async function startTruthServer(
  behaviour: Behaviour,
  { atHead, ...reach }: ReachOptions = {},
): Promise<TruthServer> {
  const log = createServerLog();
  const open = trackSockets();
  const serve = (socket: Socket): void => {
    log.accepted += 1;
    open.add(socket);
    serveConnection(socket, behaviour, log, atHead);
  };
  const options = { allowHalfOpen: true, noDelay: true };
  const server =
    reach.identity === undefined
      ? net.createServer(options, serve)
      : tls.createServer({ ...options, ...reach.identity }, serve);
  return { log, ...(await standUp(server, "http", reach, open)) };
}

/** Sockets that are open. */
export interface OpenSockets {
  readonly add: (socket: Socket) => void;
  readonly drained: () => Promise<void>;
  readonly destroy: () => void;
}

/** Remembers sockets until they are closed. */
export function trackSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  return {
    add: (socket) => {
      sockets.add(socket);
      socket.once("close", () => {
        sockets.delete(socket);
        if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
      });
    },
    drained: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    destroy: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Enters a connection, and its bytes when it is closed. */
export function accept(socket: Socket, open: OpenSockets, log: ServerLog): void {
  log.accepted += 1;
  open.add(socket);
  socket.on("error", () => {});
  socket.once("close", () => {
    log.readBytes += socket.bytesRead;
    log.writtenBytes += socket.bytesWritten;
  });
}

/**
 * Lets a server listen, on a free port of the loopback unless it is told where; `close` ends it with all of its connections. What `drained`
 * waits for are those in `open`, or all of them.
 */
export async function standUp(
  server: Server,
  scheme: "http" | "https" | "grpc" | "ws",
  { identity, port = 0, host = "127.0.0.1" }: ReachOptions = {},
  open?: OpenSockets,
) {
  // Before TLS: some never come to the end of the handshake.
  const connections = trackSockets();
  server.on("connection", connections.add);
  await new Promise<void>((resolve) => server.listen(port, host, 4096, resolve));
  const authority = formatAddress({ host, port: (server.address() as AddressInfo).port });
  return {
    url: `${scheme}${identity === undefined ? "" : "s"}://${authority}${scheme === "grpc" ? "" : "/"}`,
    drained: (open ?? connections).drained,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        open?.destroy();
        connections.destroy();
      }),
  };
}

function serveConnection(socket: Socket, behaviour: Behaviour, log: ServerLog, atHead?: boolean): void {
  const read = createRequestReader(atHead);
  const connection = log.accepted;
  let onConnection = 0;
  socket.on("data", (chunk: Buffer) => {
    log.readBytes += chunk.length;
    // What comes after an end is not dealt with.
    if (socket.writableEnded) return;
    for (const request of read(chunk)) {
      const readAtMs = enterRequest(log);
      onConnection += 1;
      const action = behaviour(log.requests, request, { connection, onConnection });
      after(action.delay, () => {
        if (!socket.destroyed) perform(socket, action, readAtMs, log);
      });
    }
  });
  socket.on("end", () => socket.destroy());
  socket.on("error", () => socket.destroy());
}

function perform(socket: Socket, action: Action, readAtMs: number, log: ServerLog): void {
  const { bytes, then, status, splitAt } = action;
  const size = Math.max(1, Math.ceil(bytes.length / action.packets));
  const finish = (): void => {
    if (then === "fin") socket.end();
    if (then === "rst") socket.resetAndDestroy();
    if (then === "more") afterItsTurn(() => void (socket.destroyed || socket.write(bytes.subarray(0, -1))));
  };
  const writeFrom = (start: number, end: number): void => {
    if (socket.destroyed) return;
    const packet = bytes.subarray(start, end);
    const last = end >= bytes.length;
    // Before it is written: the client must not be able to read an answer earlier than it is in the log, or to refuse it.
    if (status === null ? start === 0 : last) enterAction(log, action, readAtMs);
    log.writtenBytes += packet.length;
    if (packet.length === 0) finish();
    else socket.write(packet, () => last && !socket.destroyed && finish());
    if (!last) afterItsTurn(() => writeFrom(end, splitAt === undefined ? end + size : bytes.length));
  };
  writeFrom(0, splitAt ?? size);
}

/** Does something when who reads in this process has had a turn: the turn that goes on now does not read any more, the next one does. */
function afterItsTurn(act: () => void): void {
  setImmediate(() => void setImmediate(act));
}
