import { builtEntry, forkChild, whileAlive } from "../../system/fork.js";
import type { EngineContext, GeneratorUsage } from "../../plugin.js";
import type { ProgramCommand, ProgramEnd, ProgramSupervisor } from "./program-supervisor.js";

const ENTRY = builtEntry(import.meta.url, "./program-supervisor.js");
const PROGRESS_INTERVAL_MS = 250;

/** A program to run once. */
export interface ProgramTask {
  /** What its process is called in reports: `ab`. */
  readonly name: string;
  readonly command: ProgramCommand;
  /** Cores that it can keep busy. */
  readonly cores: number;
  /** Interrupts it after so long. */
  readonly stopAfterMs?: number;
}

/** What a program left that was run. */
export interface ProgramRun {
  /** When it was let go, ISO 8601. */
  readonly startedAt: string;
  readonly end: ProgramEnd;
  /** Whether it was interrupted: by the signal, or because its time was over. */
  readonly interrupted: boolean;
  /** What it used; empty where the system does not tell. */
  readonly generators: readonly GeneratorUsage[];
}

/**
 * Runs a program to its end under a supervisor, and interrupts it when the signal aborts. Nothing is left of it when this is
 * settled, nor when this process is killed before. Rejects with the reason of a signal that has aborted before the start.
 */
export async function runProgram(task: ProgramTask, context: EngineContext): Promise<ProgramRun> {
  const { name, command, cores, stopAfterMs } = task;
  const { signal } = context;
  signal.throwIfAborted();
  const supervisor = forkChild<ProgramSupervisor>(ENTRY, { name: `supervisor of ${name}`, ownGroup: true });
  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    supervisor.call.interrupt().catch(() => {});
  };
  const timers: NodeJS.Timeout[] = [];
  try {
    const { pid } = await whileAlive(supervisor, supervisor.call.prepare(command), signal);
    await context.onStart?.([{ pid, name }]);
    signal.throwIfAborted();
    const startMs = performance.now();
    const startedAt = new Date().toISOString();
    await whileAlive(supervisor, supervisor.call.release());
    signal.addEventListener("abort", interrupt, { once: true });
    if (signal.aborted) interrupt();
    timers.push(
      setInterval(
        // How many it has sent, a program does not tell before its end.
        () => context.onProgress?.({ sent: 0, done: 0, elapsedMs: performance.now() - startMs }),
        PROGRESS_INTERVAL_MS,
      ),
    );
    if (stopAfterMs !== undefined) timers.push(setTimeout(interrupt, stopAfterMs));
    const end = await whileAlive(supervisor, supervisor.call.ended());
    return { startedAt, end, interrupted, generators: toGenerators({ pid, name, cores }, end) };
  } finally {
    signal.removeEventListener("abort", interrupt);
    for (const timer of timers) clearTimeout(timer);
    await supervisor.stop();
  }
}

function toGenerators(
  process: Pick<GeneratorUsage, "pid" | "name"> & { readonly cores: number },
  { usage, elapsedMs }: ProgramEnd,
): readonly GeneratorUsage[] {
  if (usage === undefined) return [];
  const { cpuMs, rssBytes, threads, busiestThread } = usage;
  return [{ ...process, cpu: elapsedMs > 0 ? cpuMs / elapsedMs : 0, rssBytes, threads, busiestThread }];
}
