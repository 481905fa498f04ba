import { performance } from "node:perf_hooks";
import type { ProcessUsage, WatchedProcess } from "../../model/usage.js";
import type { LoopReading } from "../../probe/loop-utilization.js";
import type { ProbeHub } from "../../probe/probe-hub.js";
import type { LiveUsage } from "../sweep-event.js";
import {
  allowedCores,
  TICK_MS,
  machineShares,
  type MachineShares,
  processTrees,
  readMachineTimes,
  readThreads,
} from "../../system/proc.js";
import { createLiveUsage } from "./live-usage.js";
import { openProcessAccount } from "./process-account.js";
import type { ClosingSnapshot, ProcessSnapshot } from "./process-snapshot.js";
import { READING_IS_CHEAP, readProcesses, type ProcessReading } from "./read-processes.js";

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

/** How often memory is looked at: on Linux a look at 20 processes takes from half a millisecond to two. */
const LOOK_INTERVAL_MS = READING_IS_CHEAP ? 1000 : 2000;

/** Who hears, at every look, what was used since the last one. */
export interface UsageListener {
  /** Processes that it is told of beside the watched ones. */
  readonly beside: readonly WatchedProcess[];
  readonly onUsage: (usage: LiveUsage) => void;
}

/**
 * Starts to watch processes. Processor time is the difference between a reading at the start and one at the end, so it
 * is of the window alone; for a process that ends in between, the last look (one a second on Linux) stands for the
 * end. Memory is the largest of these looks. What costs more (descendants, threads, event loops) is asked at the
 * start and at the end only, while there is no load. Event loops are known where there are `probes`. What a `listener`
 * hears comes from the same looks.
 */
export async function startUsageSampler(
  watched: readonly WatchedProcess[],
  probes?: Probes,
  listener?: UsageListener,
): Promise<UsageSampler> {
  const besides = listener?.beside.map(({ pid }) => pid) ?? [];
  const atBesides = await readProcesses(besides);
  const opening = await takeOpening(watched, probes);
  const usageSince = createLiveUsage([...watched, ...(listener?.beside ?? [])], opening.trees);
  usageSince(new Map([...opening.processes, ...atBesides]), performance.now());
  const machineBefore = readMachineTimes();
  const startMs = performance.now();
  const accounts = watched.map((one) => openProcessAccount(one, opening));
  const pids = [...pidsOf(watched, opening.trees), ...besides];
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
      const closing = await takeClosing(watched, opening, probes);
      await looking;
      return {
        processes: accounts.map((account) => ({ role: account.watched.role, ...account.close(closing, windowMs) })),
        ...shares,
        windowMs,
      };
    },
  };
}

/** Loops first: a server that still works off what it has makes us wait, and that time is none of the window's. */
async function takeOpening(watched: readonly WatchedProcess[], probes: Probes | undefined): Promise<ProcessSnapshot> {
  const trees = treesOf(watched);
  const pids = pidsOf(watched, trees);
  const loops = (await probes?.read(pids)) ?? new Map<number, LoopReading>();
  return { trees, loops, processes: await readProcesses(pids), threads: threadsOf(pids) };
}

/** Loops last: a server that is overloaded answers late, and what it does until then is none of the window's. */
async function takeClosing(
  watched: readonly WatchedProcess[],
  opening: ProcessSnapshot,
  probes: Probes | undefined,
): Promise<ClosingSnapshot> {
  const trees = treesOf(watched);
  const pids = pidsOf(watched, trees);
  const asking = probes?.read(pids);
  const processes = await readProcesses(pids);
  // Of a process that used nothing, or a tick at most, this says no more than is known.
  const threads = threadsOf(pids.filter((pid) => usedMs(pid, opening.processes, processes) > TICK_MS));
  const cores = new Map(
    pids.flatMap((pid) => {
      const allowed = allowedCores(pid);
      return allowed === undefined ? [] : [[pid, allowed] as const];
    }),
  );
  return { trees, processes, threads, cores, loops: (await asking) ?? new Map<number, LoopReading>() };
}

function usedMs(
  pid: number,
  before: ReadonlyMap<number, ProcessReading>,
  after: ReadonlyMap<number, ProcessReading>,
): number {
  return (after.get(pid)?.cpuMs ?? 0) - (before.get(pid)?.cpuMs ?? 0);
}

function treesOf(watched: readonly WatchedProcess[]): ProcessSnapshot["trees"] {
  return processTrees(watched.filter(({ tree }) => tree).map(({ pid }) => pid));
}

function threadsOf(pids: readonly number[]): ProcessSnapshot["threads"] {
  return new Map(pids.map((pid) => [pid, readThreads(pid)]));
}

function pidsOf(watched: readonly WatchedProcess[], trees: ProcessSnapshot["trees"]): readonly number[] {
  return [...new Set(watched.flatMap(({ pid, tree }) => (tree ? (trees.get(pid) ?? [pid]) : [pid])))];
}
