import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What is done with a request; `nothing` leaves it open, `hang up` ends it without an answer. */
export type Answer = "ok" | "error" | "hang up" | "nothing";

/** A server that counts what it gets. */
export interface CountingServer {
  readonly url: string;
  /** Names of the statuses that it answers with. */
  readonly statuses: { readonly ok: string; readonly error: string };
  /** Requests that arrived. */
  readonly requests: () => number;
  /** Connections that were accepted. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

const UNAVAILABLE = 503;

/** Starts an HTTP server in this process. `answer` is given the number of each request, from 1; `ok` for all by default. */
export async function startCountingServer(answer: (number: number) => Answer = () => "ok"): Promise<CountingServer> {
  let requests = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    switch (answer(requests)) {
      case "ok":
        response.end("hello");
        break;
      case "error":
        response.writeHead(UNAVAILABLE).end("no");
        break;
      case "hang up":
        request.socket.destroy();
        break;
      case "nothing":
        break;
    }
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    statuses: { ok: "200", error: String(UNAVAILABLE) },
    requests: () => requests,
    connections: () => connections,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
