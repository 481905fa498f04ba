/**
 * A supervisor: a process that runs a program in a process group of its own. When lbbench has ended, also if it was killed, the supervisor
 * ends the program and everything that it has started. It makes the folder of the program's files, and removes it.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { ChildExit } from "../model/child.js";
import type { ProcessUsage } from "../model/usage.js";
import { serveChild, waitForExit } from "./fork.js";
import { collectLines, collectText, followOutput, MOST_OUTPUT, type CountedLine } from "./output.js";
import { leadGroup, readProcFile, readProcStat, readThreads, type ProcessGroup } from "./proc.js";
import { FOLDER_PLACE, messageOf } from "./program.js";
import { defined } from "../stats/defined.js";

/** The command of a program that serves. */
export interface ServerCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Files, `sub/name` too, of a folder that is removed with the program. `{folder}` stands for its path in arguments, environment, working folder and contents. */
  readonly files?: Readonly<Record<string, string>>;
  /** Its standard input, which stays open for as long as it runs; without this it has none. */
  readonly input?: string;
}

/** The command of a program that is run once. */
export interface ProgramCommand extends Pick<ServerCommand, "argv"> {
  /** Files that it finds in its working folder, by name. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Names of files that it may have written there when it has ended. */
  readonly reads: readonly string[];
}

/** How a program that is run once ended, and the files it left. */
export interface ProgramEnd extends Omit<ChildExit, "output"> {
  readonly stdout: string;
  readonly stderr: readonly CountedLine[];
  /** The files that it was asked for and has written. */
  readonly files: Readonly<Record<string, string>>;
  /** Processor time from the start of the program to its end: of all threads, and of the busiest one up to the last look. Absent if the system does not tell. */
  readonly usage?: Required<Pick<ProcessUsage, "cpu" | "rssBytes" | "busiestThread">>;
  /** From the start of the program to its end, in ms. */
  readonly elapsedMs: number;
}

/** Other users can open files in the folder by name, as a server that gave up root has to; only this user can list it. */
const SERVER_FOLDER_MODE = 0o711;
const OWN_FOLDER_MODE = 0o700;

/** How long a server has to end by itself. A program that is run once holds nothing that it would have to clean up. */
const SERVER_GRACE_MS = 2000;

let folder: string | null = null;
let folderFailure: string | null = null;
let group: ProcessGroup | undefined;
let graceMs = 0;
let ended: Promise<ChildExit> = new Promise(() => {});
let output = followOutput();
let held: ReturnType<typeof holdProgram> | undefined;

/** What a supervisor does for a server by `start`, and for another program by `prepare` and `finish`; it has one of them. */
const functions = {
  /** Starts a server and makes its folder, if it has one. Rejects with the system's message when the program cannot be run. */
  start: async ({ argv, env, cwd, files, input }: ServerCommand) => {
    graceMs = SERVER_GRACE_MS;
    // The folder and the process come into being in one turn of the event loop: an end of this process never misses one of them.
    if (files !== undefined) makeFolder(SERVER_FOLDER_MODE, files, fill);
    const [program, ...args] = argv;
    const child = spawn(fill(program), args.map(fill), {
      cwd: fill(cwd),
      env: { ...process.env, ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])) },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: true,
    });
    child.stdin?.on("error", () => {});
    child.stdin?.write(input ?? "");
    output = followOutput(child.stdout, child.stderr);
    ended = waitForExit(child, output);
    group = leadGroup(child);
    await once(child, "spawn");
    return { pid: child.pid ?? -1, folder };
  },
  /** Resolves when the server has ended. */
  ended: () => ended,
  /** Why the folder could not be made or written, and what to set; `null` if it could. */
  folderFailure: () => folderFailure,
  /** The last lines that the server printed so far. */
  output: () => output(),
  /** Makes the folder and holds the program at a gate. Rejects with the system's message when that fails. */
  prepare: async (command: ProgramCommand) => {
    held = holdProgram(command);
    await once(held.child, "spawn");
    return { pid: held.child.pid ?? -1, folder };
  },
  /** Lets the program go; resolves when it has ended. */
  finish: async (): Promise<ProgramEnd> => {
    if (held === undefined) throw new Error("A program was let go before there was one");
    return held.finish();
  },
  /** Asks the program to end and tell what it has, by SIGINT; kills it after a grace period. */
  interrupt: () => held?.interrupt(),
};

/** The functions of a supervisor. */
export type Supervisor = typeof functions;

async function stop(): Promise<void> {
  group?.signal(graceMs > 0 ? "SIGTERM" : "SIGKILL");
  const kill = setTimeout(() => group?.signal("SIGKILL"), graceMs);
  await group?.gone;
  clearTimeout(kill);
}

/** Puts in the path of the folder, if there is one. */
function fill(text: string): string {
  return folder === null ? text : text.replaceAll(FOLDER_PLACE, folder);
}

