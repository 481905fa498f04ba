import type { Front } from "../front.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { createPool } from "../pool/create-pool.js";
import { createTcpServer } from "./create-tcp-server.js";
import { redirectDismissed } from "./backend-search.js";
import { closeRelayLink, openRelayLink } from "./relay-link.js";

/** Mode `tcp`: a server that relays connections. `onRefused` counts those that no backend was given. */
export function createTcpFront(options: ResolvedOptions, onRefused: (status: string) => void): Front {
  const { mode, backends, policy, limits, health, backendTls, timeouts, retries, tls, onRequest } = options;
  const pool = createPool({
    mode,
    backends,
    policy,
    limits,
    health,
    backendTls,
    openLink: openRelayLink,
    closeLink: closeRelayLink,
    onDismissed: redirectDismissed,
  });
  const { server, openConnections, destroyAll, closed } = createTcpServer({
    pool,
    timeouts,
    retries,
    tls,
    onRefused: () => onRefused("reset"),
    onEnd: onRequest,
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the balancer.
  server.on("error", () => undefined);
  return {
    server,
    pool,
    connections: openConnections,
    // What is said on a connection is not known, so nobody can be asked to end it, nor is it known to be idle.
    beginClosing: () => undefined,
    endIdle: () => undefined,
    endAll: destroyAll,
    stop: closed,
  };
}
