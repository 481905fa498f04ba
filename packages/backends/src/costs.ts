/** What a request costs: a delay, an amount of work, or processor time. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type * as wasiModule from "node:wasi";
import { isMainThread } from "node:worker_threads";
import { randomExponential, randomLcg, randomNormal, randomUniform } from "d3-random";

/** A delay: always the same, or drawn from a distribution. All in ms. */
export type Delay =
  | { readonly kind: "fixed"; readonly ms: number }
  | { readonly kind: "uniform"; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: "exponential"; readonly meanMs: number }
  /** Never negative: what would be, is 0. */
  | { readonly kind: "normal"; readonly meanMs: number; readonly stddevMs: number };

/** Gives one delay after another, in ms; `source` gives numbers from 0 to 1. */
export function delaySampler(delay: Delay, source: () => number): () => number {
  switch (delay.kind) {
    case "fixed":
      return () => delay.ms;
    case "uniform":
      return randomUniform.source(source)(delay.minMs, delay.maxMs);
    case "exponential":
      return delay.meanMs === 0 ? () => 0 : randomExponential.source(source)(1 / delay.meanMs);
    case "normal": {
      const sample = randomNormal.source(source)(delay.meanMs, delay.stddevMs);
      return () => Math.max(0, sample());
    }
  }
}

/**
 * Numbers from 0 to 1 that are the same for the same seed and worker. A linear congruential generator alone would start almost alike for
 * seeds that lie close together, so they are mixed first (finalizer of MurmurHash3, https://github.com/aappleby/smhasher).
 */
export function seededSource(seed: number, worker: number): () => number {
  let hash = (seed + Math.imul(worker, 0x9e3779b9)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return randomLcg(((hash ^ (hash >>> 16)) >>> 0) + 1);
}

/**
 * What is hashed for a millisecond: 50 pieces of 16 kB, which a core at about 3 GHz does in a millisecond. SHA-512, because few
 * processors have instructions of their own for it, so that usual cores differ by no more than their clock.
 */
const PIECES_PER_MS = 50;
const PIECE = Buffer.alloc(16 * 1024, "lbbench");

/** Does a fixed amount of work, which takes a usual core `workMs`, and longer one that is slower or shared by two threads. */
export function doFixedWork(workMs: number): void {
  const hash = createHash("sha512");
  for (let piece = Math.round(workMs * PIECES_PER_MS); piece > 0; piece -= 1) hash.update(PIECE);
  hash.digest();
}

/** Kept where the compiler sees it used, so that the work is not optimized away. */
let sink = 0;

/** Makes work that keeps the processor busy for `busyMs` of processor time, longer on the clock where others share the core. */
export function busyWork(busyMs: number): () => void {
  const usedMicros = createProcessorClock();
  return () => {
    const untilMicros = usedMicros() + busyMs * 1000;
    while (usedMicros() < untilMicros) {
      // Some microseconds: short against the smallest cost worth asking for, long against reading the clock.
      for (let i = 0; i < 2000; i++) sink = (Math.imul(sink, 1664525) + 1013904223) | 0;
    }
  };
}

/** Makes a clock that tells the processor time of this process or, in a worker thread, of that thread, in microseconds. */
function createProcessorClock(): () => number {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  const usage = isMainThread ? () => process.cpuUsage() : threadCpuUsage;
  if (usage === undefined) return wasiThreadClock();
  return () => {
    const { user, system } = usage();
    return user + system;
  };
}

/** Number of the clock of the calling thread, `CLOCKID_THREAD_CPUTIME_ID` of WASI preview 1. */
const THREAD_CPUTIME = 3;
const MICROSECOND_NS = 1000n;

interface WebAssemblyGlobal {
  readonly WebAssembly: { readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };
}

/** For the versions of Node that cannot count the time of one thread. */
function wasiThreadClock(): () => number {
  // Loaded where it is needed, because Node warns that it is experimental.
  const { WASI } = createRequire(import.meta.url)("node:wasi") as typeof wasiModule;
  const wasi = new WASI({ version: "preview1" });
  const memory = new (globalThis as unknown as WebAssemblyGlobal).WebAssembly.Memory({ initial: 1 });
  // No program runs in it: the clock only needs memory to write the time to.
  wasi.initialize({ exports: { memory } });
  const readClock = wasi.wasiImport["clock_time_get"] as (clock: number, precisionNs: bigint, to: number) => number;
  const written = new DataView(memory.buffer);
  return () => {
    const error = readClock(THREAD_CPUTIME, MICROSECOND_NS, 0);
    if (error === 0) return Number(written.getBigUint64(0, true)) / 1000;
    throw new Error(`The processor time of a thread cannot be read on this system: WASI error ${error}.`);
  };
}
