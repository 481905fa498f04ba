/** Usage of processes and of the machine during a measurement: processor, memory, threads and event loops. */
import { attributeBottleneck } from "../judge/bottleneck.js";
import type {
  DescendantUsage,
  LiveUsage,
  ProcessUsage,
  Role,
  Usage,
  WatchedProcess,
  WorkerShare,
} from "../model/usage.js";
import { loopUtilization, type LoopReading, type ProbeHub } from "./probe.js";
import {
  allowedCores,
  IS_LINUX,
  machineShares,
  readMachineTimes,
  readProcStat,
  readThreads,
  readTrees,
  TICK_MS,
  type AllowedCores,
  type MachineShares,
  type ProcessTrees,
  type ProcStat,
} from "./proc.js";
import { defined } from "../stats/defined.js";
import { sum } from "../stats/descriptive.js";

/** Usage of the watched processes and of the machine in a window. */
export interface UsageWindow extends MachineShares {
  readonly processes: readonly (ProcessUsage & Pick<WatchedProcess, "role">)[];
  readonly windowMs: number;
}

/** Asks processes of Node how busy their event loops are. */
export type Probes = Pick<ProbeHub, "read">;

/** A reading of a process; only the first two fields are known on every system. */
export type ProcessReading = Pick<ProcStat, "cpuMs" | "rssBytes"> & Partial<Pick<ProcStat, "name" | "reapedCpuMs">>;

type Readings = ReadonlyMap<number, ProcessReading>;

/** Readings of processes at one moment, by pid. */
export interface ProcessSnapshot {
  readonly trees: ProcessTrees;
  readonly processes: Readings;
  /** Processor time of each thread in ms, by process and thread; at the end only of processes that used any. */
  readonly threads: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly loops: ReadonlyMap<number, LoopReading>;
  /** At the end alone. */
  readonly cores: ReadonlyMap<number, AllowedCores>;
}

/** Options of a window of usage. */
export interface UsageOptions {
  /** Reads event loops; without it they are not known. */
  readonly probes?: Probes;
  /** Further processes for `onUsage`, which is called at every look with the usage since the last one. */
  readonly beside?: readonly WatchedProcess[];
  readonly onUsage?: (usage: LiveUsage) => void;
  /** The processes to watch now; a process that has replaced another one has its name. */
  readonly processesNow?: () => readonly WatchedProcess[];
}

/** How often memory is looked at: on Linux a look at 20 processes takes from half a millisecond to two, elsewhere it runs a program. */
const LOOK_INTERVAL_MS = IS_LINUX ? 1000 : 2000;
/** The first look comes sooner, so that a short step has one as well. */
const FIRST_LOOK_MS = IS_LINUX ? 200 : LOOK_INTERVAL_MS;

/**
 * Starts to watch processes. Processor time is the difference between a reading at the start and one at the end; for a process that ends
 * in between, the last look stands for the end. Memory is the largest of these looks. What costs more (descendants, threads, event loops)
 * is asked at the start and at the end only, while there is no load; descendants at every `look` too. A process that was found, and is
 * gone at the end, is left out: another may serve in its place. What takes the place of a process that a fault has ended is one with it:
 * its processor time is added.
 */
