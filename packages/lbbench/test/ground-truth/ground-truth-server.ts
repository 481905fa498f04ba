import net, { type AddressInfo, type Socket } from "node:net";
import tls from "node:tls";
import type { Action } from "./action.js";
import { createRequestReader, type ReadRequest } from "./request-reader.js";
import { createServerLog, enterAction, type ServerLog } from "./server-log.js";

/** Says what to do with a request; `number` counts from 1 over the whole server. */
export type Behaviour = (number: number, request: ReadRequest) => Action;

/** A server that does exactly what it is told and writes down what it did. */
export interface GroundTruthServer {
  readonly url: string;
  readonly log: ServerLog;
  /** Resolves when no connection is open any more. */
  readonly drained: () => Promise<void>;
  /** Closes the port and resets every connection. */
  readonly close: () => Promise<void>;
}

/** Key and certificate, PEM. */
export interface ServerIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Starts a server on a free port of the loopback; with an `identity` it speaks TLS. */
export async function startGroundTruthServer(
  behaviour: Behaviour,
  identity?: ServerIdentity,
): Promise<GroundTruthServer> {
  const log = createServerLog();
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const serve = (socket: Socket): void => {
    log.accepted += 1;
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const resolve of waiting.splice(0)) resolve();
    });
    serveConnection(socket, behaviour, log);
  };
  const options = { allowHalfOpen: true, noDelay: true };
  const server =
    identity === undefined ? net.createServer(options, serve) : tls.createServer({ ...options, ...identity }, serve);
  // Before TLS: some never come to the end of the handshake.
  const connections = new Set<Socket>();
  server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${identity === undefined ? "http" : "https"}://127.0.0.1:${port}/`,
    log,
    drained: () => (sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of [...sockets, ...connections]) socket.destroy();
      }),
  };
}

function serveConnection(socket: Socket, behaviour: Behaviour, log: ServerLog): void {
  const read = createRequestReader();
  socket.on("data", (chunk: Buffer) => {
    log.readBytes += chunk.length;
    for (const request of read(chunk)) {
      log.requests += 1;
      const readAtMs = performance.now();
      if (log.requests === 1) log.firstRequestMs = readAtMs;
      const action = behaviour(log.requests, request);
      const act = (): void => {
        if (!socket.destroyed) perform(socket, action, readAtMs, log);
      };
      if (action.delayMs === 0) act();
      else setTimeout(act, action.delayMs);
    }
  });
  socket.on("end", () => socket.destroy());
  socket.on("error", () => socket.destroy());
}

function perform(socket: Socket, action: Action, readAtMs: number, log: ServerLog): void {
  const { bytes, then } = action;
  const size = Math.max(1, Math.ceil(bytes.length / action.packets));
  const finish = (): void => {
    if (then === "fin") socket.end();
    if (then === "rst") socket.resetAndDestroy();
  };
  const writeFrom = (start: number): void => {
    if (socket.destroyed) return;
    const packet = bytes.subarray(start, start + size);
    const last = start + size >= bytes.length;
    // Before it is written: the client must not be able to read an answer earlier than it is in the log.
    if (last) enterAction(log, action, readAtMs);
    log.writtenBytes += packet.length;
    if (packet.length === 0) finish();
    else socket.write(packet, () => last && !socket.destroyed && finish());
    if (!last) setImmediate(writeFrom, start + size);
  };
  writeFrom(0);
}
