/** What processes and the machine use while load is measured: processor, memory, threads and event loops. */
import { attributeBottleneck } from "../judge/bottleneck.js";
import type { DescendantUsage, LiveUsage, ProcessUsage, Role, Usage, WatchedProcess } from "../model/usage.js";
import type { LoopReading, ProbeHub } from "./probe.js";
import { loopUtilization } from "./probe.js";
import {
  allowedCores,
  machineShares,
  processTrees,
  readMachineTimes,
  readProcStat,
  readThreads,
  TICK_MS,
  type AllowedCores,
  type MachineShares,
  type ProcStat,
} from "./proc.js";

/** What the watched processes and the machine used in a window. */
export interface UsageWindow extends MachineShares {
  readonly processes: readonly (ProcessUsage & Pick<WatchedProcess, "role">)[];
  readonly windowMs: number;
}

/** A sampler at work. */
export interface UsageSampler {
  /** Ends the window and tells what was used in it. */
  readonly stop: () => Promise<UsageWindow>;
}

/** Asks processes of Node how busy their event loops are. */
export type Probes = Pick<ProbeHub, "read">;

/** Who hears, at every look, what was used since the last one. */
export interface UsageListener {
  /** Processes that it is told of beside the watched ones. */
  readonly beside: readonly WatchedProcess[];
  readonly onUsage: (usage: LiveUsage) => void;
}

/** What the system says of a process; only the first two are known everywhere. */
export type ProcessReading = Pick<ProcStat, "cpuMs" | "rssBytes"> &
  Partial<Pick<ProcStat, "name" | "reapedCpuMs" | "threads">>;

/** What is known of processes at one moment, by pid. */
export interface ProcessSnapshot {
  /** The descendants of those that were asked for, themselves first. */
  readonly trees: ReadonlyMap<number, readonly number[]>;
  readonly processes: ReadonlyMap<number, ProcessReading>;
  /** Processor time of each thread in ms, by process and thread; at the end only of processes that used any. */
  readonly threads: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly loops: ReadonlyMap<number, LoopReading>;
  /** At the end alone. */
  readonly cores: ReadonlyMap<number, AllowedCores>;
}

/** Whether reading is so cheap that it can be done often: elsewhere than on Linux it runs a program. */
const READING_IS_CHEAP = process.platform === "linux";

/** How often memory is looked at: on Linux a look at 20 processes takes from half a millisecond to two. */
const LOOK_INTERVAL_MS = READING_IS_CHEAP ? 1000 : 2000;

/**
 * Starts to watch processes. Processor time is the difference between a reading at the start and one at the end, so it
 * is of the window alone; for a process that ends in between, the last look (one a second on Linux) stands for the
 * end. Memory is the largest of these looks. What costs more (descendants, threads, event loops) is asked at the
 * start and at the end only, while there is no load. Event loops are known where there are `probes`. What a `listener`
 * hears comes from the same looks. A process that was found, and is gone at the end, is left out: another may serve in its place.
 */
export async function startUsageSampler(
  watched: readonly WatchedProcess[],
  probes?: Probes,
  listener?: UsageListener,
): Promise<UsageSampler> {
  const beside = listener?.beside ?? [];
  const atBesides = await readProcesses(beside.map(({ pid }) => pid));
  const opening = await takeSnapshot(watched, probes);
  const usageSince = createLiveUsage([...watched, ...beside], opening.trees);
  usageSince(new Map([...opening.processes, ...atBesides]), performance.now());
  const machineBefore = readMachineTimes();
  const startMs = performance.now();
  const accounts = watched.map((one) => openProcessAccount(one, opening));
  const pids = [...new Set([...watched, ...beside].flatMap((one) => membersOf(one, opening.trees)))];
  const lookAt = async (): Promise<void> => {
    const processes = await readProcesses(pids);
    for (const account of accounts) account.look(processes);
    listener?.onUsage(usageSince(processes, performance.now()));
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = lookAt();
  }, LOOK_INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      const windowMs = performance.now() - startMs;
      const shares = machineShares(machineBefore, readMachineTimes());
      const closing = await takeSnapshot(watched, probes, opening);
      await looking;
      return {
        processes: accounts
          .filter((account) => account.watched.found !== true || closing.processes.has(account.watched.pid))
          .map((account) => ({ role: account.watched.role, ...account.close(closing, windowMs) })),
        ...shares,
        windowMs,
      };
    },
  };
}

/**
 * Reads all that is known of processes, at the end what has become of those at the opening. Event loops come first at the start: a
 * server that still works off what it has makes us wait, and that time is none of the window's. At the end they come last: a server
 * that is overloaded answers late, and what it does until then is none of the window's either.
 */
