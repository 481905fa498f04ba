/** Modules of lbbench that run as child processes: starting one, calling it, the child's side of calls, and how it ended. */
import { fork, type ChildProcess } from "node:child_process";
import { sep } from "node:path";
import { finished } from "node:stream/promises";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { createBirpc } from "birpc";
import type { Child, ChildExit, LocalPool } from "../model/child.js";
import { followOutput } from "./output.js";
import { inTime, unless } from "./settle.js";

/** How to start a child process. */
export interface ForkOptions {
  readonly name: string;
  /** Starts it in a process group of its own. Such a process supervises others, and kills them at once on SIGUSR2. */
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
 * Path of the built JavaScript of a module, `./generator-process.js` relative to the caller's `import.meta.url`. Node 20 cannot run
 * TypeScript, so a module that is loaded from `src/`, as tests do, maps to its build in `dist/`.
 */
export function builtEntry(from: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}lbbench${sep}src${sep}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}lbbench${sep}dist${sep}${path.slice(at + source.length)}`;
}

const STOP_GRACE_MS = 5000;

/** Every child that runs, with the signal that ends it and all it supervises at once. */
const living = new Map<ChildProcess, NodeJS.Signals>();

/** Kills every child process at once, without a chance to clean up; for the second Ctrl-C and nothing else. */
export function killLivingChildren(): void {
  for (const [child, lethal] of living) child.kill(lethal);
}

/** Starts a built module, which calls {@link serveChild}, and opens a channel of calls to it. It ends when this process does. */
export function forkChild<Remote extends object>(
  entry: string,
  { name, ownGroup = false, env }: ForkOptions,
): Child<Remote> {
  const child = fork(entry, [], {
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    detached: ownGroup,
    env: { ...process.env, ...env },
  });
  living.set(child, ownGroup ? "SIGUSR2" : "SIGKILL");
  child.once("exit", () => living.delete(child));
  const call = createBirpc<Remote>(
    {},
    {
      // A call to a process that has just ended is lost. It is rejected when the exit is noticed.
      post: (data: object) => void (child.connected && child.send(data, () => {})),
      on: (receive) => void child.on("message", receive),
      timeout: -1,
    },
  );
  const exited = waitForExit(child, followOutput(child.stderr));
  let stopping: Promise<void> | undefined;
  const died = exited.then((exit) => {
    call.$close(new ChildDiedError(name, exit));
    return stopping === undefined ? exit : new Promise<never>(() => {});
  });
  const stop = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return void (await exited);
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_GRACE_MS);
    if (child.connected) child.disconnect();
    await exited;
    clearTimeout(kill);
  };
  const calls = call as unknown as Child<Remote>["call"];
  return { place: "local", pid: child.pid ?? -1, name, call: calls, exited, died, stop: () => (stopping ??= stop()) };
}

const ends = new WeakMap<Promise<ChildExit>, Promise<never>>();

/** Rejects when the child has ended; the same promise for each call. */
function endOf({ exited, name }: Pick<Child<object>, "exited" | "name">): Promise<never> {
  const end =
    ends.get(exited) ??
    exited.then((exit): never => {
      throw new ChildDiedError(name, exit);
    });
  ends.set(exited, end);
  return end;
}

/** Rejects when the child ends before `promise` is settled, or when `signal` aborts. */
export function whileAlive<T>(
  child: Pick<Child<object>, "exited" | "name">,
  promise: Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  // A call to a process that has ended fails at once, and says less than its exit does.
  const answer = promise.catch(async (error: unknown) => {
    await turn();
    throw error;
  });
  return inTime(unless(endOf(child), answer), { signal });
}

/** Starts an empty pool; its processes are named `name-1`, `name-2`, ... */
export function createChildPool(name: string): LocalPool {
  const pools = new Map<string, (Child<object> | undefined)[]>();
  return {
    acquire: <Remote extends object>(entry: string, count: number) => {
      const places = pools.get(entry) ?? [];
      pools.set(entry, places);
      const fill = (_: unknown, index: number): Child<object> => {
        const child = places[index] ?? forkChild<object>(entry, { name: `${name}-${index + 1}` });
        if (places[index] !== child) void child.exited.then(() => (places[index] = undefined));
        return (places[index] = child);
      };
      return Array.from({ length: count }, fill) as unknown as readonly Child<Remote>[];
    },
    close: async () => {
      const all = [...pools.values()].flat();
      pools.clear();
      await Promise.all(all.flatMap((child) => child?.stop() ?? []));
    },
  };
}

/** How a process is to end: `finish` when the work under way is done, within a limit; `quit` at once. */
export type Ending = "finish" | "quit";

const ENDING_LIMITS_MS = { finish: 5000, quit: 4000 };
const FLUSH_INTERVAL_MS = 1;

/**
 * The child's side of {@link forkChild}: offers functions to the parent. The process ends when the parent does or disconnects, and on
 * SIGHUP, after `shutdown` had four seconds to quit; on SIGTERM after it had five to finish, in which it may be told to quit after all.
 * Answers that are due then are sent before. SIGINT, which a terminal sends to the whole group, is for the parent to hear.
 */
export function serveChild(functions: object, shutdown: (ending: Ending) => Promise<void> | void = () => {}): void {
  // The parent ended before this module was loaded, so no event will tell of it.
  if (!process.connected) process.exit(0);
  const tell = (error: unknown): unknown => process.stderr.write(`${inspect(error)}\n`);
  let unsent = 0;
  const flush = async (): Promise<void> => {
    do await wait(FLUSH_INTERVAL_MS);
    while (unsent > 0);
  };
  let current: Ending | undefined;
  const end = (code: number, ending: Ending = "quit"): void => {
    if (current === "quit" || current === ending) return;
    current = ending;
    setTimeout(() => process.exit(code), ENDING_LIMITS_MS[ending]).unref();
    void (async () => shutdown(ending))()
      .catch(tell)
      .then(flush)
      .then(() => process.exit(code));
  };
  // If the parent was killed this is not read, and a failed write would cause another one.
  process.stderr.on("error", () => {});
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => end(143, "finish"));
  process.on("SIGHUP", () => end(129));
  process.on("disconnect", () => end(0));
  process.on("uncaughtException", (error) => {
    tell(error);
    end(1);
  });
  const post = (data: object): void => {
    if (!process.connected) return;
    unsent += 1;
    process.send?.(data, undefined, undefined, () => void (unsent -= 1));
  };
  createBirpc(functions, {
    post,
    on: (receive) => void process.on("message", receive),
    timeout: -1,
  });
}

const LAST_WORDS_MS = 100;

/**
 * Resolves with how a process ended and the last lines it printed, when what it has sent is read; never rejects. Call it in the turn of
 * the start; a process that could not be started has neither code nor signal. Not by the event `close`: where the channel was closed from
 * this side it never comes.
 */
export async function waitForExit(child: ChildProcess, output: () => readonly string[]): Promise<ChildExit> {
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("exit", (...how) => resolve(how));
    if (child.pid === undefined) child.once("error", () => resolve([null, null]));
  });
  // The last lines may still be in the pipe. A child of the process may hold the pipe open, and is not waited for.
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const read = streams.map((stream) => finished(stream).catch(() => {}));
  if (child.connected) read.push(new Promise((resolve) => child.once("disconnect", resolve)));
  await Promise.race([Promise.all(read), wait(LAST_WORDS_MS, undefined, { ref: false })]);
  return { code, signal, output: output() };
}
