/** Ports, sockets and descriptors: what the system allows, what is taken, and what a step needs and takes of them. `null` outside Linux. */
import { readdirSync, statSync } from "node:fs";
import { foreseePressure, type ProcessBefore } from "../judge/foresee-pressure.js";
import { NEAR_LIMIT } from "../judge/operating-system.js";
import { holdMs, isLoopback, portNeed, portSupply } from "../judge/port-need.js";
import type { Finding } from "../model/finding.js";
import type { Level } from "../model/level.js";
import type { DescriptorUse, NetworkSettings, PortsTaken, PortTaker, Pressure } from "../model/pressure.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import type { WatchedProcess } from "../model/usage.js";
import { addressOf } from "../stats/url-address.js";
import { readAddress } from "./listen.js";
import { processTree, readProcFile, readText, TICK_MS } from "./proc.js";

/** The first and the last port of a range. */
export type PortRange = readonly [first: number, last: number];

const IPV4 = "/proc/sys/net/ipv4";

/** How long a port in TIME_WAIT rests where the kernel has no setting for it: a clock of whole seconds has to go on. */
const FIXED_REUSE_DELAY_MS = 1000;

/** The ephemeral ports, first and last; `null` where the system does not tell. */
export function readPortRange(): PortRange | null {
  return parsePortRange(readProcFile(`${IPV4}/ip_local_port_range`));
}

