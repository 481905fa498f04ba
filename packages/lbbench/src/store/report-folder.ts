import { access, constants, mkdir, readdir, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { describeFailure } from "../config/config-error.js";
import type { ReportFile } from "../plugin.js";
import { OutputError, writeWhole } from "./write-file.js";

/** A folder that reports are written to. */
export interface ReportFolder {
  /** Absolute path. */
  readonly path: string;
  /** Names of the files in it. */
  readonly list: () => Promise<readonly string[]>;
  /** Writes files whole or not at all: to a temporary file that is then renamed. Resolves with their paths. */
  readonly write: (files: readonly ReportFile[]) => Promise<readonly string[]>;
}

/**
 * Makes sure that a folder can be written to; rejects with an {@link OutputError} that says why not. A folder that is
 * not there comes into being with its first file, so that a run which fails before it leaves none.
 */
export async function openReportFolder(path: string): Promise<ReportFolder> {
  const folder = resolve(path);
  const made = await makeWritable(folder);
  if (made !== undefined) await removeEmpty(folder, made);
  return {
    path: folder,
    list: () => readdir(folder).catch(() => []),
    write: async (files) => {
      for (const { name } of files) checkName(name);
      await makeWritable(folder);
      return Promise.all(files.map((file) => writeFile(folder, file)));
    },
  };
}

/** Resolves with the topmost folder that had to be made, if any. */
async function makeWritable(folder: string): Promise<string | undefined> {
  try {
    const made = await makeFolder(folder);
    await access(folder, constants.W_OK);
    return made;
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/**
 * Makes a folder where there is none, and those above it from the nearest that exists; resolves with the topmost that was made. Node's own
 * recursive `mkdir` never returns where that one takes no folder and says ENOENT, as /proc does.
 */
async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder);
    return folder;
  } catch (error) {
    if (await isFolder(folder)) return undefined;
    const above = dirname(folder);
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT") || above === folder) throw error;
    if (await isFolder(above)) throw new Error(`no folder can be made in ${above} (ENOENT)`, { cause: error });
    const topmost = await makeFolder(above);
    const own = await makeFolder(folder);
    return topmost ?? own;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

async function removeEmpty(folder: string, topmost: string): Promise<void> {
  try {
    await rmdir(folder);
    if (folder !== topmost) await removeEmpty(dirname(folder), topmost);
  } catch {
    // Somebody has put something into it meanwhile.
  }
}

function checkName(name: string): void {
  if (!isPlainName(name)) {
    throw new OutputError(`Expected the plain name of a file from a reporter, got "${name}"`);
  }
}

/** Whether a text is the name of a file and nothing more: no folder, no path, no control characters. */
export function isPlainName(name: string): boolean {
  return name === basename(name) && !["", ".", ".."].includes(name) && !/[\\/\p{Cc}]/u.test(name);
}

async function writeFile(folder: string, { name, content }: ReportFile): Promise<string> {
  const path = join(folder, name);
  try {
    await writeWhole(path, content);
    return path;
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

function cannotWrite(path: string, error: unknown): OutputError {
  return new OutputError(
    `Expected a folder that can be written to, but ${path} cannot: ${describeFailure(error)}. Choose another one with --out DIR.`,
    { cause: error },
  );
}
