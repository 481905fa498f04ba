import type { Role, WatchedProcess } from "../../model/usage.js";
import type { LiveUsage } from "../sweep-event.js";
import type { ProcessSnapshot } from "./process-snapshot.js";

/** Takes a reading made at `atMs` and returns what was used since the one before; the first one only begins. */
export type UsageSince = (processes: ProcessSnapshot["processes"], atMs: number) => LiveUsage;

/**
 * Adds up by role what watched processes, with their descendants where those were asked for, use from one reading to the next. A
 * process that ends counts until the last reading that has it, one that comes later from the first.
 */
export function createLiveUsage(watched: readonly WatchedProcess[], trees: ProcessSnapshot["trees"]): UsageSince {
  const members = watched.flatMap(({ pid, role, tree }) =>
    (tree ? (trees.get(pid) ?? [pid]) : [pid]).map((member) => ({ pid: member, role })),
  );
  const roleOf = new Map(members.map(({ pid, role }) => [pid, role]));
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
