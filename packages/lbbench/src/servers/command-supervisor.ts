/**
 * A process that runs a command for us and takes it down when we are gone, however we went.
 *
 * The command leads a process group of its own, so that whatever it starts ends with it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { ChildExit } from "../child/child-died-error.js";
import { followOutput } from "../child/output-tail.js";
import { serveChild } from "../child/serve.js";
import { waitForExit } from "../child/wait-for-exit.js";
import { signalProcess, waitUntilGone } from "../child/wait-until-gone.js";

/** The command: program and arguments, and what is added to its environment. */
export interface CommandLine {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The functions of a supervisor. */
export interface CommandSupervisor {
  /** Rejects with the system's message when the program cannot be run. */
  readonly start: (command: CommandLine) => Promise<{ readonly pid: number }>;
  /** Resolves when the command has ended. */
  readonly ended: () => Promise<ChildExit>;
  /** The last lines it printed so far. */
  readonly output: () => readonly string[];
}

const TERMINATE_GRACE_MS = 2000;

let command: ChildProcess | undefined;
let ended: Promise<ChildExit> = new Promise(() => {});
let output = followOutput();

const functions: CommandSupervisor = {
  start: async ({ argv: [program, ...args], env, cwd }) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    output = followOutput(child.stdout, child.stderr);
    ended = waitForExit(child, output);
    command = child;
    await once(child, "spawn");
    return { pid: child.pid ?? -1 };
  },
  ended: () => ended,
  output: () => output.lines(),
};

async function stopCommand(): Promise<void> {
  const pid = command?.pid;
  if (pid === undefined) return;
  signalProcess(-pid, "SIGTERM");
  const kill = setTimeout(() => signalProcess(-pid, "SIGKILL"), TERMINATE_GRACE_MS);
  await ended;
  clearTimeout(kill);
  // The command has ended; what it started may not have.
  signalProcess(-pid, "SIGKILL");
  await waitUntilGone([-pid]);
}

process.on("SIGUSR2", () => {
  if (command?.pid !== undefined) signalProcess(-command.pid, "SIGKILL");
  process.exit(1);
});
serveChild(functions, stopCommand);