/** Makes the folder with its files. Keeps the reason why it cannot be used: the message alone looks as if the program were missing. */
function makeFolder<Content extends string | Uint8Array>(
  mode: number,
  files: Readonly<Record<string, Content>>,
  made: (content: Content) => string | Uint8Array = (content) => content,
): string {
  const above = tmpdir();
  try {
    const place = (folder = mkdtempSync(join(above, "lbbench-")));
    chmodSync(place, mode);
    for (const [name, content] of Object.entries(files)) {
      const path = join(place, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, made(content));
    }
    return place;
  } catch (error) {
    folderFailure =
      `Expected a folder for temporary files that can be written to, got ${above}: ${messageOf(error)}. ` +
      "Set TMPDIR to a folder that exists and has room, such as TMPDIR=/var/tmp.";
    throw error;
  }
}

/** A shell script that waits for a line and then becomes the program; the shell does not read the arguments. */
const GATE = 'read -r _ && exec "$0" "$@"';
const DIFFERENT_LINES = 1000;
/** How often to send the signal again: a program that has just started ignores it. */
const INTERRUPT_INTERVAL_MS = 100;
const INTERRUPT_GRACE_MS = 2500;
const LAST_WORDS_MS = 5000;

/** Starts a program that waits at a gate until it is let go, so that it can be watched from before its first request. */
function holdProgram({ argv, files, reads }: ProgramCommand) {
  const place = makeFolder(OWN_FOLDER_MODE, files);
  const child = spawn("/bin/sh", ["-c", GATE, ...argv], {
    cwd: place,
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const own = leadGroup(child);
  group = own;
  child.stdin.on("error", () => {});
  const stdout = collectText(child.stdout, MOST_OUTPUT);
  const stderr = collectLines(child.stderr, DIFFERENT_LINES);
  const exited = once(child, "exit");
  const closed = once(child, "close");
  // `prepare` tells if it cannot be started.
  for (const promise of [closed, exited]) promise.catch(() => {});
  return {
    child,
    finish: async (): Promise<ProgramEnd> => {
      const startMs = performance.now();
      const usage = watchProgram(child, startMs);
      child.stdin.end("\n");
      const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null];
      const elapsedMs = performance.now() - startMs;
      const used = usage(elapsedMs);
      // A child of the program may hold the streams open, and is not waited for.
      await Promise.race([closed, wait(LAST_WORDS_MS, undefined, { ref: false })]);
      const written = reads.filter((name) => existsSync(join(place, name)));
      return {
        code,
        signal,
        stdout: stdout(),
        stderr: stderr(),
        files: Object.fromEntries(written.map((name) => [name, readFileSync(join(place, name), "utf8")])),
        ...defined({ usage: used }),
        elapsedMs,
      };
    },
    interrupt: (): void => {
      own.signal("SIGINT");
      const again = setInterval(() => own.signal("SIGINT"), INTERRUPT_INTERVAL_MS);
      const kill = setTimeout(() => own.signal("SIGKILL"), INTERRUPT_GRACE_MS);
      child.once("exit", () => {
        clearInterval(again);
        clearTimeout(kill);
      });
    },
  };
}

const LOOK_INTERVAL_MS = 250;
const BYTES_PER_KB = 1024;

/**
 * Watches the only child of this process from `startMs` on. Call the function that it returns when the child has ended.
 * Its processor time is known exactly then: the system has added it to its parent's account (`cutime` and `cstime` of proc(5)).
 */
function watchProgram(
  { pid = -1, stdout }: ChildProcessByStdio<Writable, Readable, Readable>,
  startMs: number,
): (elapsedMs: number) => ProgramEnd["usage"] {
  let rssBytes = 0;
  let threads = 1;
  let busiest = { cpuMs: 0, share: 0 };
  const look = (): void => {
    const peakKb = Number(/^VmHWM:\s*(\d+) kB/m.exec(readProcFile(`/proc/${pid}/status`))?.[1] ?? 0);
    rssBytes = Math.max(rssBytes, peakKb * BYTES_PER_KB);
    const ofThreads = [...readThreads(pid).values()];
    threads = Math.max(threads, ofThreads.length);
    // At the end of the program its threads end one by one, and their processor time can no longer be read.
    const cpuMs = Math.max(0, ...ofThreads);
    if (cpuMs > busiest.cpuMs) busiest = { cpuMs, share: Math.min(1, cpuMs / (performance.now() - startMs)) };
  };
  look();
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  // Its last output comes just before its end: the last chance to look at its threads.
  stdout.on("data", look);
  return (elapsedMs) => {
    clearInterval(timer);
    const cpuMs = readProcStat(process.pid)?.reapedCpuMs;
    if (cpuMs === undefined) return undefined;
    const cpu = cpuMs / Math.max(1, elapsedMs);
    const isSingle = threads === 1 || busiest.cpuMs === 0;
    return { cpu, rssBytes, busiestThread: isSingle ? Math.min(1, cpu) : busiest.share };
  };
}

process.on("SIGUSR2", () => process.exit(1));
// Runs at every end of this process, also a sudden one.
process.on("exit", () => {
  group?.signal("SIGKILL");
  // A process that was just killed may still write into the folder.
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
let stopped: Promise<void> | undefined;
// Some programs take a second signal for a command to end at once.
serveChild(functions, () => (stopped ??= stop()));
