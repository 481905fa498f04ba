import { kernelUnits } from "./kernel-units.js";
import { listNumbers, readProcFile } from "./proc-file.js";

/** What Linux says of a process, or of one of its threads. */
export interface ProcStat {
  /** To 15 characters; may contain anything. */
  readonly name: string;
  readonly parent: number;
  /** Processor time since its start, in ms, in ticks of about 10 ms. */
  readonly cpuMs: number;
  /** The same of its children that have ended and whose end it has asked for, with that of theirs. */
  readonly reapedCpuMs: number;
  readonly threads: number;
  readonly rssBytes: number;
}

/** Reads `/proc/PID/stat`; `undefined` when the process is not there. */
export function readProcStat(pid: number): ProcStat | undefined {
  const line = readProcFile(`/proc/${pid}/stat`);
  return line === "" ? undefined : parseProcStat(line);
}

/** Reads the processor time of each thread of a process since its start, in ms, by thread id; none when it is not there. */
export function readThreads(pid: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const thread of listNumbers(`/proc/${pid}/task`)) {
    const line = readProcFile(`/proc/${pid}/task/${thread}/stat`);
    if (line !== "") threads.set(thread, parseProcStat(line).cpuMs);
  }
  return threads;
}

/** Reads a line of `/proc/PID/stat`, whose fields proc(5) counts from 1. */
export function parseProcStat(line: string): ProcStat {
  const { tickMs, pageBytes } = kernelUnits();
  // The name may contain anything, so fields are counted from its closing parenthesis: the next one is field 3.
  const nameEnd = line.lastIndexOf(")");
  const fields = line.slice(nameEnd + 2).split(" ", 22);
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    name: line.slice(line.indexOf("(") + 1, nameEnd),
    parent: field(4),
    cpuMs: (field(14) + field(15)) * tickMs,
    reapedCpuMs: (field(16) + field(17)) * tickMs,
    threads: field(20),
    rssBytes: field(24) * pageBytes,
  };
}
