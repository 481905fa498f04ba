import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, chown, realpath, rename, rm, stat, writeFile } from "node:fs/promises";

/** The folder or a file of a report cannot be written or read. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly code = "OUTPUT_FAILED";
}

/** Temporary files of writes that are under way. */
const unfinished = new Set<string>();
process.on("exit", () => {
  for (const path of unfinished) rmSync(path, { force: true });
});

/**
 * Writes a file whole or not at all: to a temporary file beside it that is then renamed. A link stays, as do mode and owner of a file
 * that is there. Rejects as `writeFile` of Node does; that writes on where a disk that is nearly full takes only a part.
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const before = await stat(target).catch(() => undefined);
  const temporary = `${target}.${randomUUID()}.tmp`;
  unfinished.add(temporary);
  try {
    await writeFile(temporary, content, { flush: true });
    if (before !== undefined) {
      await chmod(temporary, before.mode);
      // For root alone.
      await chown(temporary, before.uid, before.gid).catch(() => {});
    }
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
    unfinished.delete(temporary);
  }
}
