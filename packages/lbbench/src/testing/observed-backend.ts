import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server in this process that tells how it was used. */
export interface ObservedBackend {
  readonly url: string;
  /** Connections that carried a request. */
  readonly connections: () => number;
  /** The most requests that were under way at once. */
  readonly most: () => number;
  /** Requests under way, oldest first; answered by `release`. */
  readonly held: () => number;
  readonly release: () => void;
  /** What has come, oldest first. */
  readonly received: readonly Pick<IncomingMessage, "headers" | "httpVersion">[];
  readonly close: () => Promise<void>;
}

/** Starts it; it answers at once, but keeps requests for `/hold` until they are released. */
export async function observeBackend(): Promise<ObservedBackend> {
  const sockets = new Set<object>();
  const held: ServerResponse[] = [];
  const received: IncomingMessage[] = [];
  let most = 0;
  const server = createServer((request, response) => {
    received.push(request);
    sockets.add(request.socket);
    request.resume();
    if (request.url !== "/hold") return void response.end("observed");
    held.push(response);
    most = Math.max(most, held.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    most: () => most,
    held: () => held.length,
    release: () => void held.shift()?.end("released"),
    received,
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}
