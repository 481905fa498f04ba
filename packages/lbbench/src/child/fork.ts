import { fork } from "node:child_process";
import { once } from "node:events";
import { createBirpc, type BirpcReturn } from "birpc";
import { ChildDiedError, type ChildExit } from "./child-died-error.js";
import { trackChild } from "./living-children.js";
import { followOutput } from "./output-tail.js";
import { waitForExit } from "./wait-for-exit.js";

/** A running child process that can be called. */
export interface Child<Remote extends object> {
  readonly pid: number;
  readonly name: string;
  /** Its functions; a call rejects with {@link ChildDiedError} when the process ends before it answers. */
  readonly call: BirpcReturn<Remote>;
  /** Resolves when the process has ended; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when the process has ended without having been asked to; never rejects. */
  readonly died: Promise<ChildExit>;
  /** Asks it to end, kills it after a grace period of five seconds, and waits. May be called more than once. */
  readonly stop: () => Promise<void>;
}

/** How to start a child process. */
export interface ForkOptions {
  /** Names it in messages. */
  readonly name: string;
  /**
   * Gives it a process group of its own, so that signals to ours do not reach it. Such a process answers for others and
   * kills them at once on SIGUSR2.
   */
  readonly ownGroup?: boolean;
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const STOP_GRACE_MS = 5000;

/**
 * Starts a built module of ours as a child process and opens a channel of calls to it.
 *
 * The module calls `serveChild`; it ends by itself when this process does.
 */
export function forkChild<Remote extends object>(entry: string, options: ForkOptions): Child<Remote> {
  const child = fork(entry, [], {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    detached: options.ownGroup ?? false,
    env: { ...process.env, ...options.env },
  });
  trackChild(child, options.ownGroup === true ? "SIGUSR2" : "SIGKILL");
  const output = followOutput(child.stderr);
  const call = createBirpc<Remote>(
    {},
    {
      // A call to a process that has just ended is lost; it is rejected when the exit is noticed.
      post: (data: object) => void (child.connected && child.send(data, () => {})),
      on: (receive) => void child.on("message", receive),
      timeout: -1,
    },
  );
  const exited = waitForExit(child, output);
  let stopping: Promise<void> | undefined;
  const died = new Promise<ChildExit>((resolve) => {
    void exited.then((exit) => {
      call.$close(new ChildDiedError(options.name, exit));
      if (stopping === undefined) resolve(exit);
    });
  });
  const stop = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return void (await exited);
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    if (child.connected) child.disconnect();
    await exited;
    clearTimeout(kill);
  };
  return { pid: child.pid ?? -1, name: options.name, call, exited, died, stop: () => (stopping ??= stop()) };
}

/** Rejects when the child ends before `promise` is settled, or when `signal` aborts. */
export async function whileAlive<T>(
  child: Pick<Child<object>, "exited" | "name">,
  promise: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  if (signal?.aborted === true) {
    // Nobody is left to hear how it ends.
    promise.catch(() => {});
    throw signal.reason;
  }
  const done = new AbortController();
  const died = child.exited.then((exit) => {
    throw new ChildDiedError(child.name, exit);
  });
  const aborted =
    signal === undefined
      ? []
      : [
          once(signal, "abort", { signal: done.signal }).then(() => {
            throw signal.reason;
          }),
        ];
  // A call to a process that has ended fails at once, and says less than its exit does.
  const settled = promise.catch(async (error: unknown) => {
    await new Promise(setImmediate);
    throw error;
  });
  try {
    return await Promise.race([settled, died, ...aborted]);
  } finally {
    done.abort();
    for (const loser of [settled, died, ...aborted]) loser.catch(() => {});
  }
}
