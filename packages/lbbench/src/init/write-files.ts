import { mkdir, readFile, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { describeFailure } from "../config/config-error.js";
import { OutputError } from "../store/output-error.js";
import type { PlannedFile } from "./plan-init.js";

/**
 * Writes all files of a plan or none: each to a temporary file that is then renamed, and where one cannot be written the
 * others are put back. Rejects with an `OutputError` that says why.
 */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    try {
      const before = await readFile(path).catch(() => undefined);
      const made = await mkdir(dirname(path), { recursive: true });
      if (made !== undefined) undo.push(() => removeEmpty(dirname(path), made));
      await writeFileAtomic(path, file.content);
      undo.push(() => (before === undefined ? unlink(path) : writeFileAtomic(path, before)));
    } catch (error) {
      for (const step of undo.toReversed()) await step().catch(() => {});
      throw new OutputError(
        `Expected to write ${path}, but it cannot be written: ${describeFailure(error)}. Nothing was written.`,
        { cause: error },
      );
    }
  }
}

/** Removes a folder and those above it up to the topmost that was made, while they are empty. */
async function removeEmpty(folder: string, topmost: string): Promise<void> {
  await rmdir(folder);
  if (folder !== topmost) await removeEmpty(dirname(folder), topmost);
}
