import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { createBalancer } from "../create-balancer.js";
import type { BalancerOptions } from "../options/options.js";

/** A server that a test has started and that ends with the test. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server. */
export async function startBackend(listener: RequestListener, port = 0): Promise<TestServer> {
  const server = createHttpServer(listener);
  server.keepAliveTimeout = 60_000;
  return track(server, port);
}

/** Starts a server that speaks whatever `onConnection` writes. */
export async function startRawBackend(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return track(
    createTcpServer((socket) => {
      socket.on("error", () => undefined);
      onConnection(socket);
    }),
    0,
  );
}

/** Starts a server that answers each request's head with the given bytes, and then does what `then` says. */
export async function startScriptedBackend(bytes: string, then?: (socket: Socket) => void): Promise<TestServer> {
  return startRawBackend((socket) => {
    socket.once("data", () => socket.write(bytes, "latin1", () => then?.(socket)));
  });
}

/** Starts a balancer that ends with the test. */
export async function startBalancer(options: BalancerOptions) {
  const balancer = createBalancer(options);
  const address = await balancer.listen();
  onTestFinished(() => balancer.close({ graceMs: 0 }));
  return { ...balancer, ...address };
}

/** Whether anything accepts connections at a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function track(server: Server, port: number): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(close);
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${bound}`, port: bound, connections: () => connections, close };
}
