import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { processTree, readProcStat } from "./proc.js";
import { isGone, killProcesses, pauseProcesses, resumeProcesses } from "./signals.js";

it.each([
  ["resumed", resumeProcesses],
  ["killed", killProcesses],
])(
  "what is halted has a process that watches over it, until it is %s, also where another has ended meanwhile",
  async (_, undo) => {
    const others = new Set(processTree(process.pid));
    const [lasting, ending] = [spawn("sleep", ["600"]), spawn("true")];
    await once(ending, "exit");
    const pid = lasting.pid ?? -1;
    await pauseProcesses([pid, ending.pid ?? -1]);
    expect(readProcStat(pid)?.isHalted).toBe(true);
    const watching = (): readonly number[] => processTree(process.pid).filter((one) => one !== pid && !others.has(one));
    expect(watching()).toHaveLength(1);
    await undo([pid]);
    expect(watching()).toEqual([]);
    expect(readProcStat(pid)?.isHalted ?? false).toBe(false);
    await killProcesses([pid]);
    expect(isGone(pid)).toBe(true);
  },
);
