import type { NetworkSettings, Pressure } from "../../model/pressure.js";
import type { WatchedProcess } from "../../model/usage.js";
import { createDescriptorAccount } from "./descriptor-account.js";
import type { DestinationWatch } from "./destination-watch.js";
import { openPortAccount } from "./port-account.js";
import { readSockets, type SocketCounts } from "./read-sockets.js";

/** What a sampler watches. */
export interface PressureInput {
  /** The processes of the target, and those that generate the load. */
  readonly watched: readonly WatchedProcess[];
  /** URL of the load. */
  readonly url: string;
  readonly settings: NetworkSettings | undefined;
  /** Without it nobody looks who has ports taken: where the system does not tell of its sockets. */
  readonly destinations?: DestinationWatch | undefined;
}

/** What a sampler saw; what was thought before is added by whoever thought. */
export type SeenPressure = Omit<Pressure, "portsNeeded">;

/** A sampler at work. */
export interface PressureSampler {
  /** Ends the window, which should be after the load, and tells what was seen in it. */
  readonly stop: () => Promise<SeenPressure>;
}

/** The time between two looks doubles from here: short steps are looked at as well. */
const FIRST_INTERVAL_MS = 250;
const LONGEST_INTERVAL_MS = 1000;

/**
 * Starts to watch ports and descriptors: now, a few times in the first second, then once a second, and at the end. A look
 * takes about half a millisecond of processor time; which connections take the ports is looked up only where it may matter.
 */
export async function startPressureSampler(input: PressureInput): Promise<PressureSampler> {
  const { watched, url, settings, destinations } = input;
  const accounts = watched.map(createDescriptorAccount);
  await Promise.all(accounts.map((account) => account.open()));
  const before = await readSockets();
  const isBalanced = watched.some(({ role }) => role === "balancer");
  const portAccount = openPortAccount(url, isBalanced, settings, destinations);
  let most = before;
  const look = async (): Promise<void> => {
    const [sockets] = await Promise.all([readSockets(), ...accounts.map((account) => account.look())]);
    most = larger(most, sockets);
    await portAccount.look(sockets);
  };
  let looking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const lookIn = (intervalMs: number): void => {
    timer = setTimeout(() => {
      lookIn(Math.min(LONGEST_INTERVAL_MS, intervalMs * 2));
      looking = looking.then(look);
    }, intervalMs).unref();
  };
  lookIn(FIRST_INTERVAL_MS);
  return {
    stop: async () => {
      clearTimeout(timer);
      await looking;
      await look();
      const taken = portAccount.most();
      return {
        ports: settings?.ephemeralPorts ?? null,
        timeWait: before === null || most === null ? null : { before: before.timeWait, most: most.timeWait },
        socketsMost: most?.inUse ?? null,
        ...(taken === undefined ? {} : { portsTaken: taken }),
        descriptors: accounts.flatMap((account) => account.used() ?? []),
      };
    },
  };
}

function larger(a: SocketCounts | null, b: SocketCounts | null): SocketCounts | null {
  if (a === null || b === null) return a ?? b;
  return { inUse: Math.max(a.inUse, b.inUse), timeWait: Math.max(a.timeWait, b.timeWait) };
}
