import { listNumbers } from "../../child/proc-file.js";
import { readProcStat } from "../../child/proc-stat.js";

/**
 * The descendants of each of these processes, itself first and parents before children, as the Linux process table has
 * them; on another system each process alone.
 */
export function processTrees(roots: readonly number[]): ReadonlyMap<number, readonly number[]> {
  if (roots.length === 0) return new Map();
  const children = new Map<number, number[]>();
  for (const pid of listNumbers("/proc")) {
    const parent = readProcStat(pid)?.parent;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [pid]);
    else siblings.push(pid);
  }
  return new Map(roots.map((root) => [root, treeOf(root, children)]));
}

/** The descendants of a process, itself first, as {@link processTrees} finds them. */
export async function processTree(root: number): Promise<readonly number[]> {
  return processTrees([root]).get(root) ?? [root];
}

function treeOf(root: number, children: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}
