import { readdir, readFile } from "node:fs/promises";

/** A process as the system lists it. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Has ended, and its parent has not asked how. */
  readonly isZombie: boolean;
}

/** Lists every process of this machine as the Linux process table has them; `undefined` on another system. */
export async function readProcessTable(): Promise<readonly ListedProcess[] | undefined> {
  try {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    return (await Promise.all(pids.map(readEntry))).flat();
  } catch {
    return undefined;
  }
}

async function readEntry(pid: string): Promise<readonly ListedProcess[]> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name may contain anything, so fields are counted from its closing parenthesis (proc(5)).
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), isZombie: state === "Z" || state === "X" },
    ];
  } catch {
    // It has ended since it was listed.
    return [];
  }
}
