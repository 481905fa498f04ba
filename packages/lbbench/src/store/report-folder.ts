import { access, constants, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { explained } from "../config/config-error.js";
import type { ReportFile } from "../plugin.js";
import { makeFolder, OutputError, removeEmpty, writeWhole } from "./write-file.js";

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
      for (const { name } of files) {
        if (!isPlainName(name))
          throw new OutputError(`Expected the plain name of a file from a reporter, got "${name}"`);
      }
      await makeWritable(folder);
      return Promise.all(files.map((file) => writeFile(folder, file)));
    },
  };
}

/** Resolves with the topmost folder that had to be made, if any. */
async function makeWritable(folder: string): Promise<string | undefined> {
  const made = await orCannotWrite(folder, makeFolder(folder));
  await orCannotWrite(folder, access(folder, constants.W_OK));
  return made;
}

/** Whether a text is the name of a file and nothing more: no folder, no path, no control characters. */
export function isPlainName(name: string): boolean {
  return name === basename(name) && !["", ".", ".."].includes(name) && !/[\\/\p{Cc}]/u.test(name);
}

async function writeFile(folder: string, { name, content }: ReportFile): Promise<string> {
  const path = join(folder, name);
  await orCannotWrite(path, writeWhole(path, content));
  return path;
}

function orCannotWrite<T>(path: string, doing: Promise<T>): Promise<T> {
  const explain = (why: string): string =>
    `Expected a folder that can be written to, but ${path} cannot: ${why}. Choose another one with --out DIR.`;
  return explained(doing, OutputError, explain);
}
