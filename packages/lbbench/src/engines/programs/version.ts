import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Installation } from "../../system/program.js";

/** How a program is asked for its version. */
export interface VersionQuestion {
  readonly args: readonly string[];
  /** Captures the version in what it printed; absent of a program that does not tell. */
  readonly pattern?: RegExp;
}

/** The program of an engine is not installed, or cannot be run. */
export class MissingProgramError extends Error {
  override readonly name = "MissingProgramError";
  readonly code = "START_FAILED";
}

/** What stands for the version of a program that neither it nor its package tells. */
const UNKNOWN_VERSION = "unknown";
const LONGEST_ANSWER_MS = 5000;

const known = new Map<string, Promise<string>>();

/**
 * Resolves with the version that a program tells, or else the one of the Debian package that it is part of; each program is asked once.
 * Rejects with a {@link MissingProgramError}, whose message says how it is installed, when it cannot be run.
 */
export function readProgramVersion(
  program: string,
  question: VersionQuestion,
  installation: Installation,
): Promise<string> {
  const key = JSON.stringify([process.env["PATH"], program]);
  const version = known.get(key) ?? ask(program, question, installation);
  known.set(key, version);
  // What is missing now may be installed later.
  version.catch(() => known.delete(key));
  return version;
}

async function ask(program: string, { args, pattern }: VersionQuestion, installation: Installation): Promise<string> {
  const { printed, error } = await execute(program, args);
  // Some end with a code of failure after they have told it.
  if (typeof error?.code === "string") {
    throw new MissingProgramError(describeMissing(program, installation, error.message), { cause: error });
  }
  return pattern?.exec(printed)?.[1] ?? (await packagedVersion(program)) ?? UNKNOWN_VERSION;
}

async function packagedVersion(program: string): Promise<string | undefined> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = program.includes("/")
    ? program
    : folders.map((folder) => join(folder, program)).find((one) => existsSync(one));
  // Anything in it that is no letter of a path would make a pattern of it.
  if (path === undefined || !/^[\w./+-]+$/.test(path)) return undefined;
  const found = await execute("dpkg-query", ["--search", path]);
  const [, owner] = /^([^\s:,]+): /.exec(found.printed) ?? [];
  if (found.error !== null || owner === undefined) return undefined;
  const shown = await execute("dpkg-query", ["--show", "--showformat=${Version}", owner]);
  return shown.error === null && shown.printed !== "" ? shown.printed : undefined;
}

interface Answer {
  readonly printed: string;
  readonly error: (Error & { readonly code?: unknown }) | null;
}

function execute(program: string, args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: LONGEST_ANSWER_MS }, (error, stdout, stderr) =>
      resolve({ printed: `${stdout}${stderr}`, error }),
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
