import type { ChildProcess } from "node:child_process";

const living = new Map<ChildProcess, NodeJS.Signals>();

/**
 * Remembers a child process until it exits.
 *
 * @param lethal the signal that ends it, and all it answers for, at once.
 */
export function trackChild(child: ChildProcess, lethal: NodeJS.Signals): void {
  living.set(child, lethal);
  child.once("exit", () => living.delete(child));
}

/** Kills every child process at once, without a chance to clean up; for the second Ctrl-C and nothing else. */
export function killLivingChildren(): void {
  for (const [child, lethal] of living) child.kill(lethal);
}
