/**
 * A process that runs a load generator for us, and takes it down when we are gone, however we went.
 *
 * The program leads a process group of its own. It waits at a gate until it is let go, so that it can be watched from before
 * its first request. Its files lie in a folder that is made here and removed here, and in which it runs.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { serveChild } from "../../system/fork.js";
import { signalProcess } from "../../system/proc.js";
import { collectLines, collectText, type CollectedText, type CountedLine } from "./collect-output.js";
import { watchProgram, type ProgramUsage, type ProgramWatch } from "./watch-program.js";

/** What is to be run. */
export interface ProgramCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  /** Files that it finds in its working folder, by name. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Names of files that it may have written there when it has ended. */
  readonly reads: readonly string[];
}

/** How a program ended, and what it left. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Whether it printed more than is kept. */
  readonly isCut: boolean;
  readonly stderr: readonly CountedLine[];
  /** What it wrote of the files it was asked for. */
  readonly files: Readonly<Record<string, string>>;
  /** Absent where the system does not tell. */
  readonly usage?: ProgramUsage;
  /** From when it was let go to its end, in ms. */
  readonly elapsedMs: number;
}

/** The functions of a supervisor, which runs one program. */
export interface ProgramSupervisor {
  /** Makes the folder and holds the program at the gate. Rejects with the system's message when that fails. */
  readonly prepare: (command: ProgramCommand) => Promise<{ readonly pid: number }>;
  /** Lets the program go. */
  readonly release: () => void;
  /** Resolves when the program has ended. */
  readonly ended: () => Promise<ProgramEnd>;
  /** Asks it to end and tell what it has, by SIGINT; kills it after a grace period. */
  readonly interrupt: () => void;
}

/** Waits for a line, then becomes the program: the arguments are not read by the shell. */
const GATE = 'read -r _ && exec "$0" "$@"';
const OUTPUT_LIMIT_BYTES = 16 * 1024 * 1024;
const DIFFERENT_LINES = 1000;
/** A program that is still setting itself up ignores the signal, so that it is sent again. */
const INTERRUPT_INTERVAL_MS = 100;
const INTERRUPT_GRACE_MS = 2500;
const LAST_WORDS_MS = 5000;

interface RunningProgram {
  readonly pid: number;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly stdout: CollectedText;
  readonly stderr: () => readonly CountedLine[];
  readonly closed: Promise<unknown>;
  readonly reads: readonly string[];
}

let folder: string | undefined;
let program: RunningProgram | undefined;
let watch: ProgramWatch | undefined;
let startMs = 0;
let interrupting = false;

function prepare({ argv, files, reads }: ProgramCommand): RunningProgram {
  // From here to the spawn in one turn, so that there is no moment in which the end of this process would miss either.
  folder = mkdtempSync(join(tmpdir(), "lbbench-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const child = spawn("/bin/sh", ["-c", GATE, ...argv], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  child.stdin.on("error", () => {});
  const stdout = collectText(child.stdout, OUTPUT_LIMIT_BYTES);
  const stderr = collectLines(child.stderr, DIFFERENT_LINES);
  // The last it prints comes just before its end, and is the last chance to look at it.
  child.stdout.on("data", () => watch?.look());
  const closed = Promise.race([
    once(child, "close"),
    // A child of its own that holds the streams open is not waited for.
    once(child, "exit").then(() => wait(LAST_WORDS_MS, undefined, { ref: false })),
  ]);
  closed.catch(() => {});
  return { pid: child.pid ?? -1, child, stdout, stderr, closed, reads };
}

const functions: ProgramSupervisor = {
  prepare: async (command) => {
    program = prepare(command);
    await once(program.child, "spawn");
    return { pid: program.pid };
  },
  release: () => {
    if (program === undefined) throw new Error("A program was let go before there was one");
    watch = watchProgram(program.pid);
    startMs = performance.now();
    program.child.stdin.end("\n");
  },
  ended: async () => {
    if (program === undefined) throw new Error("The end of a program was waited for before there was one");
    const { child, stdout, stderr, closed, reads } = program;
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const elapsedMs = performance.now() - startMs;
    const usage = watch?.stop();
    await closed;
    return {
      code: child.exitCode,
      signal: child.signalCode,
      stdout: stdout.text(),
      isCut: stdout.isCut(),
      stderr: stderr(),
      files: Object.fromEntries(reads.flatMap(readWritten)),
      ...(usage === undefined ? {} : { usage }),
      elapsedMs,
    };
  },
  interrupt: () => {
    if (program === undefined || interrupting) return;
    interrupting = true;
    const { pid, child } = program;
    signalProcess(-pid, "SIGINT");
    const again = setInterval(() => signalProcess(-pid, "SIGINT"), INTERRUPT_INTERVAL_MS);
    const kill = setTimeout(() => signalProcess(-pid, "SIGKILL"), INTERRUPT_GRACE_MS);
    child.once("exit", () => {
      clearInterval(again);
      clearTimeout(kill);
    });
  },
};

function readWritten(name: string): readonly (readonly [string, string])[] {
  try {
    return folder === undefined ? [] : [[name, readFileSync(join(folder, name), "utf8")]];
  } catch {
    return [];
  }
}

/** It holds nothing that it would have to clean up, so that it need not be asked. */
async function stopProgram(): Promise<void> {
  if (program === undefined) return;
  const { pid, child } = program;
  if (child.exitCode !== null || child.signalCode !== null) return;
  signalProcess(-pid, "SIGKILL");
  await once(child, "exit");
}

process.on("SIGUSR2", () => process.exit(1));
// However this process ends, and however little time it was given to.
process.on("exit", () => {
  // Its number is free for others when it has ended.
  if (program !== undefined && program.child.exitCode === null && program.child.signalCode === null) {
    signalProcess(-program.pid, "SIGKILL");
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// When the parent was killed nobody reads what is said here, and each failure to say so would be another to tell of.
process.stderr.on("error", () => {});
serveChild(functions, stopProgram);
