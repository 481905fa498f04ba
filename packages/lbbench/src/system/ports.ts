/** Ports, sockets and descriptors: what the system allows, what is taken, and what a step needs and takes of them. `null` outside Linux. */
import { readdirSync, statSync } from "node:fs";
import { foreseePressure, NEAR_LIMIT } from "../judge/pressure.js";
import { holdMs, portNeed, portSupply } from "../judge/port-need.js";
import type { Finding } from "../model/finding.js";
import type { DescriptorUse, NetworkSettings, PortsTaken, PortTaker, Pressure } from "../model/pressure.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { WatchedProcess } from "../model/usage.js";
import type { Load } from "../plugin.js";
import { connectedTo, formatAddress, isLoopback } from "../stats/url-address.js";
import { readAddress } from "./listen.js";
import { readProcFile, readText, TICK_MS } from "./proc.js";
import { defined } from "../stats/defined.js";

const IPV4 = "/proc/sys/net/ipv4";

/** How long a port in TIME_WAIT rests where the kernel has no setting for it: a clock of whole seconds has to go on. */
const FIXED_REUSE_DELAY_MS = 1000;

/** The ephemeral ports, first and last; `null` where the system does not tell. */
export function readPortRange(): readonly [first: number, last: number] | null {
  const [, first, last] = /^\s*(\d+)\s+(\d+)\s*$/.exec(readProcFile(`${IPV4}/ip_local_port_range`)) ?? [];
  return first === undefined || last === undefined ? null : [Number(first), Number(last)];
}

/** Reads what the system allows for connections; `null` everywhere outside Linux. */
export function readNetworkSettings(): NetworkSettings {
  const range = readPortRange();
  const timestamps = readNumber(`${IPV4}/tcp_timestamps`);
  const tcpTwReuse = readNumber(`${IPV4}/tcp_tw_reuse`);
  const delayMs = readNumber(`${IPV4}/tcp_tw_reuse_delay`) ?? FIXED_REUSE_DELAY_MS;
  return {
    ephemeralPorts: range === null ? null : countPorts(range, readProcFile(`${IPV4}/ip_local_reserved_ports`)),
    tcpTwReuse,
    tcpTwReuseDelayMs: tcpTwReuse === null ? null : delayMs,
    tcpTimestamps: timestamps === null ? null : timestamps !== 0,
    somaxconn: readNumber("/proc/sys/net/core/somaxconn"),
    tcpMaxSynBacklog: readNumber(`${IPV4}/tcp_max_syn_backlog`),
  };
}

function readNumber(path: string): number | null {
  const text = readProcFile(path).trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

/** Counts the ports of a range that are not reserved, as by `8080,9000-9010` in net.ipv4.ip_local_reserved_ports. */
export function countPorts([first, last]: readonly [number, number], reserved: string): number {
  const taken = new Set<number>();
  for (const part of reserved.trim().split(",")) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    for (let port = Math.max(first, Number(from)); port <= Math.min(last, Number(to)); port++) taken.add(port);
  }
  return Math.max(0, last - first + 1 - taken.size);
}

/** How many TCP sockets there are in this network namespace, of whatever program. */
export interface SocketCounts {
  /** Without those in TIME_WAIT. */
  readonly inUse: number;
  readonly timeWait: number;
}

/** Counts TCP sockets, of both versions of IP, for about 0.5 ms of processor time; `null` outside Linux. */
export function readSockets(): SocketCounts | null {
  return parseSockets(readProcFile("/proc/net/sockstat"), readProcFile("/proc/net/sockstat6"));
}

/** Reads /proc/net/sockstat, whose `tw` counts both versions, and /proc/net/sockstat6, which may be missing. */
export function parseSockets(v4: string, v6: string): SocketCounts | null {
  const [, inUse, timeWait] = /^TCP: inuse (\d+).* tw (\d+)/m.exec(v4) ?? [];
  if (inUse === undefined || timeWait === undefined) return null;
  const inUseV6 = /^TCP6: inuse (\d+)/m.exec(v6)?.[1] ?? "0";
  return { inUse: Number(inUse) + Number(inUseV6), timeWait: Number(timeWait) };
}

/** Ports that cannot be used for another connection to a destination yet. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  readonly taken: number;
}

/** The last visit of all sockets: how many ports one destination had taken at most, and how many connections had been opened by then. */
let lastVisit = { most: Infinity, opened: 0 };

/**
 * Counts the local ports that are taken for connections to each destination, the most taken first; none where that cannot be more than
 * `limit`: by the number of all sockets, or of the connections that were opened since this was counted last. Counting visits every
 * socket of the machine (190 ms of processor time for 19,000), and short steps leave tens of thousands that rest and are free again.
 */
