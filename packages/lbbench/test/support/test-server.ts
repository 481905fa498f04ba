import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

/** An HTTP server in the process of the test. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Requests begun so far. */
  readonly requests: () => number;
  /** Stops listening, and closes every connection as soon as it is idle. */
  readonly stop: () => void;
}

/** How a server behaves; by default every request gets a 200 with a short text. */
export interface TestServerBehaviour {
  readonly onRequest?: RequestListener;
  /** Called with each new connection, and how many are open with it. */
  readonly onConnection?: (socket: Socket, open: number) => void;
}

/** Starts a server on a free port of the loopback; it is closed when the test has finished. */
export async function startTestServer({
  onRequest = (_, response) => void response.end("hello"),
  onConnection,
}: TestServerBehaviour = {}): Promise<TestServer> {
  let connections = 0;
  let requests = 0;
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    requests += 1;
    onRequest(request, response);
  });
  server.on("connection", (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    onConnection?.(socket, open.size);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    connections: () => connections,
    requests: () => requests,
    stop: () => void server.close(),
  };
}
