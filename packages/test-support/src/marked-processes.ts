import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const MARK = "LBBENCH_TEST_RUN";

/** Variables for the environment of a process, by which it and all that it starts are found, whoever their parent is. */
export function markEnvironment(mark: string): NodeJS.ProcessEnv {
  return { [MARK]: mark };
}

/** A process and its parent. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
}

/** The running processes of a mark; those that have ended but were not reaped are left out. Sees none without /proc. */
export function markedProcesses(mark: string): readonly ProcessEntry[] {
  return listNumbers("/proc").flatMap((pid) => {
    const isMarked = readWhole(`/proc/${pid}/environ`).split("\0").includes(`${MARK}=${mark}`);
    return isMarked ? (readRunning(pid) ?? []) : [];
  });
}

/** Kills what runs under a mark; that one of them ends by itself in the meantime is fine. */
export function killMarked(mark: string): void {
  for (const { pid } of markedProcesses(mark)) unlessEnded(() => String(process.kill(pid, "SIGKILL")));
}

/** A socket that listens: its port, and what it is told from a later one at the same port by. */
export interface ListeningSocket {
  readonly port: number;
  readonly inode: string;
}

/** The sockets of TCP at which any of the processes listens. Reads /proc. */
export function listeningSockets(processes: readonly ProcessEntry[]): readonly ListeningSocket[] {
  const own = new Set(processes.flatMap(({ pid }) => socketsOf(pid)));
  return allListening().filter(({ inode }) => own.has(inode));
}

/** Those of the sockets that still listen, whoever has them now; another one that has taken the port since is none of them. */
export function stillListening(sockets: readonly ListeningSocket[]): readonly ListeningSocket[] {
  const open = new Set(allListening().map(({ inode }) => inode));
  return sockets.filter(({ inode }) => open.has(inode));
}

function allListening(): readonly ListeningSocket[] {
  return ["tcp", "tcp6"].flatMap((table) =>
    readWhole(`/proc/net/${table}`)
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
        return state === LISTENING ? [{ port: Number.parseInt(local.split(":").at(-1) ?? "", 16), inode }] : [];
      }),
  );
}

const LISTENING = "0A";

function socketsOf(pid: number): readonly string[] {
  return listNumbers(`/proc/${pid}/fd`).flatMap((fd) => {
    const link = unlessEnded(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return /^socket:\[(\d+)\]$/.exec(link)?.slice(1) ?? [];
  });
}

const readWhole = (path: string): string => unlessEnded(() => readFileSync(path, "utf8"));

const listNumbers = (folder: string): readonly number[] =>
  (unlessEnded(() => readdirSync(folder).join("\n")).match(/^\d+$/gm) ?? []).map(Number);

/** A process that is neither gone nor only left to be reaped, by /proc. */
function readRunning(pid: number): ProcessEntry | undefined {
  // After the name of the program, which may have anything in it: state and parent.
  const [, state, parent] = /\) (\S) (\d+) /.exec(readWhole(`/proc/${pid}/stat`)) ?? [];
  return state === undefined || state === "Z" ? undefined : { pid, parent: Number(parent) };
}

/** Those of some processes that are running; one that has ended and was not reaped is not. */
export function runningOf(pids: Iterable<number>): readonly number[] {
  return [...pids].filter((pid) => readRunning(pid) !== undefined);
}

/** What has ended in the meantime has nothing to read. */
function unlessEnded(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
