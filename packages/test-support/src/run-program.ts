import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { killMarked, markedProcesses, markEnvironment, type ProcessEntry } from "./marked-processes.js";

/** How a program ended. */
export interface CliOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a program has printed so far. */
export interface Followed {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when it has ended and all its output was read. */
  readonly ended: Promise<CliOutcome>;
}

/** A program that runs. */
export interface RunningCli extends Followed {
  readonly pid: number;
  /** What runs on its behalf, itself included. */
  readonly processes: () => readonly ProcessEntry[];
  /** Stops reading, as a pipe to `head` does. */
  readonly closeStdout: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Sends a signal to its whole process group, as a terminal does. */
  readonly killGroup: (signal: NodeJS.Signals) => void;
}

/** Follows what a program prints. */
export function follow(child: ChildProcess): Followed {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code, signal]): CliOutcome => ({ code, signal, stdout, stderr }));
  return { stdout: () => stdout, stderr: () => stderr, ended };
}

/** Starts a program with a process group of its own; what is left of it when the test has finished is killed. */
export function startProgram(program: string, args: readonly string[], cwd: string): RunningCli {
  const mark = randomUUID();
  const env = { ...process.env, ...markEnvironment(mark) };
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const pid = child.pid ?? 0;
  onTestFinished(() => killMarked(mark));
  return {
    ...follow(child),
    pid,
    processes: () => markedProcesses(mark),
    closeStdout: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-pid, signal),
  };
}
