import { readFileSync } from "node:fs";

/** Whether a process is running; one that has ended and was not yet reaped by its parent is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // No such file: the process has ended in the meantime, or the system has no /proc.
    return process.platform !== "linux";
  }
}
