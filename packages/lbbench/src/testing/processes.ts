import { readFileSync } from "node:fs";
import { processTree } from "../system/proc.js";

/** Whether a process is running; one that has ended and was not yet reaped by its parent is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // No such file: the process has ended in the meantime, or the system has no /proc.
    return process.platform !== "linux";
  }
}

/** Those of `pids` that are running. */
export function runningOf(pids: Iterable<number>): readonly number[] {
  return [...pids].filter(isRunning);
}

/** Remembers every process that this one starts, directly or not, while it is followed. */
export interface DescendantLog {
  /** Looks once more; resolves with all that were ever seen. */
  readonly look: () => Promise<ReadonlySet<number>>;
  readonly seen: () => ReadonlySet<number>;
}

/** Starts to follow the descendants of this process; those that it has already are left out. Sees them on Linux only. */
export async function followDescendants(): Promise<DescendantLog> {
  const before = new Set(processTree(process.pid));
  const seen = new Set<number>();
  return {
    look: async () => {
      // Whoever looks in a loop must not keep what it waits for from happening.
      await new Promise(setImmediate);
      for (const pid of processTree(process.pid)) if (!before.has(pid)) seen.add(pid);
      return seen;
    },
    seen: () => seen,
  };
}
