import type { ProcessSnapshot } from "./process-snapshot.js";
import type { ProcessReading } from "./read-processes.js";

/**
 * Processor time of descendants that ended in the window, beyond what was last seen of them: whoever waits for a child
 * to end takes over its count. What they had used before the window is in that count too, and is none of the window's.
 */
export function unseenMs(
  pids: readonly number[],
  usedMs: (pid: number) => number,
  last: ReadonlyMap<number, ProcessReading>,
  opening: ProcessSnapshot,
  closing: ProcessSnapshot,
): number {
  const reapedMs = (reading: ProcessReading | undefined): number => reading?.reapedCpuMs ?? 0;
  let takenOverMs = 0;
  let seenMs = 0;
  for (const pid of pids) {
    const first = opening.processes.get(pid);
    if (closing.processes.has(pid)) {
      takenOverMs += reapedMs(last.get(pid)) - reapedMs(first);
    } else {
      seenMs += usedMs(pid);
      takenOverMs -= (first?.cpuMs ?? 0) + reapedMs(first);
    }
  }
  return Math.max(0, takenOverMs - seenMs);
}
