import { delimiter, resolve } from "node:path";

/** How a program is installed. */
export interface Installation {
  /** `nginx`. */
  readonly title: string;
  /** Package of that name in Debian, Ubuntu and Homebrew. */
  readonly packageName: string;
}

/** The message for a program that the system could not run, from the system's own message. */
export function explainMissing(program: string, { title, packageName }: Installation, message: string): string {
  if (!/\bENOENT\b/.test(message)) {
    return `${title} could not be run as "${program}": ${message}. Is the option "program" right?`;
  }
  const what = program === packageName ? title : `${title} ("${program}")`;
  return (
    `${what} was not found. Install it (Debian, Ubuntu: apt-get install ${packageName}; ` +
    `macOS: brew install ${packageName}), or name the program with the option "program".`
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
