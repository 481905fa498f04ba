import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import type { Address } from "../address.js";
import { cannotListen } from "../backend-start-error.js";

/** A port that was free a moment ago, and that no other cluster of this process will take until it is released. */
export interface PortClaim {
  readonly port: number;
  readonly release: () => void;
}

const claimed = new Set<number>();

/**
 * Finds a free port, or makes sure that the given one is; throws a `BackendStartError` when it is in use. Workers need
 * a number: node:cluster would give all clusters of a process that ask for port 0 the same port, and would let two
 * clusters share one without an error.
 */
export async function claimPort({ host, port }: Address): Promise<PortClaim> {
  const inUse = Object.assign(new Error("address already in use"), { code: "EADDRINUSE" });
  if (claimed.has(port)) throw cannotListen(host, port, inUse);
  const probe = createServer();
  probe.listen({ host, port, exclusive: true });
  await once(probe, "listening").catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(host, port, error);
  });
  const found = (probe.address() as AddressInfo).port;
  if (claimed.has(found)) throw cannotListen(host, found, inUse);
  claimed.add(found);
  probe.close();
  await once(probe, "close");
  return { port: found, release: () => void claimed.delete(found) };
}
