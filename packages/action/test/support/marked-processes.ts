import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A variable of the environment by which a process and all that it starts are found, whoever their parent is. */
export const MARK = "LBBENCH_ACTION_TEST";

/** Ids of the running processes with this mark. Sees none without /proc. */
export function markedProcesses(mark: string): readonly number[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && textOf(`/proc/${name}/environ`).split("\0").includes(`${MARK}=${mark}`))
    .filter((name) => !/^State:\s+[ZX]/m.test(textOf(`/proc/${name}/status`)))
    .map(Number);
}

/** What has ended in the meantime has nothing to read. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
