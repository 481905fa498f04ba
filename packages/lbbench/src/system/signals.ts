/** Signals that end, halt and resume processes, sent and seen to take effect. */
import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { IS_LINUX, listNumbers, readProcStat, signalProcess } from "./proc.js";

/** How long an effect may take to be seen, in ms. */
const EFFECT_LIMIT_MS = 5000;
const LOOK_INTERVAL_MS = 2;

/** Whether a process has ended, with all it had open, be it that its parent has not yet asked how. */
export function isGone(pid: number): boolean {
  if (!signalProcess(pid, 0)) return true;
  // Threads that outlive the first one for a moment keep ports open.
  return readProcStat(pid)?.isZombie === true && listNumbers(`/proc/${pid}/task`).length <= 1;
}

/** Resolves when something is so; rejects, with what was expected and has not come, after five seconds, or as long as is said. */
export async function waitUntilSeen(isSo: () => boolean, expected: string, limitMs = EFFECT_LIMIT_MS): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`Expected ${expected} within ${limitMs} ms, but it did not happen`);
    await wait(LOOK_INTERVAL_MS);
  }
}

/** Kills processes, halted ones too; resolves when all of them are gone. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signalProcess(pid, "SIGKILL");
  await waitUntilSeen(() => pids.every(isGone), "the processes to be gone after SIGKILL");
  await releaseProcesses(pids);
}

/**
 * Halts processes; resolves when each of them is halted, or gone. Should this process end before they are resumed or killed, however that
 * is, they are killed.
 */
export async function pauseProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) halted.add(pid);
  await tellWatchman();
  for (const pid of pids) signalProcess(pid, "SIGSTOP");
  // Elsewhere than on Linux a process does not tell whether it is halted.
  const isDone = (pid: number): boolean => !IS_LINUX || isGone(pid) || isHalted(pid);
  await waitUntilSeen(() => pids.every(isDone), "the processes to be halted after SIGSTOP");
  await releaseProcesses(pids.filter(isGone));
}

function isHalted(pid: number): boolean {
  return readProcStat(pid)?.isHalted === true;
}

/** Lets processes go on; resolves when none of them is halted. */
export async function resumeProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) signalProcess(pid, "SIGCONT");
  await waitUntilSeen(() => !pids.some(isHalted), "the processes to go on after SIGCONT");
  await releaseProcesses(pids);
}

/** Has processes that are gone killed no more at the end of this one: their numbers may be those of others. */
export async function releaseProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) halted.delete(pid);
  await tellWatchman();
}

/** Processes that are halted, and what kills them when this one is gone. */
const halted = new Set<number>();
let watchman: { readonly child: ChildProcess; readonly ended: Promise<void> } | undefined;

/** Each line has the processes to be killed when there are no more lines. */
const WATCHMAN = 'pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';

/** Has those that are halted killed at the end of this process, and no others. */
async function tellWatchman(): Promise<void> {
  // One that ended as it was being halted is in no list afterwards.
  for (const pid of halted) if (isGone(pid)) halted.delete(pid);
  if (halted.size === 0 && watchman === undefined) return;
  watchman ??= startWatchman();
  const { child, ended } = watchman;
  child.stdin?.write(`${[...halted].join(" ")}\n`);
  if (halted.size > 0) return;
  watchman = undefined;
  child.ref();
  child.stdin?.end();
  await ended;
}

/** In a group of its own, so that Ctrl-C leaves it alone. Where it cannot be started, processes are halted all the same. */
function startWatchman() {
  const child = spawn("/bin/sh", ["-c", WATCHMAN], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.stdin.on("error", () => {});
  child.unref();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  return { child, ended };
}
