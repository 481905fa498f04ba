import { readdir, stat } from "node:fs/promises";
import { readText } from "../../system/proc.js";

/** How many descriptors a process has open, and what it took to count them. */
export interface OpenDescriptors {
  readonly open: number;
  /** Whether each was visited; else the kernel knew their number. */
  readonly visited: boolean;
}

/**
 * Counts the open descriptors of a process; `null` when they cannot be seen. Since Linux 6.2 the size of the folder is
 * their number (0.03 ms whatever there is); before, they have to be visited (17 ms for 19 000).
 */
export async function countDescriptors(pid: number): Promise<OpenDescriptors | null> {
  const folder = `/proc/${pid}/fd`;
  try {
    const { size } = await stat(folder);
    if (size > 0) return { open: size, visited: false };
    return { open: (await readdir(folder)).length, visited: true };
  } catch {
    return null;
  }
}

/** How many descriptors a process may have open. */
export interface DescriptorLimit {
  /** `null` for no limit. */
  readonly soft: number | null;
  /** What the process may raise the soft limit to; Node.js does so when it starts. */
  readonly hard: number | null;
}

/** Reads the limit of a process, by pid or `self`; `undefined` when it is not told. */
export async function readDescriptorLimit(pid: number | "self"): Promise<DescriptorLimit | undefined> {
  return parseDescriptorLimit(await readText(`/proc/${pid}/limits`));
}

/** Reads the line of /proc/PID/limits about open files. */
export function parseDescriptorLimit(text: string): DescriptorLimit | undefined {
  const [, soft, hard] = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(text) ?? [];
  if (soft === undefined || hard === undefined) return undefined;
  const toLimit = (word: string): number | null => (word === "unlimited" ? null : Number(word));
  return { soft: toLimit(soft), hard: toLimit(hard) };
}