async function readDestinations(
  settings: NetworkSettings,
  { inUse, timeWait }: SocketCounts,
  limit: number,
): Promise<readonly Destination[]> {
  if (inUse + timeWait <= limit) return [];
  const opened = countOpened();
  if (lastVisit.most + opened - lastVisit.opened <= limit) return [];
  const tables = `${await readText("/proc/net/tcp")}${await readText("/proc/net/tcp6")}`;
  const destinations = countDestinations(tables, settings);
  lastVisit = { most: destinations[0]?.taken ?? 0, opened };
  return destinations;
}

/** How many connections were opened from here since the machine started, of both versions of IP; `NaN` where that is not told. */
function countOpened(): number {
  return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(readProcFile("/proc/net/snmp"))?.[1]);
}

const TIME_WAIT = "06";
const LISTENING = "0A";
const TIME_WAIT_MS = 60_000;

/** ` 0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000 03:00001770 ...`: local and remote, state, queues, timer. */
const ROW =
  /^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;

/** Does what {@link readDestinations} does, with the text of /proc/net/tcp and /proc/net/tcp6. */
export function countDestinations(tables: string, settings: NetworkSettings): readonly Destination[] {
  // Whether a port in TIME_WAIT has rested long enough; the timer says how much of its minute is left.
  const holds = new Map<string, number>();
  const isFree = (timer: string, remote: string): boolean => {
    const hold = holds.get(remote) ?? holdMs(settings, isLoopback(readAddress(remote)));
    holds.set(remote, hold);
    return TIME_WAIT_MS - Number.parseInt(timer, 16) * TICK_MS > hold;
  };
  const counts = new Map<string, number>();
  for (const [, from = "", to = "", port = "", state, timer = ""] of tables.matchAll(ROW)) {
    if (state === LISTENING || (state === TIME_WAIT && isFree(timer, to))) continue;
    const ends = `${from} ${to} ${port}`;
    counts.set(ends, (counts.get(ends) ?? 0) + 1);
  }
  // The accepting side of a connection on this machine has a row as well; each of its destinations is there once.
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([ends, taken]) => {
      const [, to = "", port = ""] = ends.split(" ");
      return { address: readAddress(to), port: Number.parseInt(port, 16), taken };
    });
}

/** How many descriptors a process may have open, and how many it may raise that to, as Node.js does at its start; `null` for no limit. */
export interface DescriptorLimit {
  readonly soft: number | null;
  readonly hard: number | null;
}

/** Reads the limit of a process, by pid or `self`; `undefined` when it is not told. */
export function readDescriptorLimit(pid: number | "self"): DescriptorLimit | undefined {
  const line = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(readProcFile(`/proc/${pid}/limits`));
  const toLimit = (word: string | undefined): number | null => (word === "unlimited" ? null : Number(word));
  return line === null ? undefined : { soft: toLimit(line[1]), hard: toLimit(line[2]) };
}

/** Counts the open descriptors of a process; `null` when they cannot be seen. Since Linux 6.2 the size of the folder is their number. */
export function countDescriptors(pid: number): number | null {
  const folder = `/proc/${pid}/fd`;
  try {
    return statSync(folder).size || readdirSync(folder).length;
  } catch {
    return null;
  }
}

/** What was seen of a step; what was foreseen is for others to add. */
export type SeenPressure = Omit<Pressure, "portsNeeded">;

const LOOK_INTERVAL_MS = 500;

/** To look at taken ports visits every socket, about 10 µs for each. This pause for each makes it 0.5 % of a core. */
const REST_PER_SOCKET_MS = 2;

/**
 * Starts to watch ports and descriptors: now, twice a second, and when the function is called that is returned, which should be after
 * the load. A look takes about half a millisecond of processor time; who takes the ports is looked up only where it may matter.
 *
 * @param watched the processes of the target, and those that generate the load.
 * @param target the port of the load: connections to it are the generator's, the others its balancer's, if there is one.
 * @param pidsOf which processes are counted for each of those watched, as of now.
 */
