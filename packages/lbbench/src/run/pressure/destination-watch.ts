import type { NetworkSettings } from "../../model/pressure.js";
import { readDestinations, type Destination } from "./read-destinations.js";
import type { SocketCounts } from "./read-sockets.js";
import { readText } from "../../system/proc.js";

/** Tells who has local ports taken, and visits every socket of the machine only where somebody can have many. */
export interface DestinationWatch {
  /**
   * Resolves with the destinations for which most ports are taken, the most taken first; with `undefined`, at little cost, where
   * none can have more than `limit`.
   *
   * @param sockets there are now, in all.
   */
  readonly lookBeyond: (limit: number, sockets: SocketCounts) => Promise<readonly Destination[] | undefined>;
}

/** How a watch reads the machine; all of it is real without this. */
export interface DestinationReading {
  readonly destinations: (settings: NetworkSettings) => Promise<readonly Destination[]>;
  /** Connections begun by this machine since it was started; `null` where nobody tells. */
  readonly activeOpens: () => Promise<number | null>;
}

const MACHINE: DestinationReading = { destinations: readDestinations, activeOpens: readActiveOpens };

/**
 * Opens a watch that remembers its last look: since then a destination can only have gained as many ports as connections were
 * begun. So tens of thousands of sockets that others have left cost one look, not several for each step.
 */
export function watchDestinations(
  settings: NetworkSettings,
  { destinations, activeOpens }: DestinationReading = MACHINE,
): DestinationWatch {
  let last: { readonly most: number; readonly opens: number } | undefined;
  return {
    lookBeyond: async (limit, { inUse, timeWait }) => {
      // No destination can have more than all together.
      if (inUse + timeWait <= limit) return undefined;
      // Before the sockets are visited: what is begun meanwhile may be counted twice, but not missed.
      const opens = await activeOpens();
      if (last !== undefined && opens !== null && last.most + (opens - last.opens) <= limit) return undefined;
      const seen = await destinations(settings);
      if (opens !== null) last = { most: seen[0]?.taken ?? 0, opens };
      return seen;
    },
  };
}

async function readActiveOpens(): Promise<number | null> {
  return parseActiveOpens(await readText("/proc/net/snmp"));
}

/** Reads `ActiveOpens` of /proc/net/snmp, whose two lines `Tcp:` are the names and the values; `null` where it is not there. */
export function parseActiveOpens(text: string): number | null {
  const [names = [], values = []] = text
    .split("\n")
    .filter((line) => line.startsWith("Tcp:"))
    .map((line) => line.split(" "));
  const value = Number(values[names.indexOf("ActiveOpens")]);
  return Number.isFinite(value) ? value : null;
}
