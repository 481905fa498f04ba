/**
 * Runs programs that are no modules of lbbench under a supervisor (`supervisor-process.ts`). It has the program in a process group of its own,
 * and ends it when lbbench has ended, also if lbbench was killed. Servers run until they are stopped; load generators run to their end.
 */
import { rm } from "node:fs/promises";
import type { WatchedProcess } from "../model/usage.js";
import type { Child, ChildExit } from "../model/child.js";
import type { EngineContext, GeneratorUsage } from "../plugin.js";
import { originOf } from "../stats/url-address.js";
import { builtEntry, describeExit, forkChild, whileAlive } from "./fork.js";
import { findFreePort, isListening } from "./listen.js";
import { signalProcess, waitUntilGone } from "./proc.js";
import { messageOf, StartError } from "./program.js";
import type { ProgramCommand, ServerCommand, Supervisor } from "./supervisor-process.js";

const ENTRY = builtEntry(import.meta.url, "./supervisor-process.js");

/** A program that was started: its process, which leads a group of its own, and the folder of its files. */
type Started = Awaited<ReturnType<Supervisor["start"]>>;

/** Starts a supervisor. If it is killed alone, as by the system for want of memory, what it has started is ended and removed from here. */
function forkSupervisor(name: string) {
  const supervisor = forkChild<Supervisor>(ENTRY, { name: `supervisor of ${name}`, ownGroup: true });
  let started: Started | undefined;
  const cleared = supervisor.exited.then(async ({ code }) => {
    if (code === 0 || started === undefined) return;
    const { pid, folder } = started;
    signalProcess(-pid, "SIGKILL");
    await waitUntilGone([-pid]);
    if (folder !== null) await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  });
  return {
    ...supervisor,
    /** Waits until a program is started, which is to end with the supervisor. */
    starting: async (start: Promise<Started>, signal: AbortSignal): Promise<Started> =>
      (started = await whileAlive(supervisor, start, signal)),
    stop: () => supervisor.stop().then(() => cleared),
  };
}

/** A program that serves at a port for as long as it runs, and does not put itself into the background. */
export interface ForegroundProgram {
  /** The program in a sentence: `the command "node server.js"`. */
  readonly title: string;
  readonly command: ServerCommand;
  readonly url: URL;
  /** How its process is watched; the processes that it starts count as part of it. */
  readonly watched: Pick<WatchedProcess, "name" | "role">;
  /** The program in a message about its death: `nginx ended with ...`. */
  readonly shortName: string;
  readonly readyTimeoutMs: number;
  /** Resolves when it answers; `folder` is where its files are. */
  readonly waitUntilReady: (signal: AbortSignal, folder: string | null) => Promise<void>;
  /** The likely cause, and what to do, if the program runs and does not answer. */
  readonly slowAdvice: string;
  /** Makes a message from the system's own, for a program that could not be run. */
  readonly explainRunError: (message: string) => string;
  /** Says why it ended before it answered, from the last lines it printed and its folder, which is still there; empty if nothing is known. */
  readonly explainEnd?: (output: readonly string[], folder: string | null, signal: AbortSignal) => Promise<string>;
}

/** How many free ports to try: another process may take a port before the program does. */
const MOST_PORTS = 3;

/**
 * Runs a program under a supervisor and waits until it answers. Resolves with its port, its process, and the folder of its files (`null` when
 * it has none). Rejects, with nothing left behind, with a {@link StartError} that has its last lines, or with the reason of an aborted signal.
 *
 * @param port 0 for any free one.
 * @param describe the program at that port.
 */
export async function startForegroundProgram(
  port: number,
  describe: (port: number) => ForegroundProgram,
  { signal }: { readonly signal: AbortSignal },
) {
  for (let tried = 1; ; tried += 1) {
    const used = port === 0 ? await findFreePort() : port;
    const program = describe(used);
    try {
      return { ...(await startServing(program, signal)), port: used };
    } catch (error) {
      // The program has been stopped, so another one answers there.
      if (port !== 0 || tried === MOST_PORTS || !(await isListening(program.url, signal))) throw error;
    }
  }
}

