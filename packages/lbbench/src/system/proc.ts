/** What Linux tells of processes and of the machine in /proc; on another system nearly all of it is empty. */
import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { WatchedProcess } from "../model/usage.js";

/** Longer than what is read of any file here; only an environment may be that long. */
const BUFFER = Buffer.alloc(65_536);
/** A long list comes in pages of whole lines; only the last may be shorter than this, in bytes. */
const HALF_PAGE = 2048;

/**
 * Reads the beginning of a file of /proc, up to 64 KiB; empty when it is not there, or not for us to see. At once, and into memory that
 * is there: such a file is made when it is read, and the ways to read one that may wait cost ten times as much.
 */
export function readProcFile(path: string): string {
  let file: number | undefined;
  let length = 0;
  try {
    file = openSync(path, "r");
    for (let read = HALF_PAGE; read >= HALF_PAGE; length += read) {
      read = readSync(file, BUFFER, length, BUFFER.length - length, null);
    }
    return BUFFER.toString("latin1", 0, length);
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads the whole of a file the system tells things in, however long; empty where there is none. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

/** The entries of a folder of /proc that have a number for a name, as processes and threads do; none when it is not there. */
export function listNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** What Linux says of a process, or of one of its threads. */
export interface ProcStat {
  /** To 15 characters; may contain anything. */
  readonly name: string;
  /** Has ended, and its parent has not asked how. */
  readonly isZombie: boolean;
  /** Was halted by a signal. */
  readonly isHalted: boolean;
  readonly parent: number;
  readonly group: number;
  /** Processor time since its start, in ms, in ticks of 10 ms. */
  readonly cpuMs: number;
  /** The same of its children that have ended and whose end it has asked for, with that of theirs. */
  readonly reapedCpuMs: number;
  readonly rssBytes: number;
}

/** Other systems tell less of a process. Each use says what is missing there. */
export const IS_LINUX = process.platform === "linux";

/** The unit of processor time in /proc: USER_HZ is 100 on every architecture that Node.js runs on. */
export const TICK_MS = 10;

/** Reads `/proc/PID/stat`; `undefined` when the process is not there. */
export function readProcStat(pid: number): ProcStat | undefined {
  const line = readProcFile(`/proc/${pid}/stat`);
  return line === "" ? undefined : parseProcStat(line, pageBytes());
}

/** Reads the processor time of each thread of a process since its start, in ms, by thread id; none when it is not there. */
export function readThreads(pid: number): ReadonlyMap<number, number> {
  const threads = new Map<number, number>();
  for (const thread of listNumbers(`/proc/${pid}/task`)) {
    const line = readProcFile(`/proc/${pid}/task/${thread}/stat`);
    if (line !== "") threads.set(thread, parseProcStat(line, 0).cpuMs);
  }
  return threads;
}

/** Reads a line of `/proc/PID/stat`, whose fields proc(5) counts from 1. */
export function parseProcStat(line: string, bytesOfPage: number): ProcStat {
  // The name may contain anything, so fields are counted from its closing parenthesis: the next one is field 3.
  const nameEnd = line.lastIndexOf(")");
  const fields = line.slice(nameEnd + 2).split(" ", 22);
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    name: line.slice(line.indexOf("(") + 1, nameEnd),
    isZombie: fields[0] === "Z" || fields[0] === "X",
    isHalted: fields[0] === "T",
    parent: field(4),
    group: field(5),
    cpuMs: (field(14) + field(15)) * TICK_MS,
    reapedCpuMs: (field(16) + field(17)) * TICK_MS,
    rssBytes: field(24) * bytesOfPage,
  };
}

let knownPageBytes: number | undefined;

/** The unit of memory in /proc, 4 KiB on most machines: the power of two by which Node.js and the kernel agree about this process. */
function pageBytes(): number {
  const pages = (): number => parseProcStat(readProcFile("/proc/self/stat"), 1).rssBytes;
  return (knownPageBytes ??= 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages())));
}

/** Lists every process of this machine, by pid; empty on another system than Linux. It opens a file for each of them. */
export function readProcessTable(): ReadonlyMap<number, ProcStat> {
  const table = new Map<number, ProcStat>();
  for (const pid of listNumbers("/proc")) {
    const stat = readProcStat(pid);
    if (stat !== undefined) table.set(pid, stat);
  }
  return table;
}

/** The descendants of a process, itself first and parents before children; elsewhere than on Linux it is alone. */
export function processTree(root: number): readonly number[] {
  const childrenOf = findChildren();
  const tree = [root];
  for (const above of tree) tree.push(...childrenOf(above));
  return tree;
}

/**
 * Tells the children of a process: by the lists that most kernels have of them, otherwise from all processes of the machine. A child that
 * ends while a list is read may hide the next one (proc(5)).
 */
function findChildren(): (pid: number) => readonly number[] {
  if (existsSync("/proc/thread-self/children")) {
    return (pid) =>
      listNumbers(`/proc/${pid}/task`).flatMap(
        (thread) => readProcFile(`/proc/${pid}/task/${thread}/children`).match(/\d+/g)?.map(Number) ?? [],
      );
  }
  const table = [...readProcessTable()];
  return (pid) => table.flatMap(([child, { parent }]) => (parent === pid ? [child] : []));
}

