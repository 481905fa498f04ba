/** How files that users name are read: whole, but no more of them than is expected. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

/** What is read of a file where nothing else limits it: 64 MiB. */
export const MOST_FILE_BYTES: number = 64 * 1024 ** 2;

/** A file has more bytes than are read. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";

  constructor(
    /** That it has, as far as that is known. */
    readonly bytes: number,
    most: number,
  ) {
    super(`it has ${bytes} bytes, and at most ${most} are read`);
  }
}

/** A file that was read. */
export interface ReadFile {
  readonly bytes: Buffer;
  readonly modifiedAt: Date;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a regular file of at most so many bytes. Throws a {@link FileTooLargeError} for a larger one, an `Error` for anything but a regular file (a
 * device has no end, and nothing may ever come out of a pipe), and as Node does where it cannot be read.
 */
export function readBounded(path: string, mostBytes = MOST_FILE_BYTES): ReadFile {
  // A pipe is opened at once, also where nothing writes to it. Windows has no such flag.
  // oxlint-disable-next-line typescript/no-unnecessary-condition
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error(`it is ${kindOf(found)}, and only regular files are read`);
    if (found.size > mostBytes) throw new FileTooLargeError(found.size, mostBytes);
    const chunks: Buffer[] = [];
    let total = 0;
    // Files of the system (/proc) have a size of 0, and any file may grow.
    for (;;) {
      const chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, found.size + 1 - total));
      const read = readSync(file, chunk);
      if (read === 0) return { bytes: Buffer.concat(chunks, total), modifiedAt: found.mtime };
      total += read;
      if (total > mostBytes) throw new FileTooLargeError(total, mostBytes);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  return found.isSocket() ? "a socket" : "a device";
}

/** Reads a JSON text of the user's, as `JSON.parse` does; a byte order mark may stand before it, as some editors put it there. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ""));
}