export async function startUsageSampler(
  watched: readonly WatchedProcess[],
  { probes, beside = [], onUsage = () => {}, processesNow = () => watched }: UsageOptions = {},
) {
  const opening = await takeSnapshot(readTrees([...watched, ...beside]), probes);
  const machineBefore = readMachineTimes();
  const startMs = performance.now();
  /** By name, all processes that have run one after the other. */
  const places = watched.map((one) => [openProcessAccount(one, opening)]);
  const seen = new Map(opening.trees);
  const everWatched = (): readonly WatchedProcess[] => places.flat().map((account) => account.watched);
  const follow = (): void => {
    for (const one of processesNow()) {
      if (seen.has(one.pid)) continue;
      seen.set(one.pid, []);
      const account = openProcessAccount(one, NOTHING);
      const place = places.find(([before]) => before?.watched.name === one.name);
      if (place === undefined) places.push([account]);
      else place.push(account);
    }
    // A process that was seen before is read again, also if the list of children lacks it.
    for (const [pid, now] of readTrees(everWatched())) {
      seen.set(pid, [...new Set([...now, ...(seen.get(pid) ?? [])])]);
    }
  };
  const lookAt = async (): Promise<Readonly<{ processes: Readings; atMs: number }>> => {
    const processes = await readProcesses([...new Set([...seen.values()].flat())]);
    const atMs = performance.now();
    for (const { look } of places.flat()) look({ trees: seen, processes }, atMs - startMs);
    return { processes, atMs };
  };
  let last = { atMs: startMs, processes: opening.processes };
  const tell = async (): Promise<void> => {
    const now = await lookAt();
    const all = [...everWatched(), ...beside];
    onUsage(liveUsage(all, seen, last.processes, now.processes, now.atMs - last.atMs));
    last = now;
  };
  let looking: Promise<unknown> = Promise.resolve();
  let isLooking = false;
  const lookNext = (): void => {
    looking = tell();
    timer = setTimeout(lookNext, LOOK_INTERVAL_MS).unref();
  };
  let timer = setTimeout(lookNext, FIRST_LOOK_MS).unref();
  return {
    /** Takes a reading now, with new processes. Call it before processes end, and after they were replaced. */
    look: (): void => {
      follow();
      if (isLooking) return;
      isLooking = true;
      const look = lookAt().finally(() => (isLooking = false));
      looking = looking.then(() => look);
    },
    /** The processes that are counted for a watched one: its descendants and replacements, as far as a look has seen them. */
    pidsOf: ({ pid }: WatchedProcess): readonly number[] => {
      const lives = places.find(([first]) => first?.watched.pid === pid)?.map(({ watched: one }) => one.pid) ?? [pid];
      return lives.flatMap((one) => seen.get(one) ?? []);
    },
    /** Ends the window. */
    end: async (): Promise<UsageWindow> => {
      clearTimeout(timer);
      const windowMs = performance.now() - startMs;
      const shares = machineShares(machineBefore, readMachineTimes());
      follow();
      const trees = new Map(everWatched().map(({ pid }) => [pid, seen.get(pid) ?? []]));
      const closing = await takeSnapshot(trees, probes, opening);
      await looking;
      const processes = places.flatMap((accounts): UsageWindow["processes"] => {
        const [first, ...successors] = accounts
          .filter(({ watched: { found, pid } }) => found !== true || closing.processes.has(pid))
          .map((account) => ({ role: account.watched.role, ...account.close(closing, windowMs) }));
        if (first === undefined) return [];
        const { memory, ...joined } = successors.reduce(joinLife, first);
        // A process that was replaced uses nothing more.
        return [memory === undefined || successors.length > 0 ? joined : { ...joined, memory }];
      });
      return { processes, ...shares, windowMs };
    },
  };
}

/** Of a process that was born in the window. */
const NOTHING: ProcessSnapshot = {
  trees: new Map(),
  processes: new Map(),
  threads: new Map(),
  loops: new Map(),
  cores: new Map(),
};

/** Adds the usage of a process to that of the processes that it has replaced; the sum has its pid. */
function joinLife<Life extends ProcessUsage>(before: Life, since: Life): Life {
  const descendants = [...(before.descendants ?? []), ...(since.descendants ?? [])];
  const busiest = [before, since].flatMap(({ busiestThread }) => busiestThread ?? []);
  return {
    ...before,
    ...since,
    cpu: before.cpu + since.cpu,
    rssBytes: Math.max(before.rssBytes, since.rssBytes),
    ...defined({
      busiestThread: busiest.length === 0 ? undefined : Math.min(1, sum(busiest)),
      descendants: descendants.length === 0 ? undefined : descendants,
    }),
  };
}

/** Usage of processes between two looks, by role. A process counts once, also if it is listed twice. */
export function liveUsage(
  watched: readonly WatchedProcess[],
  trees: ProcessSnapshot["trees"],
  before: Readings,
  now: Readings,
  elapsedMs: number,
): LiveUsage {
  const counted = new Set<number>();
  const live: Partial<Record<Role, { cpu: number; rssBytes: number }>> = {};
  for (const { pid: root, role } of watched) {
    const ofRole = (live[role] ??= { cpu: 0, rssBytes: 0 });
    for (const pid of trees.get(root) ?? []) {
      const reading = now.get(pid);
      if (reading === undefined || counted.has(pid)) continue;
      counted.add(pid);
      ofRole.cpu += Math.max(0, reading.cpuMs - (before.get(pid) ?? reading).cpuMs) / elapsedMs;
      ofRole.rssBytes += reading.rssBytes;
    }
  }
  return live;
}

