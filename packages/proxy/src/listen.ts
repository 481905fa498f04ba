import { BALANCER_DEFAULTS } from "./options/defaults.js";
import type { ListenAddress, ListenOptions } from "./options/options.js";
import { isSocketPath } from "./options/resolve-options.js";
import type { AddressInfo, Server } from "node:net";

/** The balancer could not listen; `code` is the system's (`EADDRINUSE`, `EACCES`, ...) and `cause` its error. */
export class BalancerListenError extends Error {
  override readonly name = "BalancerListenError";
  readonly code: string | undefined;

  constructor(message: string, cause?: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause?.code;
  }
}

/** Lets a server listen; resolves with its address, rejects with a `BalancerListenError`. */
export async function listen(server: Server, options: ListenOptions, scheme = "http"): Promise<ListenAddress> {
  const { port = BALANCER_DEFAULTS.port, host = BALANCER_DEFAULTS.host, backlog = BALANCER_DEFAULTS.backlog } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new BalancerListenError(
      `port: expected a whole number from 0 to 65535 (0 takes any free port), got ${port}.`,
    );
  }
  const { path } = options;
  if (path !== undefined && !isSocketPath(path)) {
    throw new BalancerListenError(
      `path: expected the path of a Unix socket, 1 to 107 bytes long; got ${JSON.stringify(path)}.`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      const what = TROUBLE.get(`${path === undefined ? "port" : "path"} ${error.code}`) ?? error.message;
      reject(new BalancerListenError(`Cannot listen on ${path ?? `${host}:${port}`}: ${what}`, error));
    };
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

/** What the system's errors mean for a port and for the path of a Unix socket. */
const TROUBLE: ReadonlyMap<string, string> = new Map([
  ["port EADDRINUSE", "the port is in use. Stop what listens there, or choose another port (0 takes any free one)."],
  [
    "path EADDRINUSE",
    "there is a file already. Stop what listens there; if nothing does, a process has left it behind: " +
      "delete it, or choose another path.",
  ],
  // What the system calls ENOENT, Node calls EACCES here.
  ["path EACCES", "its folder does not exist, or may not be written to. Create it, or choose another path."],
  ["path ENOTDIR", "a part of it is a file and no folder. Choose another path."],
]);
