/**
 * A process that runs a command for us and takes it down when we are gone, however we went.
 *
 * The command leads a process group of its own, so that whatever it starts ends with it. The files it needs lie in a
 * folder that is made here and removed here, so that it is removed whoever was killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type ChildExit, followOutput, serveChild, waitForExit } from "../system/fork.js";
import { leadGroup, type ProcessGroup } from "../system/proc.js";
import { FOLDER_PLACE, makeCommandFolder } from "./command-folder.js";

/** The command: program and arguments, and what is added to its environment. */
export interface CommandLine {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /**
   * Files by name (`sub/name` is one in a folder in it) of a folder that is there as long as the command. With them,
   * `{folder}` in arguments, working folder and contents stands for its path.
   */
  readonly files?: Readonly<Record<string, string>>;
}

/** A command that runs. */
export interface StartedCommand {
  readonly pid: number;
  /** Where its files are; `null` when there are none. */
  readonly folder: string | null;
}

/** The functions of a supervisor. */
export interface CommandSupervisor {
  /** Rejects with the system's message when the program cannot be run. */
  readonly start: (command: CommandLine) => Promise<StartedCommand>;
  /** Resolves when the command has ended. */
  readonly ended: () => Promise<ChildExit>;
  /** The last lines it printed so far. */
  readonly output: () => readonly string[];
}

const TERMINATE_GRACE_MS = 2000;

let group: ProcessGroup | undefined;
let folder: string | null = null;
let ended: Promise<ChildExit> = new Promise(() => {});
let output = followOutput();

const functions: CommandSupervisor = {
  start: async ({ argv, env, cwd, files }) => {
    // From here to the spawn in one turn, so that there is no moment in which the end of this process would miss either.
    if (files !== undefined) folder = makeCommandFolder(files);
    const fill = (text: string): string => (folder === null ? text : text.replaceAll(FOLDER_PLACE, folder));
    const [program, ...args] = argv;
    const child = spawn(fill(program), args.map(fill), {
      cwd: fill(cwd),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    output = followOutput(child.stdout, child.stderr);
    ended = waitForExit(child, output);
    group = leadGroup(child);
    await once(child, "spawn");
    return { pid: child.pid ?? -1, folder };
  },
  ended: () => ended,
  output: () => output(),
};

async function stopCommand(): Promise<void> {
  group?.signal("SIGTERM");
  const kill = setTimeout(() => group?.signal("SIGKILL"), TERMINATE_GRACE_MS);
  await group?.gone;
  clearTimeout(kill);
}

process.on("SIGUSR2", () => process.exit(1));
// However this process ends, and however little time it was given to.
process.on("exit", () => {
  group?.signal("SIGKILL");
  // Something that was killed a moment ago may still add to it.
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});
// When the parent was killed nobody reads what is said here, and each failure to say so would be another to tell of.
process.stderr.on("error", () => {});
serveChild(functions, stopCommand);
