import type { ProcessUsage } from "../model/usage.js";

type Memory = Pick<ProcessUsage, "memory" | "beforeHold">;

/** Part of the memory of a process that it may have had free for the first connections. */
const SPARE = 0.1;

/**
 * Resident memory that a connection takes in some processes together, in bytes: what they have in the middle of the measurement beyond what
 * they had before, divided by the connections. `null` where that is not known of all of them, or no more than the noise: a tenth of what
 * they had, how far looks before were apart, and what changed since the last connection was opened.
 */
export function connectionBytes(processes: readonly Memory[], connections: number): number | null {
  let [added, noise] = [0, 0];
  for (const { memory, beforeHold } of processes) {
    if (memory === undefined || beforeHold === undefined) return null;
    added += memory.middleBytes - beforeHold.bytes;
    noise += SPARE * beforeHold.bytes + beforeHold.spreadBytes + Math.abs(memory.middleBytes - memory.startBytes);
  }
  return connections > 0 && added > noise ? added / connections : null;
}
