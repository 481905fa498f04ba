import { once } from "node:events";
import { createServer } from "node:net";
import { BalancerListenError } from "../balancer-listen-error.js";
import { listen } from "../listen.js";
import type { ListenOptions } from "../options/options.js";

/** A place to listen that was free a moment ago, and that this process gives to no other workers until it is released. */
export interface PlaceClaim {
  /** What was asked for, with a port that is a number. */
  readonly place: ListenOptions;
  readonly release: () => void;
}

const claimed = new Set<string>();

/**
 * Finds a free port, or makes sure that the given place is free; rejects with a `BalancerListenError` when it is not.
 * Workers need a number: node:cluster would give all clusters of a process that ask for port 0 the same port, and would
 * let two of them share one without an error.
 */
export async function claimPlace(options: ListenOptions): Promise<PlaceClaim> {
  const probe = createServer();
  const { host, port, url } = await listen(probe, options);
  probe.close();
  await once(probe, "close");
  const key = options.path === undefined ? `${host} ${port}` : url;
  if (claimed.has(key)) {
    const inUse = Object.assign(new Error("in use by other workers of this process"), { code: "EADDRINUSE" });
    throw new BalancerListenError(`Cannot listen on ${url}: other workers of this process do.`, inUse);
  }
  claimed.add(key);
  const place = options.path === undefined ? { ...options, port } : options;
  return { place, release: () => void claimed.delete(key) };
}
