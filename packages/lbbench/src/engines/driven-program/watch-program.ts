import { readProcFile, readProcStat, readThreads } from "../../system/proc.js";

/** What a program used from when it was watched to its end. */
export interface ProgramUsage {
  /** Processor time in ms, of all its threads; in ticks of about 10 ms. */
  readonly cpuMs: number;
  /** Largest resident memory that was seen, in bytes. */
  readonly rssBytes: number;
  readonly threads: number;
  /** Processor time of the busiest thread over wall time, up to the last look. */
  readonly busiestThread: number;
}

/** A program that is being watched. */
export interface ProgramWatch {
  /** Looks once more at what is gone when the program is: memory and threads. */
  readonly look: () => void;
  /** To be called when the program has ended and was waited for; `undefined` where the system does not tell. */
  readonly stop: () => ProgramUsage | undefined;
}

const LOOK_INTERVAL_MS = 250;
const BYTES_PER_KB = 1024;

/**
 * Starts to watch a child of this process, which must not wait for any other child meanwhile: the processor time of a child
 * is known exactly from what the system adds to its parent's account when it has ended (`cutime` and `cstime` of proc(5)).
 */
export function watchProgram(pid: number): ProgramWatch {
  const before = readProcStat(process.pid)?.reapedCpuMs;
  const cpuBefore = readProcStat(pid)?.cpuMs ?? 0;
  const startMs = performance.now();
  let rssBytes = 0;
  let threads = 1;
  let busiestThread: number | undefined;
  const look = (): void => {
    const peakKb = Number(/^VmHWM:\s*(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`))?.[1] ?? 0);
    rssBytes = Math.max(rssBytes, peakKb * BYTES_PER_KB);
    const elapsedMs = performance.now() - startMs;
    const ofThreads = [...readThreads(pid).values()];
    // At the end of the program its threads end one after the other, and what they used is gone with them.
    if (ofThreads.length < threads || elapsedMs < LOOK_INTERVAL_MS / 2) return;
    threads = ofThreads.length;
    busiestThread = Math.min(1, Math.max(0, Math.max(...ofThreads) - cpuBefore) / elapsedMs);
  };
  look();
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  return {
    look,
    stop: () => {
      clearInterval(timer);
      const after = readProcStat(process.pid)?.reapedCpuMs;
      if (before === undefined || after === undefined) return undefined;
      const cpuMs = Math.max(0, after - before - cpuBefore);
      const elapsedMs = performance.now() - startMs;
      const whole = Math.min(1, cpuMs / elapsedMs);
      return { cpuMs, rssBytes, threads, busiestThread: threads === 1 ? whole : (busiestThread ?? whole) };
    },
  };
}
