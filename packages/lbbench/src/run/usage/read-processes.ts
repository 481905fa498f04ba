import { type ProcStat, readProcStat } from "../../system/proc.js";

/** What the system says of a process; only the first two are known everywhere. */
export type ProcessReading = Pick<ProcStat, "cpuMs" | "rssBytes"> &
  Partial<Pick<ProcStat, "name" | "reapedCpuMs" | "threads">>;

/** Whether reading is so cheap that it can be done often: elsewhere than on Linux it runs a program. */
export const READING_IS_CHEAP = process.platform === "linux";

/** Reads processes, by pid; those that are not there are left out. Never rejects. */
export async function readProcesses(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>> {
  // A process that could not be started has no pid.
  const wanted = pids.filter((pid) => pid > 0);
  return READING_IS_CHEAP ? readFromProc(wanted) : readByProgram(wanted);
}

function readFromProc(pids: readonly number[]): ReadonlyMap<number, ProcessReading> {
  const readings = new Map<number, ProcessReading>();
  for (const pid of pids) {
    const stat = readProcStat(pid);
    if (stat !== undefined) readings.set(pid, stat);
  }
  return readings;
}

async function readByProgram(pids: readonly number[]): Promise<ReadonlyMap<number, ProcessReading>> {
  try {
    const { default: pidusage } = await import("pidusage");
    const found: Readonly<Record<number, { ctime: number; memory: number } | undefined>> = await pidusage([...pids]);
    return new Map(
      pids.flatMap((pid) => {
        const reading = found[pid];
        return reading === undefined ? [] : [[pid, { cpuMs: reading.ctime, rssBytes: reading.memory }]];
      }),
    );
  } catch {
    return new Map();
  }
}
