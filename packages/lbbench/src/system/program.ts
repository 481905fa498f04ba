/** Programs of this machine: where they are, which version they have, and what is said of one that cannot be run. */
import { execFile } from "node:child_process";
import { delimiter, resolve } from "node:path";

/** A server, or a program that generates load, could not be started or reached. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code = "START_FAILED";
}

/** Stands for the path of the folder with the files of a server's command, in them and in the command. */
export const FOLDER_PLACE = "{folder}";

/** How a program is installed. */
export interface Installation {
  /** `nginx`. */
  readonly title: string;
  /** Its package in Debian and Ubuntu. */
  readonly packageName: string;
  /** Its package in Homebrew, where that has another name. */
  readonly homebrewName?: string;
}

/** The message for a program that the system could not run, from the system's own message. */
export function explainMissing(program: string, installation: Installation, message: string): string {
  const { title, packageName, homebrewName = packageName } = installation;
  if (!/\bENOENT\b/.test(message)) {
    return `${title} could not be run as "${program}": ${message}. Is the option "program" right?`;
  }
  const what = program === packageName ? title : `${title} ("${program}")`;
  return (
    `${what} was not found. Install it (Debian, Ubuntu: apt-get install ${packageName}; ` +
    `macOS: brew install ${homebrewName}), or name the program with the option "program".`
  );
}

/** A program as it is run: a path begins in the folder of the configuration, a name is looked for by the system. */
export function locateProgram(program: string, folder: string): string {
  return program.includes("/") ? resolve(folder, program) : program;
}

/** Where servers are installed that only root is expected to run, and which is therefore not everybody's path. */
const FOLDERS_OF_SERVERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

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
  const { error, output } = await run(program, args);
  // Some end with a code of failure after they have told it.
  if (typeof error?.code === "string") {
    throw new StartError(explainMissing(program, installation, error.message), { cause: error });
  }
  const told = find(output);
  if (told !== null) return told;
  const packaged = await run("/bin/sh", ["-c", VERSION_OF_PACKAGE, program]);
  return (packaged.error === null && packaged.output) || UNKNOWN_VERSION;
}

/** The version of the Debian package that a program is part of. */
const VERSION_OF_PACKAGE =
  'owner=$(dpkg-query --search "$(command -v "$0")") && exec dpkg-query --show --showformat=\'${Version}\' "${owner%%:*}"';

interface Ran {
  readonly error: { readonly code?: string | number | null; readonly message: string } | null;
  readonly output: string;
}

function run(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: LONGEST_ANSWER_MS }, (error, stdout, stderr) =>
      resolve({ error, output: `${stdout}${stderr}` }),
    );
  });
}
