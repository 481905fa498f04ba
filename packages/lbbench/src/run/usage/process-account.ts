import { loopUtilization } from "../../probe/loop-utilization.js";
import type { DescendantUsage, ProcessUsage, WatchedProcess } from "../../model/usage.js";
import type { ClosingSnapshot, ProcessSnapshot } from "./process-snapshot.js";
import type { ProcessReading } from "./read-processes.js";
import { unseenMs } from "./unseen-descendants.js";

/** What one watched process, with its descendants where that was asked for, uses between two snapshots. */
export interface ProcessAccount {
  readonly watched: WatchedProcess;
  /** Takes a reading in between: memory, and what is known of a process that ends before the window does. */
  readonly look: (processes: ProcessSnapshot["processes"]) => void;
  readonly close: (snapshot: ClosingSnapshot, windowMs: number) => ProcessUsage;
}

/** Opens the account of a watched process; processor time counts from here. One that is not there uses nothing. */
export function openProcessAccount(watched: WatchedProcess, opening: ProcessSnapshot): ProcessAccount {
  const pids = new Set(membersOf(watched, opening));
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
  const figuresOf = (pid: number, closing: ClosingSnapshot, windowMs: number): Omit<DescendantUsage, "name"> => {
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

  return {
    watched,
    look,
    close: (closing, windowMs) => {
      for (const pid of membersOf(watched, closing)) pids.add(pid);
      look(closing.processes);
      const all = [...pids].filter((pid) => pid === watched.pid || last.has(pid));
      const [own, ...others] = all.map((pid) => figuresOf(pid, closing, windowMs));
      const total = all.reduce((sum, pid) => sum + usedMs(pid), 0);
      const unseen = watched.tree ? unseenMs(all, usedMs, last, opening, closing) : 0;
      const loops = [own, ...others].flatMap((one) => one?.eventLoopUtilization ?? []);
      return {
        name: watched.name,
        pid: watched.pid,
        cpu: (total + unseen) / windowMs,
        rssBytes: largestSum,
        ...(loops.length === 0 ? {} : { eventLoopUtilization: Math.max(...loops) }),
        ...coresOf(all, closing),
        ...threadsOf(all, usedMs, opening, closing, windowMs),
        ...(others.length === 0
          ? {}
          : { descendants: others.map((one) => ({ name: last.get(one.pid)?.name ?? "", ...one })) }),
      };
    },
  };
}

function membersOf({ pid, tree }: WatchedProcess, { trees }: ProcessSnapshot): readonly number[] {
  return tree ? (trees.get(pid) ?? [pid]) : [pid];
}

function coresOf(pids: readonly number[], { cores }: ClosingSnapshot): Pick<ProcessUsage, "cores"> {
  const known = pids.flatMap((pid) => cores.get(pid) ?? []);
  if (known.length === 0) return {};
  const [only] = known;
  if (known.length === 1 && only !== undefined) return { cores: only.count };
  return { cores: new Set(known.flatMap(({ numbers }) => numbers)).size };
}

function threadsOf(
  pids: readonly number[],
  usedMs: (pid: number) => number,
  opening: ProcessSnapshot,
  closing: ClosingSnapshot,
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
