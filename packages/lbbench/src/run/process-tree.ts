import { readdir, readFile } from "node:fs/promises";

/**
 * The descendants of a process, itself first, as the Linux process table has them; on another system the process alone.
 */
export async function processTree(root: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of await readProcesses()) {
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

async function readProcesses(): Promise<readonly { readonly pid: number; readonly parent: number }[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const stat = await readFile(`/proc/${pid}/stat`, "utf8");
        // The name may contain anything, so fields are counted from its closing parenthesis (proc(5)).
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return [{ pid: Number(pid), parent }];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
