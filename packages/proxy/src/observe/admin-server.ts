import { listen } from "../listen.js";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { ListenAddress, ListenOptions } from "../options/options.js";
import { show } from "../options/resolve-options.js";
import {
  type AdminReply,
  AdminRequestError,
  type AdminRoute,
  failureReply,
  jsonReply,
  type ReadSnapshot,
  refuseWebPages,
  textReply,
} from "./admin-reply.js";
import { type BackendControl, backendRoutes, requireJson } from "./admin-backends.js";
import { isUp } from "./merge-snapshots.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

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

/** What is there to be asked; what changes backends only when there is something to change them with. */
function adminRoutes(snapshot: ReadSnapshot, backends: BackendControl | undefined): readonly AdminRoute[] {
  const reading: readonly AdminRoute[] = [
    [
      "GET",
      /^\/metrics$/,
      async () => textReply(200, OPEN_METRICS_CONTENT_TYPE, await renderOpenMetrics(await snapshot())),
    ],
    ["GET", /^\/stats$/, async () => jsonReply(200, await snapshot())],
    ["GET", /^\/health$/, async () => health((await snapshot()).backends.some(isUp))],
  ];
  return backends === undefined ? reading : [...reading, ...backendRoutes(snapshot, backends)];
}

/** Finds the route of a request and takes it; throws an `AdminRequestError` (404, 405) when there is none. */
async function takeRoute(routes: readonly AdminRoute[], request: IncomingMessage): Promise<AdminReply> {
  const target = request.url ?? "";
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const query = new URLSearchParams(end === -1 ? "" : target.slice(end));
  // Node sends no body with an answer to HEAD.
  const method = request.method === "HEAD" ? "GET" : request.method;

  const found = routes.filter(([, pattern]) => pattern.test(path));
  const taken = found.find(([answered]) => answered === method);
  if (taken !== undefined) {
    const [, pattern, answer] = taken;
    return answer({ request, query, name: decodeName(pattern.exec(path)?.[1] ?? "") });
  }
  if (found.length === 0) throw new AdminRequestError(404, `There is nothing at ${show(path)}.`);
  const allow = found.map(([answered]) => (answered === "GET" ? "GET, HEAD" : answered)).join(", ");
  throw new AdminRequestError(405, `${path}: expected ${allow}, got ${request.method}.`, { allow });
}

function health(healthy: boolean): AdminReply {
  const type = "text/plain; charset=utf-8";
  return healthy ? textReply(200, type, "ok") : textReply(503, type, "No backend is up.");
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AdminRequestError(400, `Name of the backend: expected percent-encoded UTF-8, got ${show(text)}.`);
  }
}
