import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "../listen.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ListenAddress, ListenOptions } from "../options/options.js";
import { refuseWebPages } from "./admin-access.js";
import type { BackendControl } from "./admin-backends.js";
import { requireJson } from "./admin-body.js";
import { failureReply, type AdminReply } from "./admin-reply.js";
import type { ReadSnapshot } from "./admin-route.js";
import { adminRoutes, takeRoute } from "./admin-routes.js";

/** What an admin server shows and changes. */
export interface AdminServerOptions {
  readonly snapshot: ReadSnapshot;
  /** Without it nothing can be changed: there is nothing at `/backends` then. */
  readonly backends?: BackendControl;
}

/** A server for those who look after a balancer. */
export interface AdminServer {
  /** Resolves when it accepts connections; rejects with a `BalancerListenError`. Loopback and a free port by default. */
  readonly listen: (options?: Pick<ListenOptions, "port" | "host">) => Promise<ListenAddress>;
  /** Stops accepting and ends all connections. Resolves when none is left. */
  readonly close: () => Promise<void>;
}

/**
 * A server that tells how a balancer is doing and changes its backends, not listening yet:
 *
 * - `GET /metrics`: OpenMetrics; `GET /stats`: the snapshot as JSON; `GET /health`: 200 if a backend is up, else 503
 * - `POST /backends` with `{ url, name?, weight? }`: 201
 * - `DELETE /backends/NAME?graceMs=N`, `POST /backends/NAME/drain`: 202, and the work goes on
 * - `POST /backends/NAME/restore`, `PUT /backends/NAME/weight` with `{ weight }`: 200
 *
 * NAME is percent-encoded. What is wrong is answered with `{ error }` and 400, 403 (see `refuseWebPages`), 404, 405, 413
 * (64 KiB), 415 or 500. It asks for no password: who reaches the port may change everything.
 */
export function createAdminServer({ snapshot, backends }: AdminServerOptions): AdminServer {
  const routes = adminRoutes(snapshot, backends);
  let ownHost: string = BALANCER_DEFAULTS.host;
  let listening: Promise<ListenAddress> | undefined;

  async function answer(request: IncomingMessage): Promise<AdminReply> {
    try {
      refuseWebPages(request, ownHost);
      requireJson(request);
      return await takeRoute(routes, request);
    } catch (error) {
      return failureReply(error);
    }
  }

  const server = createServer((request, response) => {
    void answer(request).then((reply) => send(response, reply));
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the process.
  server.on("error", () => undefined);

  return {
    listen: async (options = {}) => {
      ownHost = options.host ?? ownHost;
      listening = listen(server, options);
      return listening;
    },
    close: async () => {
      await listening?.catch(() => undefined);
      if (!server.listening) return;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: AdminReply): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