async function takeSnapshot(
  watched: readonly WatchedProcess[],
  probes: Probes | undefined,
  opening?: ProcessSnapshot,
): Promise<ProcessSnapshot> {
  const trees = processTrees(watched.filter(({ tree }) => tree).map(({ pid }) => pid));
  const pids = [...new Set(watched.flatMap((one) => membersOf(one, trees)))];
  const asking = probes?.read(pids);
  if (opening === undefined) await asking;
  const processes = await readProcesses(pids);
  const usedMs = (pid: number): number =>
    (processes.get(pid)?.cpuMs ?? 0) - (opening?.processes.get(pid)?.cpuMs ?? Number.NEGATIVE_INFINITY);
  // Of a process that used nothing, or a tick at most, its threads say no more than is known.
  const threads = new Map(pids.filter((pid) => usedMs(pid) > TICK_MS).map((pid) => [pid, readThreads(pid)]));
  const cores = new Map<number, AllowedCores>();
  for (const pid of opening === undefined ? [] : pids) {
    const allowed = allowedCores(pid);
    if (allowed !== undefined) cores.set(pid, allowed);
  }
  return { trees, processes, threads, cores, loops: (await asking) ?? new Map<number, LoopReading>() };
}

function membersOf({ pid, tree }: WatchedProcess, trees: ProcessSnapshot["trees"]): readonly number[] {
  return tree ? (trees.get(pid) ?? [pid]) : [pid];
}

