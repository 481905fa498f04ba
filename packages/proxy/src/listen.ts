import type { AddressInfo, Server } from "node:net";
import { BalancerListenError } from "./balancer-listen-error.js";
import { BALANCER_DEFAULTS } from "./options/defaults.js";
import type { ListenAddress, ListenOptions } from "./options/options.js";

/** Lets a server listen; resolves with its address, rejects with a `BalancerListenError`. */
export async function listen(server: Server, options: ListenOptions, scheme = "http"): Promise<ListenAddress> {
  const { port = BALANCER_DEFAULTS.port, host = BALANCER_DEFAULTS.host, backlog = BALANCER_DEFAULTS.backlog } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new BalancerListenError(
      `port: expected a whole number from 0 to 65535 (0 takes any free port), got ${port}.`,
    );
  }
  const { path } = options;
  const where = path === undefined ? `${host}:${port}` : path;
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(describe(error, where));
    server.once("error", refuse);
    server.listen({ ...(path === undefined ? { port, host } : { path }), backlog }, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  if (path !== undefined) return { port: 0, host: path, url: `unix:${path}` };
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, host, url: `${scheme}://${reachableHost(host)}:${bound}` };
}

function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function describe(error: NodeJS.ErrnoException, place: string): BalancerListenError {
  const where = `Cannot listen on ${place}`;
  if (error.code === "EADDRINUSE") {
    return new BalancerListenError(
      `${where}: the port is in use. Stop what listens there, or choose another port (0 takes any free one).`,
      error,
    );
  }
  return new BalancerListenError(`${where}: ${error.message}`, error);
}