/** Reads `32768	60999`, as in net.ipv4.ip_local_port_range; `null` when it is something else. */
export function parsePortRange(text: string): PortRange | null {
  const [, first, last] = /^\s*(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
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

/**
 * Counts the ports of a range that are not reserved.
 *
 * @param reserved as in net.ipv4.ip_local_reserved_ports: `8080,9000-9010`, mostly empty.
 */
export function countPorts([first, last]: PortRange, reserved: string): number {
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

/** Reads how many connections were begun here, from /proc/net/snmp, whose two lines `Tcp:` are the names and the values. */
export function parseActiveOpens(text: string): number | null {
  const [names = [], values = []] = text
    .split("\n")
    .filter((line) => line.startsWith("Tcp:"))
    .map((line) => line.split(" "));
  const value = Number(values[names.indexOf("ActiveOpens")]);
  return Number.isFinite(value) ? value : null;
}

/** Ports that cannot be used for another connection to a destination yet. */
export interface Destination {
  readonly address: string;
  readonly port: number;
  readonly taken: number;
}

/**
 * Counts the local ports that are taken for connections to each destination, the most taken first. It visits every socket
 * of the machine (190 ms of processor time for 19,000), so it is nothing to do while load is measured without a reason.
 */
async function readDestinations(settings: NetworkSettings): Promise<readonly Destination[]> {
  return countDestinations(`${await readText("/proc/net/tcp")}${await readText("/proc/net/tcp6")}`, settings);
}

const TIME_WAIT = "06";
const LISTENING = "0A";
const TIME_WAIT_MS = 60_000;
const KEPT_DESTINATIONS = 20;

/** ` 0: 0100007F:1F90 0100007F:9C40 06 00000000:00000000 03:00001770 ...`: local and remote, state, queues, timer. */
const ROW =
  /^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;

/** Does what {@link readDestinations} does, with the text of /proc/net/tcp and /proc/net/tcp6. */
export function countDestinations(tables: string, settings: NetworkSettings): readonly Destination[] {
  // Whether a port in TIME_WAIT has rested long enough; the timer says how much of its minute is left.
  const isFree = (timer: string, remote: string): boolean =>
    TIME_WAIT_MS - Number.parseInt(timer, 16) * TICK_MS > holdMs(settings, isLoopback(readAddress(remote)));
  const counts = new Map<string, { readonly to: string; readonly port: number; taken: number }>();
  for (const [, from = "", to = "", toPort = "", state, timer = ""] of tables.matchAll(ROW)) {
    if (state === LISTENING || (state === TIME_WAIT && isFree(timer, to))) continue;
    const key = `${from} ${to}:${toPort}`;
    const found = counts.get(key);
    if (found === undefined) counts.set(key, { to, port: Number.parseInt(toPort, 16), taken: 1 });
    else found.taken++;
  }
  // The accepting side of a connection on this machine has a row as well; each of its destinations is there once.
  return [...counts.values()]
    .toSorted((a, b) => b.taken - a.taken)
    .slice(0, KEPT_DESTINATIONS)
    .map(({ to, port, taken }) => ({ address: readAddress(to), port, taken }));
}

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

/**
 * Opens a watch that remembers its last look: since then a destination can only have gained as many ports as connections were
 * begun. So tens of thousands of sockets that others have left cost one look, not several for each step.
 */
export function watchDestinations(settings: NetworkSettings): DestinationWatch {
  let last: { readonly most: number; readonly opens: number } | undefined;
  return {
    lookBeyond: async (limit, { inUse, timeWait }) => {
      // No destination can have more than all together.
      if (inUse + timeWait <= limit) return undefined;
      // Before the sockets are visited: what is begun meanwhile may be counted twice, but not missed.
      const opens = parseActiveOpens(readProcFile("/proc/net/snmp"));
      if (last !== undefined && opens !== null && last.most + (opens - last.opens) <= limit) return undefined;
      const seen = await readDestinations(settings);
      if (opens !== null) last = { most: seen[0]?.taken ?? 0, opens };
      return seen;
    },
  };
}

/** How many descriptors a process may have open. */
export interface DescriptorLimit {
  /** `null` for no limit. */
  readonly soft: number | null;
  /** What the process may raise the soft limit to; Node.js does so when it starts. */
  readonly hard: number | null;
}

/** Reads the limit of a process, by pid or `self`; `undefined` when it is not told. */
export function readDescriptorLimit(pid: number | "self"): DescriptorLimit | undefined {
  return parseDescriptorLimit(readProcFile(`/proc/${pid}/limits`));
}

/** Reads the line of /proc/PID/limits about open files. */
export function parseDescriptorLimit(text: string): DescriptorLimit | undefined {
  const [, soft, hard] = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(text) ?? [];
  if (soft === undefined || hard === undefined) return undefined;
  const toLimit = (word: string): number | null => (word === "unlimited" ? null : Number(word));
  return { soft: toLimit(soft), hard: toLimit(hard) };
}

/** Where descriptors have to be visited one by one: they are again after this time for each, which is 0.5 % of a core. */
const REST_PER_VISIT_MS = 0.4;

/**
 * Counts the open descriptors of a process; `null` when they cannot be seen. Since Linux 6.2 the size of the folder is
 * their number (0.03 ms whatever there is); before, they have to be visited (17 ms for 19 000), not again before `restMs`.
 */
export function countDescriptors(pid: number): { readonly open: number; readonly restMs: number } | null {
  const folder = `/proc/${pid}/fd`;
  try {
    const { size } = statSync(folder);
    if (size > 0) return { open: size, restMs: 0 };
    const open = readdirSync(folder).length;
    return { open, restMs: open * REST_PER_VISIT_MS };
  } catch {
    return null;
  }
}

/** What a sampler watches. */
export interface PressureInput {
  /** The processes of the target, and those that generate the load. */
  readonly watched: readonly WatchedProcess[];
  /** URL of the load: connections to its port are the generator's, the others its balancer's, if there is one. */
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

/** A look at who has ports taken visits every socket, about 10 µs for each; with this time between two it is 0.5 % of a core. */
const REST_PER_SOCKET_MS = 2;

/**
 * Starts to watch ports and descriptors: now, a few times in the first second, then once a second, and at the end. A look
 * takes about half a millisecond of processor time; which connections take the ports is looked up only where it may matter.
 */
export async function startPressureSampler(input: PressureInput): Promise<PressureSampler> {
  const { watched, url, settings, destinations } = input;
  const isBalanced = watched.some(({ role }) => role === "balancer");
  const ports = settings?.ephemeralPorts ?? null;
  const descriptors = watched.map(watchDescriptors);
  const before = readSockets();
  let most = before;
  let restUntilMs = 0;
  /** Absent until there are enough sockets for it to matter who has ports taken. */
  let taken: Map<PortTaker, PortsTaken> | undefined;
  const look = async (): Promise<void> => {
    for (const one of descriptors) one.look();
    const sockets = readSockets();
    if (sockets === null) return;
    const { inUse, timeWait } = sockets;
    most = { inUse: Math.max(most?.inUse ?? 0, inUse), timeWait: Math.max(most?.timeWait ?? 0, timeWait) };
    if (ports === null || performance.now() < restUntilMs) return;
    const busiest = await destinations?.lookBeyond(ports * NEAR_LIMIT, sockets);
    if (busiest === undefined) return;
    restUntilMs = performance.now() + (inUse + timeWait) * REST_PER_SOCKET_MS;
    taken ??= new Map();
    for (const seen of attributePorts(busiest, url, isBalanced)) {
      if (seen.taken > (taken.get(seen.process)?.taken ?? 0)) taken.set(seen.process, seen);
    }
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
      return {
        ports,
        timeWait: before === null || most === null ? null : { before: before.timeWait, most: most.timeWait },
        socketsMost: most?.inUse ?? null,
        ...(taken === undefined ? {} : { portsTaken: [...taken.values()] }),
        descriptors: descriptors.flatMap((one) => one.used() ?? []),
      };
    },
  };
}

/** Watches the descriptors of a process, and of its descendants where that was asked for; what cannot be seen adds nothing. */
function watchDescriptors({ pid, name, role, tree }: WatchedProcess): {
  readonly look: () => void;
  readonly used: () => DescriptorUse | undefined;
} {
  const members = (tree ? processTree(pid) : [pid]).flatMap((member) => {
    const limit = readDescriptorLimit(member)?.soft;
    return limit === undefined ? [] : [{ pid: member, limit, most: 0, restUntilMs: 0 }];
  });
  const look = (): void => {
    for (const member of members) {
      if (performance.now() < member.restUntilMs) continue;
      const { open = 0, restMs = 0 } = countDescriptors(member.pid) ?? {};
      member.most = Math.max(member.most, open);
      member.restUntilMs = performance.now() + restMs;
    }
  };
  look();
  return {
    look,
    used: () => {
      const share = (one: DescriptorUse): number => (one.limit === null || one.limit === 0 ? 0 : one.most / one.limit);
      return members
        .filter(({ most }) => most > 0)
        .map(({ most, limit }): DescriptorUse => ({ name, role, most, limit }))
        .toSorted((a, b) => share(b) - share(a) || b.most - a.most)[0];
    },
  };
}

/** The busiest destination of the generator, and of its balancer if there is one, of a list with the busiest first. */
export function attributePorts(
  destinations: readonly Destination[],
  url: string,
  isBalanced: boolean,
): readonly PortsTaken[] {
  const target = addressOf(url).port;
  const busiest = (process: PortTaker, isIts: (port: number) => boolean): readonly PortsTaken[] => {
    const found = destinations.find(({ port }) => isIts(port));
    if (found === undefined) return [];
    const { address, port, taken } = found;
    return [{ process, destination: `${address.includes(":") ? `[${address}]` : address}:${port}`, taken }];
  };
  return [
    ...busiest("generator", (port) => port === target),
    ...(isBalanced ? busiest("balancer", (port) => port !== target) : []),
  ];
}

/** What is known before the load of a step. */
export interface ForesightInput {
  readonly load: { readonly url: string; readonly level: Level; readonly generators: number };
  readonly server: { readonly processes: readonly WatchedProcess[] };
  readonly scenario: Scenario;
  readonly environment: Environment;
  /** Steps of the same target that were executed before. */
  readonly earlier: readonly StepResult[];
  /** Without it nobody looks who has ports taken: where the system does not tell of its sockets. */
  readonly destinations?: DestinationWatch | undefined;
}

/** What a step will need, and what to warn of. */
export interface Foresight {
  /** Ports for connections to the target, at most at a time; `null` when nobody can tell. */
  readonly portsNeeded: number | null;
  readonly findings: readonly Finding[];
}

/** Compares what a step needs of ports and descriptors with what there is, just before its load is sent. */
export async function foreseeStep(input: ForesightInput): Promise<Foresight> {
  const { load, server, scenario, environment, earlier, destinations } = input;
  const { host, port: target } = addressOf(load.url);
  const ports = portSupply(environment);
  const rest = holdMs(environment.network, isLoopback(host));
  const portsNeeded = portNeed({ scenario, level: load.level, holdMs: rest, earlier });
  const processes = server.processes.flatMap(({ pid, name, role }): readonly ProcessBefore[] => {
    const counted = countDescriptors(pid);
    const limit = readDescriptorLimit(pid);
    return counted === null || limit === undefined ? [] : [{ name, role, open: counted.open, limit: limit.soft }];
  });
  // Ports that earlier steps, or others, have left taken; too few to matter count for none.
  const sockets = ports === null || portsNeeded === null ? null : readSockets();
  const busiest = sockets && (await destinations?.lookBeyond((ports ?? 0) * NEAR_LIMIT - (portsNeeded ?? 0), sockets));
  const findings = foreseePressure({
    level: load.level,
    generators: load.generators,
    generatorLimit: environment.fdLimit,
    processes,
    ports,
    portsTaken: busiest?.find(({ port }) => port === target)?.taken ?? 0,
    portsNeeded,
  });
  return { portsNeeded, findings };
}
