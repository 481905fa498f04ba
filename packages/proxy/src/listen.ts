import type { AddressInfo, Server } from "node:net";
import { BalancerListenError } from "./balancer-listen-error.js";
import { BALANCER_DEFAULTS } from "./defaults.js";
import type { ListenAddress, ListenOptions } from "./options.js";

/** Lets a server listen; resolves with its address, rejects with a `BalancerListenError`. */
export async function listen(server: Server, options: ListenOptions): Promise<ListenAddress> {
  const { port = BALANCER_DEFAULTS.port, host = BALANCER_DEFAULTS.host, backlog = BALANCER_DEFAULTS.backlog } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new BalancerListenError(
      `port: expected a whole number from 0 to 65535 (0 takes any free port), got ${port}.`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(describe(error, host, port));
    server.once("error", refuse);
    server.listen({ port, host, backlog }, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return { port: bound, host, url: `http://${reachableHost(host)}:${bound}` };
}

function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function describe(error: NodeJS.ErrnoException, host: string, port: number): BalancerListenError {
  const where = `Cannot listen on ${host}:${port}`;
  if (error.code === "EADDRINUSE") {
    return new BalancerListenError(
      `${where}: the port is in use. Stop what listens there, or choose another port (0 takes any free one).`,
      error,
    );
  }
  return new BalancerListenError(`${where}: ${error.message}`, error);
}