/** For each watched process the processes that count for it, itself first. */
export function readTrees(watched: readonly Pick<WatchedProcess, "pid" | "tree">[]): ProcessTrees {
  return new Map(watched.map(({ pid, tree }) => [pid, tree ? processTree(pid) : [pid]]));
}

/** Processes by the pid of the one that they are counted for. */
export type ProcessTrees = ReadonlyMap<number, readonly number[]>;

/** Sends a signal to a process, or to a group when `pid` is negative; returns whether it reached a process. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  // To the system these two are all processes of the user, and the group of this one. A process that could not be started has no other number.
  if (pid === -1 || pid === 0) return false;
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Where nothing reaps orphans their entries stay for ever. */
const GONE_LIMIT_MS = 2000;
const GONE_INTERVAL_MS = 5;

/** Resolves when none of the processes (groups, when negative), which are ending by now, is left; after 2 s at most. */
export async function waitUntilGone(pids: readonly number[]): Promise<void> {
  const isLeft = (pid: number): boolean => {
    if (!signalProcess(pid, 0)) return false;
    const table = readProcessTable();
    return table.size === 0 || [...table].some(([id, one]) => !one.isZombie && (id === pid || one.group === -pid));
  };
  for (let waitedMs = 0; waitedMs < GONE_LIMIT_MS && pids.some(isLeft); waitedMs += GONE_INTERVAL_MS) {
    await wait(GONE_INTERVAL_MS);
  }
}

/** The process group that a child process leads. */
export interface ProcessGroup {
  /** Sends a signal to all of the group, as long as its number is its own: until the leader has ended. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves when the leader has ended, and with it what it had started, which is killed then; never rejects. */
  readonly gone: Promise<void>;
}

/** Follows the group of a process that was started as `detached`. Call it in the turn in which the process was started. */
export function leadGroup(leader: ChildProcess): ProcessGroup {
  const { pid } = leader;
  if (pid === undefined) return { signal: () => {}, gone: Promise.resolve() };
  let isLed = true;
  const signal = (name: NodeJS.Signals): void => {
    if (isLed) signalProcess(-pid, name);
  };
  const gone = new Promise<void>((resolve) => {
    leader.once("exit", () => {
      // The last moment in which the number cannot have gone to another group.
      signal("SIGKILL");
      isLed = false;
      resolve(waitUntilGone([-pid]));
    });
  });
  return { signal, gone };
}

let coresOfMachine: number | undefined;

/** How many cores a process may run on, and may use at a time. */
export interface AllowedCores {
  readonly present: number;
  readonly count: number;
}

/**
 * Reads the cores that a process may use: those that its affinity names (`taskset`), and at a time no more than a Go program was told
 * by GOMAXPROCS, because the work of such a program moves from thread to thread. `undefined` where the system does not tell. Limits
 * of control groups are not seen.
 */
export function allowedCores(pid: number): AllowedCores | undefined {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readProcFile(`/proc/${pid}/status`))?.[1];
  if (list === undefined) return undefined;
  // The list may name cores that could be added to the machine.
  const present = Math.min(countCores(list), (coresOfMachine ??= cpus().length));
  const goLimit = Number(/(?:^|\0)GOMAXPROCS=(\d+)(?:\0|$)/.exec(readProcFile(`/proc/${pid}/environ`))?.[1] ?? 0);
  return { present, count: goLimit > 0 ? Math.min(goLimit, present) : present };
}

/** Counts the cores of a list as Linux writes it: `0-2,5` are four. */
export function countCores(list: string): number {
  return list.split(",").reduce((sum, range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return sum + last - first + 1;
  }, 0);
}

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
  const told = parseMachineTimes(readProcFile("/proc/stat"));
  if (told !== undefined) return told;
  const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
  return all.reduce((sum, { busy, idle }) => ({ busy: sum.busy + busy, idle: sum.idle + idle }));
}

/** Reads the first line of `/proc/stat`, if there is one (proc(5)): `cpu user nice system idle iowait irq softirq steal ...`. */
export function parseMachineTimes(text: string): MachineTimes | undefined {
  const times = /^cpu\s+(.*)$/m.exec(text)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
  // What follows counts guests, whose time is in `user` and `nice` already.
  const [user = 0, nice = 0, system = 0, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = times;
  return idle === undefined ? undefined : { busy: user + nice + system + irq + softirq, idle: idle + iowait, steal };
}

/** How the time between two readings was spent; nothing when none has passed. */
export function machineShares(before: MachineTimes, after: MachineTimes): MachineShares {
  const busy = after.busy - before.busy;
  const ours = busy + after.idle - before.idle;
  const machine = ours > 0 ? Math.min(1, Math.max(0, busy / ours)) : 0;
  if (before.steal === undefined || after.steal === undefined) return { machine };
  const steal = Math.max(0, after.steal - before.steal);
  return { machine, steal: steal > 0 ? steal / (ours + steal) : 0 };
}