/**
 * Reads all that is known of processes; at the end, what became of those at the opening. Event loops come first at the start and last at
 * the end: a server that still works off its load answers late, and that time is not part of the window.
 */
async function takeSnapshot(
  trees: ProcessTrees,
  probes: Probes | undefined,
  opening?: ProcessSnapshot,
): Promise<ProcessSnapshot> {
  const pids = [...new Set([...trees.values()].flat())];
  const asking = probes?.read(pids);
  if (opening === undefined) await asking;
  const processes = await readProcesses(pids);
  const usedMs = (pid: number): number =>
    (processes.get(pid)?.cpuMs ?? 0) - (opening?.processes.get(pid)?.cpuMs ?? Number.NEGATIVE_INFINITY);
  // The threads of a process that used a tick at most tell nothing new.
  const threads = new Map(pids.filter((pid) => usedMs(pid) > TICK_MS).map((pid) => [pid, readThreads(pid)]));
  const cores = new Map<number, AllowedCores>();
  for (const pid of opening === undefined ? [] : pids) {
    const allowed = allowedCores(pid);
    if (allowed !== undefined) cores.set(pid, allowed);
  }
  return { trees, processes, threads, cores, loops: (await asking) ?? new Map<number, LoopReading>() };
}

/** Reads processes, by pid, without ended ones. Never rejects. */
async function readProcesses(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>> {
  const readings = new Map<number, ProcessReading>();
  // A process that could not be started has no pid.
  const wanted = pids.filter((pid) => pid > 0);
  if (IS_LINUX) {
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
    // All of them have ended.
  }
  return readings;
}

/**
 * Opens the account of a watched process, with its descendants where that was asked for; processor time counts from here. One that is not
 * there uses nothing. `look` takes a reading in between, maybe with more descendants.
 */
export function openProcessAccount(watched: WatchedProcess, opening: ProcessSnapshot) {
  const pids = new Set(opening.trees.get(watched.pid));
  const last = new Map<number, ProcessReading>();
  const largestRss = new Map<number, number>();
  let largestCountMs = 0;
  /** Resident memory of all of them, and when, in ms from the start of the window. */
  const memory: (readonly [atMs: number, rssBytes: number])[] = [];
  const look = ({ trees, processes }: Pick<ProcessSnapshot, "trees" | "processes">, atMs: number): void => {
    for (const pid of trees.get(watched.pid) ?? []) pids.add(pid);
    let allBytes = 0;
    for (const pid of pids) {
      const reading = processes.get(pid);
      if (reading === undefined) continue;
      // Readings may arrive out of order; processor time only grows.
      if (reading.cpuMs >= (last.get(pid)?.cpuMs ?? 0)) last.set(pid, reading);
      largestRss.set(pid, Math.max(reading.rssBytes, largestRss.get(pid) ?? 0));
      allBytes += reading.rssBytes;
    }
    memory.push([atMs, allBytes]);
    largestCountMs = Math.max(largestCountMs, countMs(processes));
  };
  const usedMs = (pid: number): number =>
    Math.max(0, (last.get(pid)?.cpuMs ?? 0) - (opening.processes.get(pid)?.cpuMs ?? 0));
  /** Of all of them. The system adds the time of a child that has ended to the parent that waited for it. */
  const countMs = (processes: Readings): number =>
    sum([...pids].flatMap((pid) => [processes.get(pid)?.cpuMs ?? 0, processes.get(pid)?.reapedCpuMs ?? 0]));
  look(opening, 0);
  const close = (closing: ProcessSnapshot, windowMs: number): ProcessUsage => {
    look(closing, windowMs);
    const figuresOf = (pid: number): Omit<DescendantUsage, "name"> => {
      // What did not tell at the start would tell of all of its life.
      const isTold = opening.loops.has(pid) || !opening.processes.has(pid);
      const loop = isTold ? closing.loops.get(pid) : undefined;
      const cores = closing.cores.get(pid)?.count;
      return {
        pid,
        cpu: usedMs(pid) / windowMs,
        rssBytes: largestRss.get(pid) ?? 0,
        ...defined({
          eventLoopUtilization: loop === undefined ? undefined : loopUtilization(opening.loops.get(pid), loop),
          cores,
        }),
      };
    };
    const all = [...pids].filter((pid) => pid === watched.pid || last.has(pid));
    const own = figuresOf(watched.pid);
    const descendants = all
      .filter((pid) => pid !== watched.pid)
      .map((pid) => ({ name: last.get(pid)?.name ?? "", ...figuresOf(pid) }));
    // A limit of one process, such as GOMAXPROCS, is no limit of several together.
    const present = descendants.length === 0 ? undefined : closing.cores.get(watched.pid)?.present;
    const loops = [own, ...descendants].flatMap(({ eventLoopUtilization }) => eventLoopUtilization ?? []);
    const totalMs = sum(all.map(usedMs));
    const allMs = watched.tree ? Math.max(totalMs, largestCountMs - countMs(opening.processes)) : totalMs;
    const busiestMs = all.flatMap((pid) => {
      const before = opening.threads.get(pid);
      const threads = closing.threads.get(pid);
      return threads ? [...threads].map(([thread, cpuMs]) => cpuMs - (before?.get(thread) ?? 0)) : usedMs(pid);
    });
    return {
      name: watched.name,
      ...own,
      ...defined({ found: watched.found }),
      cpu: allMs / windowMs,
      rssBytes: Math.max(...memory.map(([, rssBytes]) => rssBytes)),
      ...memoryOver(memory, windowMs),
      ...defined({
        cores: present,
        eventLoopUtilization: loops.length === 0 ? undefined : Math.max(...loops),
        busiestThread: IS_LINUX ? Math.min(1, Math.max(0, ...busiestMs) / windowMs) : undefined,
        descendants: descendants.length === 0 ? undefined : descendants,
      }),
    };
  };
  return { watched, look, close };
}

/** Memory at the start, in the middle and at the end of a window; empty if there are only the first look and the last. */
function memoryOver(
  looks: readonly (readonly [atMs: number, rssBytes: number])[],
  windowMs: number,
): Pick<ProcessUsage, "memory"> {
  const first = looks[0];
  const last = looks.at(-1);
  // One may have taken until after the end of the window.
  const later = looks.slice(1, -1).filter(([atMs]) => atMs < windowMs);
  // A process that had not started, or has ended, has no memory.
  if (first === undefined || last === undefined || later.length === 0 || first[1] === 0 || last[1] === 0) return {};
  const middleMs = windowMs / 2;
  const [beforeMs, beforeBytes] = later.findLast(([atMs]) => atMs <= middleMs) ?? first;
  const [afterMs, afterBytes] = later.find(([atMs]) => atMs > middleMs) ?? last;
  const part = afterMs === beforeMs ? 0 : (middleMs - beforeMs) / (afterMs - beforeMs);
  const middleBytes = Math.round(beforeBytes + part * (afterBytes - beforeBytes));
  return { memory: { startBytes: first[1], middleBytes, endBytes: last[1] } };
}

/**
 * Puts together what all processes of a step used, by role, and its limit, which is unknown without a window.
 *
 * @param generators of this machine; `workers`: the generators in their place, if any.
 *
 * @param unseen whether parts of the server were not seen: one of them may be the limit if nothing else is.
 */
export function stepUsage(
  window: UsageWindow | undefined,
  generators: Usage["generator"],
  unseen: boolean = false,
  workers?: readonly WorkerShare[],
): Usage {
  const ofRole = (wanted: Role): readonly ProcessUsage[] | undefined => {
    const found = (window?.processes ?? []).flatMap(({ role, ...used }) => (role === wanted ? [used] : []));
    return found.length === 0 ? undefined : found;
  };
  const usage = {
    generator: generators,
    ...defined({ balancer: ofRole("balancer"), backends: ofRole("backend") }),
    machine: window?.machine ?? 0,
    ...defined({ steal: window?.steal }),
    windowMs: window?.windowMs ?? 0,
  };
  const bottleneck = attributeBottleneck(usage, workers);
  return { ...usage, bottleneck: unseen && bottleneck === "none" ? "unknown" : bottleneck };
}
