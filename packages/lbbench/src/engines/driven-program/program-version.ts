import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Installation } from "../../system/program.js";
import { MissingProgramError } from "./program-error.js";

/** How a program is asked for its version. */
export interface VersionQuestion {
  readonly program: string;
  readonly args: readonly string[];
  readonly installation: Installation;
  /** Finds the version in what it printed; `null` when it does not tell. */
  readonly find: (output: string) => string | null;
}

/** What stands for the version of a program that neither it nor its package tells. */
export const UNKNOWN_VERSION = "unknown";

const LONGEST_ANSWER_MS = 5000;

const known = new Map<string, Promise<string>>();

/**
 * Resolves with the version that a program tells; each program is asked once. Rejects with a {@link MissingProgramError},
 * whose message says how it is installed, when it cannot be run.
 */
export function readProgramVersion(question: VersionQuestion): Promise<string> {
  const key = JSON.stringify([process.env["PATH"], question.program]);
  const version = known.get(key) ?? ask(question);
  known.set(key, version);
  // What is missing now may be installed later.
  version.catch(() => known.delete(key));
  return version;
}

async function ask({ program, args, installation, find }: VersionQuestion): Promise<string> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(program, [...args], { timeout: LONGEST_ANSWER_MS }, (error, stdout, stderr) => {
      // Some end with a code of failure after they have told it.
      if (error !== null && typeof error.code === "string") {
        reject(new MissingProgramError(describeMissing(program, installation, error.message), { cause: error }));
      } else resolve(`${stdout}${stderr}`);
    });
  });
  return find(output) ?? (await packagedVersion(program)) ?? UNKNOWN_VERSION;
}

/** The version of the Debian package that a program is part of; `null` when it is of none. */
async function packagedVersion(program: string): Promise<string | null> {
  const path = program.includes("/") ? program : pathOf(program);
  // Anything in it that is no letter of a path would make a pattern of it.
  if (path === undefined || !/^[\w./+-]+$/.test(path)) return null;
  const [, owner] = /^([^\s:,]+): /.exec(await printed("dpkg-query", ["--search", path])) ?? [];
  if (owner === undefined) return null;
  return (await printed("dpkg-query", ["--show", "--showformat=${Version}", owner])) || null;
}

function pathOf(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}

/** What a program prints; empty when it fails, or is not there. */
function printed(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: LONGEST_ANSWER_MS }, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    );
  });
}

function describeMissing(program: string, { title, packageName }: Installation, message: string): string {
  if (!/\bENOENT\b/.test(message)) {
    return `${title} could not be run as "${program}": ${message}. Is the option "program" of the engine right?`;
  }
  return (
    `${title} was not found ("${program}"). Install it with: apt-get install ${packageName} (Debian, Ubuntu), ` +
    'or name the program with the option "program" of the engine.'
  );
}
