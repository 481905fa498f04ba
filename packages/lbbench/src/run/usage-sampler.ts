import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import type { ProcessUsage, WatchedProcess } from "../model/usage.js";
import { createProcessAccount } from "./process-account.js";

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

const LOOK_INTERVAL_MS = 250;

/**
 * Starts to watch processes. Processor time is the difference between a reading at the start and one at the end, so it
 * is of the window alone; for a process that ends in between, the last of four readings a second stands for the end.
 * Memory is the largest of these readings.
 */
export async function startUsageSampler(watched: readonly WatchedProcess[]): Promise<UsageSampler> {
  const accounts = watched.map(createProcessAccount);
  await Promise.all(accounts.map((account) => account.open()));
  const machineBefore = machineTimes();
  const startMs = performance.now();
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    looking = Promise.all(accounts.map((account) => account.look()));
  }, LOOK_INTERVAL_MS);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(accounts.map((account) => account.close()));
      const windowMs = performance.now() - startMs;
      const machine = busyShare(machineBefore, machineTimes());
      await looking;
      return {
        processes: accounts.map(({ watched: { name, pid, role }, used }) => {
          const { cpuMs, rssBytes } = used();
          return { name, pid, role, cpu: cpuMs / windowMs, rssBytes };
        }),
        machine,
        windowMs,
      };
    },
  };
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
