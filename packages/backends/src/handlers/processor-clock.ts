import { createRequire } from "node:module";
import type * as wasiModule from "node:wasi";
import { isMainThread } from "node:worker_threads";

/** Tells the processor time used so far, in microseconds. */
export type ProcessorClock = () => number;

/**
 * Makes the clock for work that is done here: it counts the processor time of this process or, in a worker thread, of
 * that thread alone, as other threads are at work too.
 */
export function createProcessorClock(): ProcessorClock {
  if (isMainThread) return sumOf(() => process.cpuUsage());
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  // The versions of Node that cannot count the time of one thread have a clock for it in their WASI.
  return threadCpuUsage === undefined ? wasiThreadClock() : sumOf(threadCpuUsage);
}

function sumOf(usage: () => NodeJS.CpuUsage): ProcessorClock {
  return () => {
    const { user, system } = usage();
    return user + system;
  };
}

/** Number of the clock of the calling thread, `CLOCKID_THREAD_CPUTIME_ID` of WASI preview 1. */
const THREAD_CPUTIME = 3;
const MICROSECOND_NS = 1000n;

type ReadClock = (clock: number, precisionNs: bigint, address: number) => number;

interface WebAssemblyGlobal {
  readonly WebAssembly: { readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };
}

function wasiThreadClock(): ProcessorClock {
  // Loaded where it is needed, because Node warns that it is experimental.
  const { WASI } = createRequire(import.meta.url)("node:wasi") as typeof wasiModule;
  const wasi = new WASI({ version: "preview1" });
  const { WebAssembly } = globalThis as unknown as WebAssemblyGlobal;
  const memory = new WebAssembly.Memory({ initial: 1 });
  // No program runs in it: the clock only needs memory to write the time to.
  wasi.initialize({ exports: { memory } });
  const readClock = wasi.wasiImport["clock_time_get"] as ReadClock;
  const written = new DataView(memory.buffer);
  return () => {
    const error = readClock(THREAD_CPUTIME, MICROSECOND_NS, 0);
    if (error !== 0)
      throw new Error(`The processor time of a thread cannot be read on this system: WASI error ${error}.`);
    return Number(written.getBigUint64(0, true)) / 1000;
  };
}
