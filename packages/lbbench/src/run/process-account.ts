import type { WatchedProcess } from "../model/usage.js";
import { processTree } from "./process-tree.js";
import { readProcesses } from "./read-processes.js";

/** What one watched process, with its descendants where that was asked for, uses in a window. */
export interface ProcessAccount {
  readonly watched: WatchedProcess;
  /** First reading: processor time counts from here. */
  readonly open: () => Promise<void>;
  readonly look: () => Promise<void>;
  /** Last reading, which finds descendants that were born in the window: all their processor time is of the window. */
  readonly close: () => Promise<void>;
  readonly used: () => { readonly cpuMs: number; readonly rssBytes: number };
}

/** Creates the account of a watched process; reading a process that is gone adds nothing and is no error. */
export function createProcessAccount(watched: WatchedProcess): ProcessAccount {
  const firstCpuMs = new Map<number, number>();
  const lastCpuMs = new Map<number, number>();
  let pids: readonly number[] = [watched.pid];
  let rssBytes = 0;

  const look = async (): Promise<void> => {
    const readings = await readProcesses(pids);
    // Readings may overtake one another; processor time only grows.
    for (const [pid, { cpuMs }] of readings) lastCpuMs.set(pid, Math.max(cpuMs, lastCpuMs.get(pid) ?? 0));
    rssBytes = Math.max(rssBytes, total([...readings.values()].map((reading) => reading.rssBytes)));
  };
  // Searching for descendants reads every process of the machine, so it is done twice and not at every look.
  const lookForAll = async (): Promise<void> => {
    if (watched.tree) pids = await processTree(watched.pid);
    await look();
  };
  return {
    watched,
    open: async () => {
      await lookForAll();
      for (const [pid, cpuMs] of lastCpuMs) firstCpuMs.set(pid, cpuMs);
    },
    look,
    close: lookForAll,
    used: () => ({
      cpuMs: total([...lastCpuMs].map(([pid, cpuMs]) => cpuMs - (firstCpuMs.get(pid) ?? 0))),
      rssBytes,
    }),
  };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
