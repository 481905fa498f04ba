import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import {
  cannotListen,
  checkOptions,
  runningHere,
  urlOf,
  type BackendOptions,
  type Endpoint,
  type RunningBackend,
} from "./backend.js";
import { BACKEND_DEFAULTS } from "./defaults.js";
import { createHandler, resolveHandler } from "./handlers.js";
import type { Handler } from "./work.js";

/** How often connections that have become idle are looked for while a server stops, in ms. */
const IDLE_CHECK_MS = 20;

/**
 * Starts a sample server in this process; resolves when it listens. Throws a `HandlerSpecError` or a
 * `BackendStartError`.
 */
export async function startSingle(options: BackendOptions): Promise<RunningBackend> {
  return serveHandler(createHandler(resolveHandler(options.handler)), checkOptions(options));
}

/** Lets a handler serve; `afterStop` is done when no connection is left. Rejects with a `BackendStartError`. */
export async function serveHandler(
  handler: Handler,
  endpoint: Endpoint,
  afterStop: () => Promise<void> | void = () => undefined,
): Promise<RunningBackend> {
  let requests = 0;
  const server = createServer({ noDelay: true }, (request, response) => {
    requests += 1;
    if (endpoint.identify) response.setHeader("x-worker", String(process.pid));
    handler(request, response);
  });
  server.keepAliveTimeout = BACKEND_DEFAULTS.keepAliveTimeoutMs;
  // A slow request is a measurement, not an attack.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  const url = urlOf(endpoint.host, await listen(server, endpoint));
  return runningHere(
    url,
    () => requests,
    async (graceMs) => {
      const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const end = setTimeout(() => server.closeAllConnections(), graceMs);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearInterval(idleCheck);
      clearTimeout(end);
      await afterStop();
    },
  );
}

/** Lets a server listen; resolves with its port, or rejects with a `BackendStartError`. */
export async function listen(server: Server, { host, port }: Endpoint): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(host, port, error)));
    server.listen({ host, port, backlog: BACKEND_DEFAULTS.backlog }, resolve);
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the server.
  server.on("error", () => undefined);
  return (server.address() as AddressInfo).port;
}
