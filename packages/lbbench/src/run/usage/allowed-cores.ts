import { cpus } from "node:os";
import { readProcFile } from "../../child/proc-file.js";

/** Cores that a process may run on, by their numbers, and how many of them it may use at a time. */
export interface AllowedCores {
  readonly numbers: readonly number[];
  readonly count: number;
}

let coresOfMachine: number | undefined;

/**
 * Reads which cores a process may run on: those that its affinity names (`taskset`), and of them no more than a Go
 * program was told to use by GOMAXPROCS, because the work of such a program moves from thread to thread. `undefined`
 * where the system does not tell. Limits of control groups are not seen.
 */
export function allowedCores(pid: number): AllowedCores | undefined {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readProcFile(`/proc/${pid}/status`))?.[1];
  if (list === undefined) return undefined;
  // The list may name cores that could be added to the machine.
  const numbers = parseCoreList(list).slice(0, (coresOfMachine ??= cpus().length));
  const goLimit = Number(/(?:^|\0)GOMAXPROCS=(\d+)(?:\0|$)/.exec(readProcFile(`/proc/${pid}/environ`))?.[1] ?? 0);
  return { numbers, count: goLimit > 0 ? Math.min(goLimit, numbers.length) : numbers.length };
}

/** Reads a list of cores as Linux writes it: `0-2,5` are 0, 1, 2 and 5. */
export function parseCoreList(list: string): readonly number[] {
  return list.split(",").flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split("-").map(Number);
    return Number.isInteger(first) && Number.isInteger(last)
      ? Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
      : [];
  });
}
