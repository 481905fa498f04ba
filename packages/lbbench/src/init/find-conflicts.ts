import { lstat, realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { describeFailure } from "../config/config-error.js";
import { OutputError } from "../store/output-error.js";
import type { PlannedFile } from "./plan-init.js";

/**
 * The files of a plan that are there already and would be lost. Rejects with an `OutputError` for one that is no file, or that
 * a symbolic link would put outside the folder.
 */
export async function findConflicts(folder: string, files: readonly PlannedFile[]): Promise<readonly PlannedFile[]> {
  const root = await realpath(folder);
  const states = await Promise.all(files.map((file) => look(root, join(root, file.path))));
  return files.filter((file, index) => file.manner === "create" && states[index] === "file");
}

async function look(root: string, path: string): Promise<"file" | "nothing"> {
  const found = await lstat(path).catch(ignoreMissing);
  if (found === undefined) {
    await expectInside(root, await nearest(dirname(path)), path);
    return "nothing";
  }
  const real = await realpath(path).catch(ignoreMissing);
  if (real === undefined) {
    throw new OutputError(
      `Expected a file at ${path}, got a symbolic link to nothing. Remove it. Nothing was written.`,
    );
  }
  await expectInside(root, real, path);
  if (!(await lstat(real)).isFile()) {
    throw new OutputError(
      `Expected a file at ${path}, or nothing, got something else. Move it away. Nothing was written.`,
    );
  }
  return "file";
}

async function expectInside(root: string, real: string, path: string): Promise<void> {
  const way = relative(root, real);
  if (way !== ".." && !way.startsWith(`..${sep}`)) return;
  throw new OutputError(
    `Expected ${path} in the folder ${root}, but a symbolic link leads to ${real}. Remove the link, or run lbbench init there. Nothing was written.`,
  );
}

/** The real path of a folder or, where there is none, of the nearest above it. */
async function nearest(folder: string): Promise<string> {
  const found = await lstat(folder).catch(ignoreMissing);
  if (found === undefined) return nearest(dirname(folder));
  const real = await realpath(folder).catch(ignoreMissing);
  if (real !== undefined && (await lstat(real)).isDirectory()) return real;
  throw new OutputError(`Expected a folder at ${folder}, got something else. Move it away. Nothing was written.`);
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  // Below what is no folder there is nothing either; that is told of what is in the way.
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw new OutputError(
    `Expected files that can be looked at, but ${error.path ?? ""} cannot: ${describeFailure(error)}.`,
    {
      cause: error,
    },
  );
}
