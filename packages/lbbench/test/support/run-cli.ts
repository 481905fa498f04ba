import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { killMarked, markedProcesses, markEnvironment, type ProcessEntry } from "./marked-processes.js";

/** The file that the command `lbbench` runs. */
export const BIN = fileURLToPath(new URL("../../bin/lbbench.js", import.meta.url));

/** How a command line ended. */
export interface CliOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that runs. */
export interface RunningCli {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when it has ended and all its output was read. */
  readonly ended: Promise<CliOutcome>;
  /** What runs on its behalf, itself included. */
  readonly processes: () => readonly ProcessEntry[];
  /** Stops reading, as a pipe to `head` does. */
  readonly closeStdout: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Sends a signal to its whole process group, as a terminal does. */
  readonly killGroup: (signal: NodeJS.Signals) => void;
}

/** Starts the real `lbbench` with a process group of its own; whatever is left of it when the test has finished is killed. */
export function startCli(args: readonly string[], cwd: string): RunningCli {
  const mark = randomUUID();
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...process.env, ...markEnvironment(mark) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const pid = child.pid ?? 0;
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code, signal]): CliOutcome => ({ code, signal, stdout, stderr }));
  onTestFinished(() => killMarked(mark));
  return {
    pid,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    processes: () => markedProcesses(mark),
    closeStdout: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-pid, signal),
  };
}

/** Runs the real `lbbench` to its end, and expects that no process is left of it. */
export async function runCli(args: readonly string[], cwd: string): Promise<CliOutcome> {
  const cli = startCli(args, cwd);
  const outcome = await cli.ended;
  expect(cli.processes(), "processes left behind").toEqual([]);
  return outcome;
}