/** Reads processes, by pid; those that are not there are left out. Never rejects. */
async function readProcesses(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>> {
  const readings = new Map<number, ProcessReading>();
  // A process that could not be started has no pid.
  const wanted = pids.filter((pid) => pid > 0);
  if (READING_IS_CHEAP) {
    for (const pid of wanted) {
      const stat = readProcStat(pid);
      if (stat !== undefined) readings.set(pid, stat);
    }
    return readings;
  }
  try {
    const { default: pidusage } = await import("pidusage");
    for (const [pid, { ctime, memory }] of Object.entries(await pidusage(wanted))) {
      readings.set(Number(pid), { cpuMs: ctime, rssBytes: memory });
    }
  } catch {
    // None of them is there.
  }
  return readings;
}

/** What one watched process, with its descendants where that was asked for, uses between two snapshots. */
interface ProcessAccount {
  readonly watched: WatchedProcess;
  /** Takes a reading in between: memory, and what is known of a process that ends before the window does. */
  readonly look: (processes: ProcessSnapshot["processes"]) => void;
  readonly close: (snapshot: ProcessSnapshot, windowMs: number) => ProcessUsage;
}

/** Opens the account of a watched process; processor time counts from here. One that is not there uses nothing. */
export function openProcessAccount(watched: WatchedProcess, opening: ProcessSnapshot): ProcessAccount {
  const pids = new Set(membersOf(watched, opening.trees));
  const last = new Map<number, ProcessReading>();
  const largestRss = new Map<number, number>();
  let largestSum = 0;
  const look = (processes: ProcessSnapshot["processes"]): void => {
    let sum = 0;
    for (const pid of pids) {
      const reading = processes.get(pid);
      if (reading === undefined) continue;
      // Readings may overtake one another; processor time only grows.
      if (reading.cpuMs >= (last.get(pid)?.cpuMs ?? 0)) last.set(pid, reading);
      largestRss.set(pid, Math.max(reading.rssBytes, largestRss.get(pid) ?? 0));
      sum += reading.rssBytes;
    }
    largestSum = Math.max(largestSum, sum);
  };
  look(opening.processes);
  const usedMs = (pid: number): number => {
    const endMs = last.get(pid)?.cpuMs ?? 0;
    const startMs = opening.processes.get(pid)?.cpuMs ?? 0;
    // Less than at the start is that of another process, which got the number anew.
    return endMs < startMs ? endMs : endMs - startMs;
  };
  const close = (closing: ProcessSnapshot, windowMs: number): ProcessUsage => {
    for (const pid of membersOf(watched, closing.trees)) pids.add(pid);
    look(closing.processes);
    const figuresOf = (pid: number): Omit<DescendantUsage, "name"> => {
      const loop = closing.loops.get(pid);
      const cores = closing.cores.get(pid)?.count;
      return {
        pid,
        cpu: usedMs(pid) / windowMs,
        rssBytes: largestRss.get(pid) ?? 0,
        ...(loop === undefined ? {} : { eventLoopUtilization: loopUtilization(opening.loops.get(pid), loop) }),
        ...(cores === undefined ? {} : { cores }),
      };
    };
    const all = [...pids].filter((pid) => pid === watched.pid || last.has(pid));
    const figures = all.map(figuresOf);
    const loops = figures.flatMap(({ eventLoopUtilization }) => eventLoopUtilization ?? []);
    const descendants = figures.slice(1).map((one) => ({ name: last.get(one.pid)?.name ?? "", ...one }));
    const total = all.reduce((sum, pid) => sum + usedMs(pid), 0);
    const unseen = watched.tree ? unseenMs(all, usedMs, last, opening, closing) : 0;
    return {
      name: watched.name,
      pid: watched.pid,
      ...(watched.found === undefined ? {} : { found: watched.found }),
      cpu: (total + unseen) / windowMs,
      rssBytes: largestSum,
      ...(loops.length === 0 ? {} : { eventLoopUtilization: Math.max(...loops) }),
      ...coresOf(all, closing),
      ...busiestOf(all, usedMs, opening, closing, windowMs),
      ...(descendants.length === 0 ? {} : { descendants }),
    };
  };
  return { watched, look, close };
}

/**
 * Processor time of descendants that ended in the window, beyond what was last seen of them: whoever waits for a child
 * to end takes over its count. What they had used before the window is in that count too, and is none of the window's.
 */
function unseenMs(
  pids: readonly number[],
  usedMs: (pid: number) => number,
  last: ReadonlyMap<number, ProcessReading>,
  opening: ProcessSnapshot,
  closing: ProcessSnapshot,
): number {
  let unseen = 0;
  for (const pid of pids) {
    const first = opening.processes.get(pid);
    const reapedBefore = first?.reapedCpuMs ?? 0;
    if (closing.processes.has(pid)) unseen += (last.get(pid)?.reapedCpuMs ?? 0) - reapedBefore;
    else unseen -= (first?.cpuMs ?? 0) + reapedBefore + usedMs(pid);
  }
  return Math.max(0, unseen);
}

/** Cores that any of the processes may run on; of one alone, those that it may use at a time. */
function coresOf(pids: readonly number[], { cores }: ProcessSnapshot): Pick<ProcessUsage, "cores"> {
  const known = pids.flatMap((pid) => cores.get(pid) ?? []);
  const [first, ...others] = known;
  if (first === undefined) return {};
  if (others.length === 0) return { cores: first.count };
  return { cores: new Set(known.flatMap(({ numbers }) => numbers)).size };
}

function busiestOf(
  pids: readonly number[],
  usedMs: (pid: number) => number,
  opening: ProcessSnapshot,
  closing: ProcessSnapshot,
  windowMs: number,
): Pick<ProcessUsage, "threads" | "busiestThread"> {
  const counts = pids.flatMap((pid) => closing.processes.get(pid)?.threads ?? []);
  if (counts.length === 0) return {};
  const busiestMs = pids.map((pid) => {
    const threads = closing.threads.get(pid);
    if (threads === undefined) return usedMs(pid);
    const before = opening.threads.get(pid);
    return Math.max(0, ...[...threads].map(([thread, cpuMs]) => cpuMs - (before?.get(thread) ?? 0)));
  });
  return {
    threads: counts.reduce((sum, count) => sum + count, 0),
    busiestThread: Math.min(1, Math.max(...busiestMs) / windowMs),
  };
}

/**
 * Adds up by role what watched processes, with their descendants where those were asked for, use from one reading, made at `atMs`, to
 * the next; the first one only begins. A process that ends counts until the last reading that has it, one that comes later from the first.
 */
export function createLiveUsage(
  watched: readonly WatchedProcess[],
  trees: ProcessSnapshot["trees"],
): (processes: ProcessSnapshot["processes"], atMs: number) => LiveUsage {
  const roleOf = new Map(watched.flatMap((one) => membersOf(one, trees).map((pid) => [pid, one.role] as const)));
  let before: ProcessSnapshot["processes"] = new Map();
  let beforeMs = Number.NaN;
  return (processes, atMs) => {
    const sums = new Map<Role, { cpu: number; rssBytes: number }>();
    for (const [pid, role] of roleOf) {
      const sum = sums.get(role) ?? { cpu: 0, rssBytes: 0 };
      sums.set(role, sum);
      const now = processes.get(pid);
      const then = before.get(pid);
      if (now === undefined) continue;
      sum.rssBytes += now.rssBytes;
      if (then !== undefined) sum.cpu += Math.max(0, now.cpuMs - then.cpuMs) / (atMs - beforeMs);
    }
    before = processes;
    beforeMs = atMs;
    return Object.fromEntries(sums);
  };
}

/**
 * Puts together what all processes of a step used, by role, and what limited it; without a window that is not known.
 *
 * @param unseen whether parts of the server were not seen, which may be the limit where nothing else is.
 */
export function stepUsage(
  window: UsageWindow | undefined,
  generators: Usage["generator"],
  unseen: boolean = false,
): Usage {
  const ofRole = (wanted: Role): readonly ProcessUsage[] =>
    (window?.processes ?? []).flatMap(({ role, ...used }) => (role === wanted ? [used] : []));
  const balancer = ofRole("balancer");
  const backends = ofRole("backend");
  const usage = {
    generator: generators,
    ...(balancer.length === 0 ? {} : { balancer }),
    ...(backends.length === 0 ? {} : { backends }),
    machine: window?.machine ?? 0,
    ...(window?.steal === undefined ? {} : { steal: window.steal }),
    windowMs: window?.windowMs ?? 0,
  };
  const bottleneck = attributeBottleneck(usage);
  return { ...usage, bottleneck: unseen && bottleneck === "none" ? "unknown" : bottleneck };
}
