import { setTimeout } from "node:timers/promises";
import { readProcessTable } from "./process-table.js";

/** For a system whose process table cannot be read: where nothing reaps orphans, their entries stay for ever. */
const LIMIT_MS = 500;
const LOOK_INTERVAL_MS = 5;

/** Sends a signal to a process, or to a group when `pid` is negative; returns whether anybody was there. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Resolves when none of the processes (groups, when negative), which are ending by now, is left; after 0.5 s at most. */
export async function waitUntilGone(pids: readonly number[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < LIMIT_MS && (await isAnyLeft(pids)); waitedMs += LOOK_INTERVAL_MS) {
    await setTimeout(LOOK_INTERVAL_MS);
  }
}

async function isAnyLeft(pids: readonly number[]): Promise<boolean> {
  if (!pids.some((pid) => signalProcess(pid, 0))) return false;
  const table = await readProcessTable();
  return table?.some(({ pid, group, isZombie }) => !isZombie && (pids.includes(pid) || pids.includes(-group))) ?? true;
}
