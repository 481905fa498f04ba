import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import pidusage from "pidusage";
import type { ProcessUsage, WatchedProcess } from "../model/usage.js";
import { processTree } from "./process-tree.js";

/** What the watched processes and the machine used in a window. */
export interface UsageWindow {
  readonly processes: readonly (ProcessUsage & Pick<WatchedProcess, "role">)[];
  /** Busy share of all cores, 0 to 1. */
  readonly machine: number;
  readonly windowMs: number;
}

/** A sampler at work. */
export interface UsageSampler {
  /** Ends the window and tells what was used in it. */
  readonly stop: () => Promise<UsageWindow>;
}

interface Reading {
  /** Processor time since the process started, in ms. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const MEMORY_INTERVAL_MS = 250;

/**
 * Starts to watch processes. Processor time is the difference between two readings, at the start and at the end, so it is
 * of the window alone; memory is looked at four times a second.
 */
export async function startUsageSampler(watched: readonly WatchedProcess[]): Promise<UsageSampler> {
  const members = await Promise.all(
    watched.map(async (one) => ({ ...one, pids: one.tree ? await processTree(one.pid) : [one.pid] })),
  );
  const before = await Promise.all(members.map(({ pids }) => readAll(pids)));
  const peaks = before.map(({ rssBytes }) => rssBytes);
  const machineBefore = machineTimes();
  const startMs = performance.now();

  const lookAtMemory = async (): Promise<void> => {
    const readings = await Promise.all(members.map(({ pids }) => readAll(pids)));
    readings.forEach(({ rssBytes }, index) => {
      peaks[index] = Math.max(peaks[index] ?? 0, rssBytes);
    });
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = lookAtMemory();
  }, MEMORY_INTERVAL_MS);
  return {
    stop: async () => {
      clearInterval(timer);
      const after = await Promise.all(members.map(({ pids }) => readAll(pids)));
      const windowMs = performance.now() - startMs;
      const machine = busyShare(machineBefore, machineTimes());
      await looking;
      pidusage.clear();
      return {
        processes: members.map(({ name, pid, role }, index) => ({
          name,
          pid,
          role,
          // A process that died in the window has no second reading.
          cpu: Math.max(0, ((after[index]?.cpuMs ?? 0) - (before[index]?.cpuMs ?? 0)) / windowMs),
          rssBytes: Math.max(peaks[index] ?? 0, after[index]?.rssBytes ?? 0),
        })),
        machine,
        windowMs,
      };
    },
  };
}

async function readAll(pids: readonly number[]): Promise<Reading> {
  const readings = await Promise.all(pids.map(read));
  return {
    cpuMs: readings.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssBytes: readings.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
}

async function read(pid: number): Promise<Reading> {
  try {
    const { ctime, memory } = await pidusage(pid);
    return { cpuMs: ctime, rssBytes: memory };
  } catch {
    return { cpuMs: 0, rssBytes: 0 };
  }
}

interface MachineTimes {
  readonly busyMs: number;
  readonly totalMs: number;
}

function machineTimes(): MachineTimes {
  const all = cpus().map(({ times }) => ({
    busyMs: times.user + times.nice + times.sys + times.irq,
    totalMs: times.user + times.nice + times.sys + times.irq + times.idle,
  }));
  return {
    busyMs: all.reduce((sum, { busyMs }) => sum + busyMs, 0),
    totalMs: all.reduce((sum, { totalMs }) => sum + totalMs, 0),
  };
}

function busyShare(before: MachineTimes, after: MachineTimes): number {
  const totalMs = after.totalMs - before.totalMs;
  return totalMs > 0 ? (after.busyMs - before.busyMs) / totalMs : 0;
}
