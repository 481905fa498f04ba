/** Programs that are not ours, through their lives under supervisors. */
import type { RunningServer } from "../plugin.js";
import type { Role } from "../model/usage.js";
import { IS_LINUX, processTree, signalProcess } from "../system/proc.js";
import { isListening } from "../system/listen.js";
import { isGone, waitUntilSeen } from "../system/signals.js";
import { startForegroundProgram, type ForegroundProgram } from "../system/supervise.js";
import { Lives, type Life } from "./lives.js";

/** One life of a program. */
export interface ProgramLife extends Life {
  /** The process that has started the others. */
  readonly pid: number;
  /** Where its files are; `null` when it has none. */
  readonly folder: string | null;
}

/** What is said of a program beside how it is run. */
export interface ProgramPart {
  readonly name: string;
  readonly role: Role;
  /** Ends it when what is under way is done. */
  readonly finishBy: NodeJS.Signals;
  /** What is waited for before that; none without this. */
  readonly beforeFinish?: (life: ProgramLife) => Promise<unknown>;
  /** Whether it may be told so a second time; false without this, because many programs then end at once. */
  readonly mayBeToldAgain?: boolean;
}

/** Starts a program as {@link startForegroundProgram} does; each of its lives has the same port and options. */
export async function startProgramLives(
  { finishBy, beforeFinish, mayBeToldAgain = false, ...part }: ProgramPart,
  port: number,
  describe: (port: number) => ForegroundProgram,
  context: { readonly signal: AbortSignal },
) {
  const launch = async (at: number, signal: AbortSignal) => {
    const { process, folder, died, stop, ...used } = await startForegroundProgram(at, describe, { signal });
    const { pid } = process;
    const finish = async (): Promise<void> => {
      await beforeFinish?.(life);
      const isGoneNow = (): boolean => isGone(pid);
      const isDeaf = async (): Promise<boolean> =>
        mayBeToldAgain && (await isListening(new URL(used.url), AbortSignal.timeout(AGAIN_MS)));
      await signalUntil({ pid, signal: finishBy, isDeaf, isSo: isGoneNow, expected: `the end of ${part.name}` });
    };
    const life: ProgramLife = {
      pid,
      folder,
      pids: () => processTree(pid),
      watched: () => [process],
      died,
      finish,
      stop,
    };
    return { ...used, life };
  };
  const { url, port: usedPort, life: first } = await launch(port, context.signal);
  const begin = async (signal: AbortSignal): Promise<ProgramLife> => (await launch(usedPort, signal)).life;
  const lives = new Lives<ProgramLife>({ ...part, first, begin });
  const server: RunningServer = { url, ...lives.server };
  return { server, lives, first };
}

/** A program that is still setting itself up misses a signal. */
const AGAIN_MS = 1000;

interface Told {
  readonly pid: number;
  readonly signal: NodeJS.Signals;
  /** Whether it seems to have missed the signal. */
  readonly isDeaf: () => Promise<boolean>;
  readonly isSo: () => boolean;
  readonly expected: string;
}

/** Signals a program until something is so; again each second in which it seems to have missed that. */
async function signalUntil({ pid, signal, isDeaf, isSo, expected }: Told): Promise<void> {
  const again = async (): Promise<void> => {
    if ((await isDeaf()) && !isSo()) signalProcess(pid, signal);
  };
  signalProcess(pid, signal);
  const timer = setInterval(() => void again(), AGAIN_MS);
  await waitUntilSeen(isSo, `${expected} after ${signal}`).finally(() => clearInterval(timer));
}

/**
 * Has a program read its configuration again, by a signal; resolves when it has started another process for it. Elsewhere than on Linux
 * that is not seen. `old` are the processes that the others take the place of.
 */
export async function reloadProgram({ pid }: Pick<ProgramLife, "pid">, signal: NodeJS.Signals) {
  const started = (): readonly number[] => processTree(pid).slice(1);
  if (!IS_LINUX) {
    signalProcess(pid, signal);
    return { old: [] };
  }
  // Before it has started any it may not yet hear.
  await waitUntilSeen(() => started().length > 0, "a process that serves");
  const old = started();
  const hasNew = (): boolean => started().some((one) => !old.includes(one));
  await signalUntil({ pid, signal, isDeaf: async () => true, isSo: hasNew, expected: "a new process" });
  return { old };
}
