import { holdMs, isLoopback } from "../../judge/port-need.js";
import type { NetworkSettings } from "../../model/pressure.js";
import { readText } from "../../system/proc.js";

/** Ports that cannot be used for another connection to a destination yet. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  readonly taken: number;
}

/**
 * Counts the local ports that are taken for connections to each destination, the most taken first. It visits every socket
 * of the machine (190 ms of processor time for 19 000), so it is nothing to do while load is measured without a reason. Empty outside Linux.
 */
export async function readDestinations(settings: NetworkSettings): Promise<readonly Destination[]> {
  const [v4, v6] = await Promise.all([readText("/proc/net/tcp"), readText("/proc/net/tcp6")]);
  return countDestinations(`${v4}${v6}`, settings);
}

const TIME_WAIT = "06";
const LISTENING = "0A";
const TIME_WAIT_MS = 60_000;
/** The tables count in ticks of USER_HZ, which is 100 on every architecture that Node.js runs on. */
const TICK_MS = 10;

/** Does what {@link readDestinations} does, with the text of /proc/net/tcp and /proc/net/tcp6. */
export function countDestinations(tables: string, settings: NetworkSettings): readonly Destination[] {
  const counts = new Map<string, { readonly remote: string; taken: number }>();
  for (const [, from = "", to = "", toPort = "", state, timer = ""] of tables.matchAll(ROW)) {
    if (state === LISTENING || (state === TIME_WAIT && isFree(timer, to, settings))) continue;
    const key = `${from} ${to}:${toPort}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { remote: `${to}:${toPort}`, taken: 1 });
    else found.taken++;
  }
  // The accepting side of a connection on this machine has a row as well; each of its destinations is there once.
  return [...counts.values()]
    .toSorted((a, b) => b.taken - a.taken)
    .slice(0, KEPT)
    .map(({ remote, taken }) => {
      const [address = "", port = ""] = remote.split(":");
      return { address: readAddress(address), port: Number.parseInt(port, 16), taken };
    });
}

const KEPT = 20;

/** ` 0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000 03:00001770 ...`: local and remote, state, queues, timer. */
const ROW =
  /^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;

/** Whether a port in TIME_WAIT has rested long enough; the timer says how much of its minute is left. */
function isFree(timer: string, remote: string, settings: NetworkSettings): boolean {
  const restedMs = TIME_WAIT_MS - Number.parseInt(timer, 16) * TICK_MS;
  return restedMs > holdMs(settings, isLoopback(readAddress(remote)));
}

/** The kernel prints addresses as words of 32 bits in the byte order of the machine. */
function readAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed());
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16));
  if (numbers.length === 4) return numbers.join(".");
  const isMapped = numbers.slice(0, 10).every((byte) => byte === 0) && numbers[10] === 255 && numbers[11] === 255;
  if (isMapped) return numbers.slice(12).join(".");
  const groups = (bytes.join("").match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
