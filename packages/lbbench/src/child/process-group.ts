import type { ChildProcess } from "node:child_process";
import { signalProcess, waitUntilGone } from "./wait-until-gone.js";

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