export function startPressureSampler(
  watched: readonly WatchedProcess[],
  target: number | undefined,
  settings: NetworkSettings | undefined,
  pidsOf: (one: WatchedProcess) => readonly number[],
): () => Promise<SeenPressure> {
  const isBalanced = watched.some(({ role }) => role === "balancer");
  const ports = settings?.ephemeralPorts ?? null;
  const descriptors = watched.map((one) => watchDescriptors(one, () => pidsOf(one)));
  const before = readSockets();
  let most = before;
  let restUntilMs = 0;
  const taken = new Map<PortTaker, PortsTaken>();
  const look = async (): Promise<void> => {
    for (const one of descriptors) one.look();
    const sockets = readSockets();
    if (sockets === null) return;
    const { inUse, timeWait } = sockets;
    most = { inUse: Math.max(most?.inUse ?? 0, inUse), timeWait: Math.max(most?.timeWait ?? 0, timeWait) };
    if (settings === undefined || ports === null || performance.now() < restUntilMs) return;
    const destinations = await readDestinations(settings, sockets, ports * NEAR_LIMIT);
    if (destinations.length > 0) restUntilMs = performance.now() + (inUse + timeWait) * REST_PER_SOCKET_MS;
    for (const seen of attributePorts(destinations, target, isBalanced)) {
      if (seen.taken > (taken.get(seen.process)?.taken ?? 0)) taken.set(seen.process, seen);
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => void (looking = looking.then(look)), LOOK_INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await looking;
    // Now there is no load to disturb.
    restUntilMs = 0;
    await look();
    return {
      ports,
      timeWait: before === null || most === null ? null : { before: before.timeWait, most: most.timeWait },
      socketsMost: most?.inUse ?? null,
      ...defined({ portsTaken: taken.size === 0 ? undefined : [...taken.values()] }),
      descriptors: descriptors.flatMap((one) => one.fullest() ?? []),
    };
  };
}

/** Watches the descriptors of all that is counted for a process; what cannot be seen adds nothing. */
function watchDescriptors({ name, role }: WatchedProcess, pids: () => readonly number[]) {
  const members = new Map<number, DescriptorUse>();
  const look = (): void => {
    for (const pid of pids()) {
      const { most, limit } = members.get(pid) ?? { most: 0, limit: readDescriptorLimit(pid)?.soft ?? null };
      members.set(pid, { name, role, most: Math.max(most, countDescriptors(pid) ?? 0), limit });
    }
  };
  look();
  const fullest = (): DescriptorUse | undefined => {
    const share = ({ most, limit }: DescriptorUse): number => most / (limit ?? Infinity);
    return [...members.values()]
      .filter(({ most }) => most > 0)
      .toSorted((a, b) => share(b) - share(a) || b.most - a.most)[0];
  };
  return { look, fullest };
}

/** The busiest destination of the generator, and of its balancer if there is one, of a list with the busiest first. */
export function attributePorts(
  destinations: readonly Destination[],
  target: number | undefined,
  isBalanced: boolean,
): readonly PortsTaken[] {
  const takers: readonly PortTaker[] = isBalanced ? ["generator", "balancer"] : ["generator"];
  return takers.flatMap((process) => {
    const found = destinations.find(({ port }) => (port === target) === (process === "generator"));
    if (found === undefined) return [];
    const { address, port, taken } = found;
    return { process, destination: formatAddress({ host: address, port }), taken };
  });
}

/**
 * Compares what a step needs of ports and descriptors with what there is, just before its load is sent: the ports for connections to
 * the target, at most at a time (`null` when that is unknown), and what to warn of.
 *
 * @param earlier steps of the same target that were executed before.
 */
export async function foreseeStep(
  { url, level, generators, hold, connectTo }: Pick<Load, "url" | "level" | "generators" | "hold" | "connectTo">,
  processes: readonly WatchedProcess[],
  scenario: Scenario,
  environment: Environment,
  earlier: readonly StepResult[],
): Promise<{ readonly portsNeeded: number | null; readonly findings: readonly Finding[] }> {
  const { network, fdLimit } = environment;
  const { host, port: target } = connectedTo(url, connectTo) ?? {};
  // The ports and descriptors of workers are those of other machines.
  const isHere = scenario.engine.workers === undefined;
  const takesPorts = isHere && host !== undefined;
  const each = takesPorts ? portSupply(environment) : null;
  const ports = each === null ? null : each * Math.max(1, hold?.sources.length ?? 1);
  const restMs = holdMs(network, host === undefined || isLoopback(host));
  const portsNeeded = takesPorts ? portNeed({ scenario, level, holdMs: restMs, earlier }) : null;
  // Ports that earlier steps, or others, have left taken; too few to matter count for none.
  const sockets = ports === null || portsNeeded === null ? null : readSockets();
  const limit = (ports ?? 0) * NEAR_LIMIT - (portsNeeded ?? 0);
  const destinations = network && sockets ? await readDestinations(network, sockets, limit) : [];
  const findings = foreseePressure({
    level,
    generators,
    generatorLimit: isHere ? fdLimit : null,
    isHeld: hold !== undefined,
    processes: processes.flatMap(({ pid, name, role, keepsNone }) => {
      const open = countDescriptors(pid);
      const allowed = readDescriptorLimit(pid);
      return open === null || allowed === undefined ? [] : [{ name, role, open, limit: allowed.soft, keepsNone }];
    }),
    ports,
    portsTaken: destinations.find(({ port }) => port === target)?.taken ?? 0,
    portsNeeded,
  });
  return { portsNeeded, findings };
}
