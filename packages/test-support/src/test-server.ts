import { createServer, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { serve } from "./servers.js";

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
}: TestServerBehaviour = {}) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    onRequest(request, response);
  });
  const { url, port, connections, open } = await serve(server);
  server.on("connection", (socket: Socket) => onConnection?.(socket, open().length));
  return {
    url: `${url}/`,
    port,
    /** Connections accepted so far. */
    connections,
    /** Requests begun so far. */
    requests: () => requests,
    /** Stops listening, and closes every connection as soon as it is idle. */
    stop: () => void server.close(),
  };
}
