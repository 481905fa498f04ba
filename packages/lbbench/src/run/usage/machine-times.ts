import { cpus } from "node:os";
import { readProcFile } from "../../child/proc-file.js";

/** Time of all cores since the machine started, in whatever unit. */
export interface MachineTimes {
  readonly busy: number;
  readonly idle: number;
  /** Given by a hypervisor to other machines, where the system tells. */
  readonly steal?: number;
}

/** How the time of all cores was spent, as shares of 0 to 1. */
export interface MachineShares {
  /** Busy share of the time that was not stolen. */
  readonly machine: number;
  readonly steal?: number;
}

/**
 * Reads how busy the cores were so far, from `/proc/stat` where there is one: `os.cpus()` leaves out what the kernel does
 * in soft interrupts, which is a good part of receiving from a network.
 */
export function readMachineTimes(): MachineTimes {
  return parseMachineTimes(readProcFile("/proc/stat")) ?? timesOfCores();
}

/**
 * Reads the first line of `/proc/stat`, as proc(5) describes it: `cpu user nice system idle iowait irq softirq steal ...`;
 * `undefined` when the text has none.
 */
export function parseMachineTimes(text: string): MachineTimes | undefined {
  const times = /^cpu\s+(.*)$/m.exec(text)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  // What follows counts guests, whose time is in `user` and `nice` already.
  const [user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = times;
  if (user === undefined || nice === undefined || system === undefined || idle === undefined) return undefined;
  return { busy: user + nice + system + irq + softirq, idle: idle + iowait, steal };
}

function timesOfCores(): MachineTimes {
  const all = cpus().map(({ times }) => times);
  return {
    busy: all.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0),
    idle: all.reduce((sum, { idle }) => sum + idle, 0),
  };
}

/** How the time between two readings was spent; nothing when none has passed. */
export function machineShares(before: MachineTimes, after: MachineTimes): MachineShares {
  const busy = after.busy - before.busy;
  const ours = busy + after.idle - before.idle;
  const steal =
    before.steal === undefined || after.steal === undefined ? undefined : Math.max(0, after.steal - before.steal);
  return {
    machine: ours > 0 ? Math.min(1, Math.max(0, busy / ours)) : 0,
    ...(steal === undefined ? {} : { steal: steal > 0 ? steal / (ours + steal) : 0 }),
  };
}
