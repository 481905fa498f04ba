/** What the contract suites are made of: their cases, and what is seen of processes and ports that are left. */
import assert from "node:assert/strict";
import { isListening } from "../system/listen.js";
import { processTree, readProcStat, signalProcess } from "../system/proc.js";

/**
 * One thing that a plugin of some kind has to do. Any test runner can run it:
 *
 *     for (const { name, run } of serverContract(myServer, subject)) it(name, run);
 */
export interface ContractCase {
  /** A sentence about the plugin: `answers when it has started`. */
  readonly name: string;
  /** Rejects with an `AssertionError` that says what was expected and what came. Starts and stops what it needs. */
  readonly run: () => Promise<void>;
}

/** Whether anything accepts connections at the address of a URL. */
export function acceptsConnections(url: string): Promise<boolean> {
  return isListening(new URL(url), new AbortController().signal);
}

/** Whether a process is running; one that has ended and was not yet reaped by its parent is not. */
export function isRunning(pid: number): boolean {
  return signalProcess(pid, 0) && (process.platform !== "linux" || readProcStat(pid)?.isZombie === false);
}

/** Those of `pids` that are running. */
export function runningOf(pids: Iterable<number>): readonly number[] {
  return [...pids].filter(isRunning);
}

/** Throws unless none of `pids` is running. */
export function expectGone(pids: Iterable<number>): void {
  assert.deepEqual(runningOf(pids), [], "processes that are left");
}

/** Throws unless a message says a thing. */
export function expectSaid(message: string, part: string | RegExp): void {
  const isSaid = typeof part === "string" ? message.includes(part) : part.test(message);
  assert.ok(isSaid, `the message has to contain ${part}, but is: ${message}`);
}

/** Remembers every process that this one starts, directly or not, while it is followed. */
export interface DescendantLog {
  /** Looks once more; resolves with all that were ever seen. */
  readonly look: () => Promise<ReadonlySet<number>>;
  readonly seen: () => ReadonlySet<number>;
}

/** Starts to follow the descendants of this process; those that it has already are left out. Sees them on Linux only. */
export function followDescendants(): DescendantLog {
  const before = new Set(processTree(process.pid));
  const seen = new Set<number>();
  return {
    look: async () => {
      // A caller that looks in a loop must not keep from happening what it waits for.
      await new Promise(setImmediate);
      for (const pid of processTree(process.pid)) if (!before.has(pid)) seen.add(pid);
      return seen;
    },
    seen: () => seen,
  };
}
