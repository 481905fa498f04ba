import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Address } from "./address.js";
import { BACKEND_DEFAULTS } from "./defaults.js";
import type { Handler } from "./handlers/handler-kind.js";

/** A server that listens and counts. */
export interface HandlerServer {
  readonly server: Server;
  readonly port: number;
  /** Requests received so far. */
  readonly requests: () => number;
}

/** Lets a handler serve; rejects with the system's error when the address cannot be listened on. */
export async function serveHandler(handler: Handler, address: Address, identify: boolean): Promise<HandlerServer> {
  let requests = 0;
  const server = createServer({ noDelay: true }, (request, response) => {
    requests += 1;
    if (identify) response.setHeader("x-worker", String(process.pid));
    handler(request, response);
  });
  server.keepAliveTimeout = BACKEND_DEFAULTS.keepAliveTimeoutMs;
  // A slow request is a measurement, not an attack.
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...address, backlog: BACKEND_DEFAULTS.backlog }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the server.
  server.on("error", () => undefined);
  return { server, port: (server.address() as AddressInfo).port, requests: () => requests };
}
