import { readProcessTable } from "../child/process-table.js";

/**
 * The descendants of a process, itself first, as the Linux process table has them; on another system the process alone.
 */
export async function processTree(root: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>();
  for (const { pid, parent } of (await readProcessTable()) ?? []) {
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}