async function startServing(program: ForegroundProgram, signal: AbortSignal) {
  const { url, title, shortName } = program;
  // Another server at this address would be measured in the place of the program.
  const isTaken = await isListening(url, signal);
  signal.throwIfAborted();
  if (isTaken) {
    throw new StartError(
      `Expected nothing at ${originOf(url)} before ${title} is started, but something accepts ` +
        "connections there: the port is in use. Stop what uses it, choose another port, or leave the port out.",
    );
  }
  const supervisor = forkSupervisor(shortName);
  try {
    const started = orFolderFailure(supervisor, supervisor.call.start(program.command)).catch((error: unknown) => {
      if (error instanceof StartError) throw error;
      throw new StartError(program.explainRunError(messageOf(error)), { cause: error });
    });
    const { pid, folder } = await supervisor.starting(started, signal);
    const ended = supervisor.call.ended();
    await whileAlive(supervisor, becomeReady(supervisor, ended, program, folder, signal), signal);
    return {
      url: url.href,
      folder,
      process: { pid, ...program.watched, tree: true },
      died: ended.then(
        (exit) => `${shortName} ended with ${describeExit(exit)}`,
        async () => `${supervisor.name} ended with ${describeExit(await supervisor.died)}`,
      ),
      stop: supervisor.stop,
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Waits for a program to be started. If its folder could not be made, the {@link StartError} says what to set. */
async function orFolderFailure<T>({ call }: Child<Supervisor>, starting: Promise<T>): Promise<T> {
  return starting.catch(async (error: unknown) => {
    const failure = await call.folderFailure().catch(() => null);
    throw failure === null ? error : new StartError(failure, { cause: error });
  });
}

async function becomeReady(
  supervisor: Child<Supervisor>,
  ended: Promise<ChildExit>,
  { title, url, readyTimeoutMs, waitUntilReady, slowAdvice, explainEnd }: ForegroundProgram,
  folder: string | null,
  signal: AbortSignal,
): Promise<void> {
  // A title at the start of a sentence; a name such as nginx stays as it is.
  const subject = title.replace(/^the /, "The ");
  const over = new AbortController();
  const limit = AbortSignal.timeout(readyTimeoutMs);
  const death = ended.then(async (exit) => {
    // A program that is being stopped has nothing to be explained.
    const more = (await explainEnd?.(exit.output, folder, AbortSignal.any([signal, over.signal]))) ?? "";
    const how = `with ${describeExit(exit)}${more === "" ? "" : `\n${more}`}`;
    throw new StartError(`${subject} ended before it answered at ${url.href}, ${how}`);
  });
  try {
    await Promise.race([death, waitUntilReady(AbortSignal.any([signal, limit, over.signal]), folder)]);
  } catch (error) {
    if (!limit.aborted || signal.aborted || error instanceof StartError) throw error;
    const output = await supervisor.call.output();
    throw new StartError(
      `${subject} runs, but nothing answered at ${url.href} within ${readyTimeoutMs} ms. ${slowAdvice} ` +
        (output.length === 0 ? "It printed nothing." : `It last printed:\n  ${output.join("\n  ")}`),
      { cause: error },
    );
  } finally {
    over.abort();
  }
}

/**
 * Runs a program under a supervisor for as long as it likes, and resolves with how it ended. Rejects, with nothing left behind, with the system's
 * message where it cannot be run, or with the reason of the signal.
 *
 * @param name what its supervisor is called: `ssh`.
 */
export async function superviseProgram(name: string, command: ServerCommand, signal: AbortSignal): Promise<ChildExit> {
  signal.throwIfAborted();
  const supervisor = forkSupervisor(name);
  try {
    await supervisor.starting(supervisor.call.start(command), signal);
    return await whileAlive(supervisor, supervisor.call.ended(), signal);
  } finally {
    await supervisor.stop();
  }
}

/** A program to run once. */
export interface ProgramTask {
  /** The name of its process in reports: `ab`. */
  readonly name: string;
  readonly command: ProgramCommand;
  /** Cores that it can keep busy. */
  readonly cores: number;
  /** Interrupts it after so long. */
  readonly stopAfterMs?: number;
}

/** The end of a program that was run. */
export type ProgramRun = Awaited<ReturnType<typeof runProgram>>;

const PROGRESS_INTERVAL_MS = 250;

/**
 * Runs a program to its end under a supervisor, and interrupts it when the signal aborts; rejects where it has aborted before the
 * start. Nothing is left of the program then, also if this process is killed. It tells its results only at its end.
 */
export async function runProgram(
  { name, command, cores, stopAfterMs }: ProgramTask,
  { signal, onProgress, onStart }: Pick<EngineContext, "signal" | "onProgress" | "onStart">,
) {
  signal.throwIfAborted();
  const supervisor = forkSupervisor(name);
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    supervisor.call.interrupt().catch(() => {});
  };
  const timers: NodeJS.Timeout[] = [];
  try {
    const { pid } = await supervisor.starting(orFolderFailure(supervisor, supervisor.call.prepare(command)), signal);
    await onStart?.([{ pid, name }]);
    signal.throwIfAborted();
    const startMs = performance.now();
    const startedAt = new Date().toISOString();
    const ending = supervisor.call.finish();
    signal.addEventListener("abort", interrupt, { once: true });
    const tell = (): void => onProgress?.({ sent: 0, done: 0, elapsedMs: performance.now() - startMs });
    timers.push(setInterval(tell, PROGRESS_INTERVAL_MS));
    if (stopAfterMs !== undefined) timers.push(setTimeout(interrupt, stopAfterMs));
    const end = await whileAlive(supervisor, ending);
    // What it used, if the system tells.
    const generators: readonly GeneratorUsage[] = end.usage === undefined ? [] : [{ pid, name, cores, ...end.usage }];
    return { startedAt, end, interrupted, generators };
  } finally {
    signal.removeEventListener("abort", interrupt);
    for (const timer of timers) clearTimeout(timer);
    await supervisor.stop();
  }
}
