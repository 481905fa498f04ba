import { performance } from "node:perf_hooks";
import { NEAR_LIMIT } from "../../judge/operating-system.js";
import type { NetworkSettings, PortsTaken, PortTaker } from "../../model/pressure.js";
import { addressOf } from "../../stats/url-address.js";
import type { DestinationWatch } from "./destination-watch.js";
import type { Destination } from "./read-destinations.js";
import type { SocketCounts } from "./read-sockets.js";

/** Who had most ports taken, and for which destination. */
export interface PortAccount {
  /** Looks who takes them, if there are enough sockets for it to matter and the last look is long enough ago. */
  readonly look: (sockets: SocketCounts | null) => Promise<void>;
  /** The most that was seen of each side; `undefined` when there never was a reason to look. */
  readonly most: () => readonly PortsTaken[] | undefined;
}

/** A look visits every socket and takes about 10 µs for each; with this time between two it is 0.5 % of a core. */
const REST_PER_SOCKET_MS = 2;

/**
 * Opens the account of a step.
 *
 * @param url of the load: connections to its port are the generator's, the others its balancer's, if there is one.
 */
export function openPortAccount(
  url: string,
  isBalanced: boolean,
  settings: NetworkSettings | undefined,
  destinations: DestinationWatch | undefined,
): PortAccount {
  const most = new Map<PortTaker, PortsTaken>();
  const ports = settings?.ephemeralPorts ?? null;
  let restUntilMs = 0;
  let hasLooked = false;
  return {
    look: async (sockets) => {
      if (ports === null || sockets === null || performance.now() < restUntilMs) return;
      const busiest = await destinations?.lookBeyond(ports * NEAR_LIMIT, sockets);
      if (busiest === undefined) return;
      restUntilMs = performance.now() + (sockets.inUse + sockets.timeWait) * REST_PER_SOCKET_MS;
      hasLooked = true;
      for (const seen of attributePorts(busiest, url, isBalanced)) {
        if (seen.taken > (most.get(seen.process)?.taken ?? 0)) most.set(seen.process, seen);
      }
    },
    most: () => (hasLooked ? [...most.values()] : undefined),
  };
}

/** The busiest destination of the generator, and of its balancer if there is one, of a list with the busiest first. */
export function attributePorts(
  destinations: readonly Destination[],
  url: string,
  isBalanced: boolean,
): readonly PortsTaken[] {
  const target = addressOf(url).port;
  const busiest = (process: PortTaker, isIts: (port: number) => boolean): readonly PortsTaken[] =>
    destinations
      .filter(({ port }) => isIts(port))
      .slice(0, 1)
      .map(({ address, port, taken }) => ({ process, destination: describe(address, port), taken }));
  return [
    ...busiest("generator", (port) => port === target),
    ...(isBalanced ? busiest("balancer", (port) => port !== target) : []),
  ];
}

function describe(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}
