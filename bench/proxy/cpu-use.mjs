import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = ticksPerSecond();

function ticksPerSecond() {
  try {
    return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  } catch {
    return 100;
  }
}

// Fields of /proc/PID/stat after the command, which may hold blanks: see proc(5); utime is the 14th of all, stime the 15th.
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/** CPU time in s that a process and all that descend from it have used so far; `undefined` where there is no /proc. */
export function cpuSeconds(root) {
  if (readStat(root) === undefined) return undefined;
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter(Boolean);
  const tree = [root];
  for (const pid of tree) tree.push(...stats.filter(({ parent }) => parent === pid).map((stat) => stat.pid));
  const ticks = stats.filter(({ pid }) => tree.includes(pid)).reduce((sum, stat) => sum + stat.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}

/** Busy and total time of a core since the machine started, in ticks; `undefined` where there is no /proc. */
export function coreTicks(core) {
  try {
    const line = readFileSync("/proc/stat", "latin1")
      .split("\n")
      .find((each) => each.startsWith(`cpu${core} `));
    const [user, nice, system, idle, wait, ...rest] = line.split(" ").slice(1, 9).map(Number);
    const busy = user + nice + system + rest.reduce((sum, ticks) => sum + ticks, 0);
    return { busy, total: busy + idle + wait };
  } catch {
    return undefined;
  }
}
