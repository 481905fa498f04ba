import type { Front } from "../front.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { createPool } from "../pool/pool.js";
import { openLinkBy } from "../transports/open-link.js";
import { createDeadlines, tickFor } from "./deadlines.js";
import { Exchange } from "./exchange.js";
import type { HttpContext } from "./http-context.js";
import { createHttpServer } from "./http-server.js";
import { severUpgrades } from "./upgrade/link-upgrades.js";
import { UpgradeExchange } from "./upgrade/upgrade-exchange.js";

/** Mode `http`: a server that balances requests. `onRefused` counts those that no backend was given, by status. */
export function createHttpFront(options: ResolvedOptions, onRefused: (status: string) => void): Front {
  const { mode, backends, policy, limits, health, backendTls, timeouts } = options;
  const openLink = openLinkBy(options);
  const pool = createPool({
    mode,
    backends,
    policy,
    limits,
    health,
    backendTls,
    openLink,
    closeLink: (link) => {
      severUpgrades(link);
      return link.close();
    },
    onDismissed: (waiters) => {
      for (const waiter of waiters)
        if (waiter instanceof Exchange || waiter instanceof UpgradeExchange) waiter.dismissed();
    },
  });
  const { connectMs, responseMs, idleMs, queueMs } = timeouts;
  const deadlines = createDeadlines(tickFor([connectMs, responseMs, idleMs, queueMs]));
  const context: HttpContext = {
    options,
    headOptions: { forwarded: options.forwarded, via: options.via, secure: options.tls !== undefined },
    pool,
    deadlines,
    closing: false,
    ending: new Set(),
    onRefused: (status) => onRefused(String(status)),
  };
  const { server, connections, endIdle, endAll, closed } = createHttpServer(context);
  return {
    server,
    pool,
    connections,
    beginClosing: () => {
      context.closing = true;
    },
    endIdle,
    endAll,
    stop: () => {
      deadlines.stop();
      return closed();
    },
  };
}
