import { readFileSync } from "node:fs";

/** What the kernel counts processor time and memory in. */
export interface KernelUnits {
  readonly tickMs: number;
  readonly pageBytes: number;
}

/** Those of almost every Linux; some ARM kernels have larger pages. */
const USUAL: KernelUnits = { tickMs: 10, pageBytes: 4096 };

/** Types of entries of the auxiliary vector, and the size of one, as getauxval(3) and `<elf.h>` have them on 64 bits. */
const PAGE_SIZE = 6n;
const TICKS_PER_SECOND = 17n;
const ENTRY_BYTES = 16;

let known: KernelUnits | undefined;

/** Returns the units of this Linux kernel, which every program is told when it starts; the usual ones if it hides them. */
export function kernelUnits(): KernelUnits {
  return (known ??= readUnits());
}

function readUnits(): KernelUnits {
  try {
    const vector = readFileSync("/proc/self/auxv");
    const entries = new Map<bigint, number>();
    for (let at = 0; at + ENTRY_BYTES <= vector.length; at += ENTRY_BYTES) {
      entries.set(vector.readBigUInt64LE(at), Number(vector.readBigUInt64LE(at + 8)));
    }
    const ticks = entries.get(TICKS_PER_SECOND);
    return {
      tickMs: ticks === undefined ? USUAL.tickMs : 1000 / ticks,
      pageBytes: entries.get(PAGE_SIZE) ?? USUAL.pageBytes,
    };
  } catch {
    return USUAL;
  }
}
