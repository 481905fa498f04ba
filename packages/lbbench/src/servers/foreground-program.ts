import { builtEntry, type Child, describeExit, forkChild, whileAlive } from "../system/fork.js";
import type { RunningServer, ServerContext, WatchedProcess } from "../plugin.js";
import { originOf } from "../stats/url-address.js";
import type { CommandLine, CommandSupervisor, StartedCommand } from "./command-supervisor.js";
import { connectOnce } from "./connect-once.js";
import { findFreePort, type FreePort } from "./free-port.js";
import { StartError } from "./start-error.js";

const ENTRY = builtEntry(import.meta.url, "./command-supervisor.js");

/** A program that serves at a port for as long as it runs, and does not put itself into the background. */
export interface ForegroundProgram {
  /** What a sentence calls it: `the command "node server.js"`. */
  readonly title: string;
  readonly command: CommandLine;
  readonly url: URL;
  /** How it is watched; whatever it starts is counted with it. */
  readonly watched: Pick<WatchedProcess, "name" | "role">;
  /** What is said of its death: `nginx ended with ...`. */
  readonly shortName: string;
  readonly readyTimeoutMs: number;
  /** Resolves when it answers; `folder` is where its files are. */
  readonly waitUntilReady: (signal: AbortSignal, folder: string | null) => Promise<void>;
  /** What may be the matter, and what to do, when it runs and does not answer. */
  readonly slowAdvice: string;
  /** The message for a program that the system could not run, from the system's own. */
  readonly explainRunError: (message: string) => string;
  /** More about its end before it answered, from the last lines it printed: a sentence, or nothing. */
  readonly explainEnd?: (output: readonly string[]) => string;
}

/** A program that answers. */
export interface ForegroundServer extends RunningServer {
  /** Where its files are; `null` when it has none. */
  readonly folder: string | null;
}

/**
 * Runs a program under a supervisor and waits until it answers. Rejects, with nothing left behind, with a
 * {@link StartError} that has its last lines, or with the reason of an aborted signal.
 *
 * @param port 0 for any free one.
 * @param describe the program at that port.
 */
export async function startForegroundProgram(
  port: number,
  describe: (port: number) => ForegroundProgram,
  context: ServerContext,
): Promise<ForegroundServer> {
  if (port !== 0) return run(describe(port), context.signal);
  const found: FreePort[] = [];
  try {
    for (;;) {
      // Kept until the end, so that the next one is another.
      found.push(await findFreePort());
      const program = describe(found.at(-1)?.port ?? 0);
      try {
        return await run(program, context.signal);
      } catch (error) {
        if (found.length === MOST_PORTS || !(await isTaken(program, context.signal))) throw error;
      }
    }
  } finally {
    for (const { release } of found) release();
  }
}

/** How many free ports are tried: what is free when it is looked for may be taken when the program wants it. */
const MOST_PORTS = 3;

/** Whether somebody else answers at the program's address, now that it has been stopped. */
async function isTaken({ url }: ForegroundProgram, signal: AbortSignal): Promise<boolean> {
  return connectOnce(url, signal).then(
    () => true,
    () => false,
  );
}

async function run(program: ForegroundProgram, signal: AbortSignal): Promise<ForegroundServer> {
  const { url, shortName } = program;
  await expectNobody(program, signal);
  const supervisor = forkChild<CommandSupervisor>(ENTRY, { name: `supervisor of ${shortName}`, ownGroup: true });
  try {
    const { pid, folder } = await whileAlive(supervisor, spawnIn(supervisor, program), signal);
    await whileAlive(supervisor, becomeReady(supervisor, program, folder, signal), signal);
    return {
      url: url.href,
      folder,
      processes: [{ pid, ...program.watched, tree: true }],
      died: Promise.race([
        // Rejects when the supervisor ends; that is told below.
        supervisor.call.ended().then(
          (exit) => `${shortName} ended with ${describeExit(exit)}`,
          () => new Promise<string>(() => {}),
        ),
        supervisor.died.then((exit) => `${supervisor.name} ended with ${describeExit(exit)}`),
      ]),
      stop: supervisor.stop,
    };
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Another server at the program's address would be taken for it, and measured in its place. */
async function expectNobody(program: ForegroundProgram, signal: AbortSignal): Promise<void> {
  const { url, title } = program;
  const taken = await isTaken(program, signal);
  signal.throwIfAborted();
  if (!taken) return;
  throw new StartError(
    `Expected nothing at ${originOf(url)} before ${title} is started, but something accepts ` +
      "connections there: the port is in use. Stop what uses it, choose another port, or leave the port out.",
  );
}

async function spawnIn(
  supervisor: Child<CommandSupervisor>,
  { command, explainRunError }: ForegroundProgram,
): Promise<StartedCommand> {
  try {
    return await supervisor.call.start(command);
  } catch (error) {
    throw new StartError(explainRunError(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

async function becomeReady(
  supervisor: Child<CommandSupervisor>,
  { title, url, readyTimeoutMs, waitUntilReady, slowAdvice, explainEnd }: ForegroundProgram,
  folder: string | null,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const exit = supervisor.call.ended().then((how) => {
    ended.abort();
    const more = explainEnd?.(how.output) ?? "";
    throw new StartError(
      `${atStart(title)} ended before it answered at ${url.href}, with ${describeExit(how)}${more === "" ? "" : `\n${more}`}`,
    );
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  const limit = AbortSignal.timeout(readyTimeoutMs);
  try {
    await Promise.race([exit, waitUntilReady(AbortSignal.any([stop, limit]), folder)]);
  } catch (error) {
    if (!limit.aborted || stop.aborted) throw error;
    const output = await supervisor.call.output();
    throw new StartError(
      `${atStart(title)} runs, but nothing answered at ${url.href} within ${readyTimeoutMs} ms. ${slowAdvice} ` +
        (output.length === 0 ? "It printed nothing." : `It last printed:\n  ${output.join("\n  ")}`),
      { cause: error },
    );
  } finally {
    exit.catch(() => {});
  }
}

/** A title at the start of a sentence; a name such as nginx stays as it is. */
function atStart(title: string): string {
  return title.replace(/^the /, "The ");
}
