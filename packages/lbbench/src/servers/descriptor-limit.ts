import { readFileSync } from "node:fs";

/** How many files and connections a process may have open; `null` where that cannot be told. */
export function readDescriptorLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
