import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.js";

/** A server that a test has started and that ends with the test. */
export interface TestServer {
  /** `http://127.0.0.1:PORT`, or `unix:PATH`. */
  readonly url: string;
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Connections that are open. */
  readonly open: () => readonly Socket[];
  /** Resolves when no connection is open. */
  readonly quiet: () => Promise<void>;
  /** Ends its connections, and then it. */
  readonly close: () => Promise<void>;
}

/** Has a server listen at a port of 127.0.0.1 (0: any), or at a Unix socket. */
export async function serve(server: Server, place: number | string = 0): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  if (typeof place === "string") server.listen(place);
  else server.listen(place, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    const closed = server.listening && once(server, "close");
    if (server.listening) server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(close);
  const port = typeof place === "string" ? 0 : (server.address() as AddressInfo).port;
  return {
    url: typeof place === "string" ? `unix:${place}` : `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    open: () => [...sockets],
    quiet: async () => {
      for (const socket of sockets) if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    },
    close,
  };
}

/** A path in a folder that goes with the test. */
export function temporaryPath(name: string): string {
  return join(temporaryFolder(), name);
}
