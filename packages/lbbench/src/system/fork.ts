/** Modules of ours that run as child processes: starting one, calling it, its own side of that, and how it ended. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { sep } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { createBirpc, type BirpcReturn } from "birpc";
import { followOutput } from "./output.js";

/** How a child process ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines it printed. */
  readonly output: readonly string[];
}

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

/** A child process ended while it was still needed. */
export class ChildDiedError extends Error {
  override readonly name = "ChildDiedError";
  readonly code = "CHILD_DIED";

  constructor(
    readonly child: string,
    readonly exit: ChildExit,
  ) {
    super(`The process "${child}" ended unexpectedly with ${describeExit(exit)}`);
  }
}

/** Says how a child process ended: `exit code 1`, `signal SIGKILL`. */
export function describeExit(exit: ChildExit): string {
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return exit.output.length === 0 ? how : `${how}; it last printed:\n  ${exit.output.join("\n  ")}`;
}

/**
 * Path of the built JavaScript of a module that is to be run by a child process.
 *
 * Node 20 cannot run TypeScript, so a module that is loaded from `src/` (as the tests do) maps to its build in `dist/`.
 *
 * @param from `import.meta.url` of the caller.
 * @param relative the module, relative to the caller, with its built extension: `./generator-process.js`.
 */
export function builtEntry(from: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}lbbench${sep}src${sep}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}lbbench${sep}dist${sep}${path.slice(at + source.length)}`;
}

const STOP_GRACE_MS = 5000;

/** Every child that runs, with the signal that ends it, and all it answers for, at once. */
const living = new Map<ChildProcess, NodeJS.Signals>();

/** Kills every child process at once, without a chance to clean up; for the second Ctrl-C and nothing else. */
export function killLivingChildren(): void {
  for (const [child, lethal] of living) child.kill(lethal);
}

/**
 * Starts a built module of ours as a child process and opens a channel of calls to it.
 *
 * The module calls {@link serveChild}; it ends by itself when this process does.
 */
export function forkChild<Remote extends object>(entry: string, options: ForkOptions): Child<Remote> {
  const child = fork(entry, [], {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    detached: options.ownGroup ?? false,
    env: { ...process.env, ...options.env },
  });
  living.set(child, options.ownGroup === true ? "SIGUSR2" : "SIGKILL");
  child.once("exit", () => living.delete(child));
  const call = createBirpc<Remote>(
    {},
    {
      // A call to a process that has just ended is lost; it is rejected when the exit is noticed.
      post: (data: object) => void (child.connected && child.send(data, () => {})),
      on: (receive) => void child.on("message", receive),
      timeout: -1,
    },
  );
  const exited = waitForExit(child, followOutput(child.stderr));
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

/** Child processes that are kept between uses, so that their code stays compiled. */
export interface ChildPool {
  /** The first `count` living processes of a built module, started where there are too few. */
  readonly acquire: <Remote extends object>(entry: string, count: number) => readonly Child<Remote>[];
  /** Ends all of them and waits. */
  readonly close: () => Promise<void>;
}

/** Starts an empty pool; its processes are named `name-1`, `name-2`, ... */
export function createChildPool(name: string): ChildPool {
  const pools = new Map<string, Child<object>[]>();
  return {
    acquire: <Remote extends object>(entry: string, count: number) => {
      const children = pools.get(entry) ?? [];
      pools.set(entry, children);
      while (children.length < count) {
        const child = forkChild<object>(entry, { name: freeName(name, children) });
        children.push(child);
        void child.exited.then(() => {
          const at = children.indexOf(child);
          if (at !== -1) children.splice(at, 1);
        });
      }
      return children.slice(0, count) as unknown as readonly Child<Remote>[];
    },
    close: async () => {
      const all = [...pools.values()].flat();
      pools.clear();
      await Promise.all(all.map((child) => child.stop()));
    },
  };
}

/** The name with the lowest number that no living process of the pool has. */
function freeName(name: string, children: readonly Pick<Child<object>, "name">[]): string {
  for (let number = 1; ; number++) {
    const candidate = `${name}-${number}`;
    if (children.every((child) => child.name !== candidate)) return candidate;
  }
}

const SHUTDOWN_LIMIT_MS = 4000;

/**
 * The child's side of {@link forkChild}: offers functions to the parent and ends with it.
 *
 * The process ends when the parent disconnects or dies, or on SIGTERM or SIGHUP, after `shutdown` had four seconds to
 * clean up. SIGINT is ignored: a terminal sends it to the whole group, and what it means is for the parent to say.
 */
export function serveChild(functions: object, shutdown: () => Promise<void> | void = () => {}): void {
  // The parent was gone before this module was loaded, and with it the event that tells so.
  if (!process.connected) process.exit(0);
  let ending = false;
  const end = (code: number): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), SHUTDOWN_LIMIT_MS).unref();
    void Promise.resolve()
      .then(shutdown)
      .catch((error: unknown) => {
        process.stderr.write(`${inspect(error)}\n`);
      })
      .then(() => process.exit(code));
  };
  // When the parent was killed nobody reads this, and each failure to write would be another one to tell of.
  process.stderr.on("error", () => {});
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => end(143));
  process.on("SIGHUP", () => end(129));
  process.on("disconnect", () => end(0));
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${inspect(error)}\n`);
    end(1);
  });
  createBirpc(functions, {
    post: (data: object) => void (process.connected && process.send?.(data, undefined, undefined, () => {})),
    on: (receive) => void process.on("message", receive),
    timeout: -1,
  });
}

const LAST_WORDS_MS = 100;

/**
 * Resolves with how a process ended and the last lines it printed; never rejects. Call it in the turn in which the
 * process was started; one that could not be started has neither code nor signal.
 *
 * Not by the event `close`: a process whose channel was closed from this side never emits it.
 */
export async function waitForExit(child: ChildProcess, output: () => readonly string[]): Promise<ChildExit> {
  if (child.pid === undefined) {
    await once(child, "error").catch(() => {});
    return { code: null, signal: null, output: output() };
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("exit", (...how) => resolve(how));
  });
  // Its last words may still be in the pipe; a process of its own that holds the pipe open is not waited for.
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const limit = new AbortController();
  await Promise.race([
    Promise.all(streams.map((stream) => finished(stream).catch(() => {}))),
    wait(LAST_WORDS_MS, undefined, { ref: false, signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
  return { code, signal, output: output() };
}
