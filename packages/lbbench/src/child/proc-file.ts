import { closeSync, openSync, readdirSync, readSync } from "node:fs";

/** Longer than what is read of any file here; only an environment may be that long. */
const BUFFER = Buffer.alloc(65_536);

/**
 * Reads the beginning of a file of /proc, up to 64 KiB; empty when it is not there, or not for us to see.
 *
 * At once, and into memory that is there: such a file is made when it is read, so there is nothing to wait for, and the
 * ways to read a file that may wait cost ten times as much.
 */
export function readProcFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    return BUFFER.toString("latin1", 0, readSync(file, BUFFER, 0, BUFFER.length, 0));
  } catch {
    // It ended after it was opened.
    return "";
  } finally {
    closeSync(file);
  }
}

/** The entries of a folder of /proc that have a number for a name, as processes and threads do; none when it is not there. */
export function listNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
