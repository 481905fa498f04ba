import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, chown, lstat, mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";

/** The folder or a file of a report cannot be written or read. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly code = "OUTPUT_FAILED";
}

/** Temporary files of writes under way: they are removed if the process ends at once. */
const unfinished = new Set<string>();
const removeUnfinished = (): void => {
  for (const path of unfinished) rmSync(path, { force: true });
};

/**
 * Writes a file whole or not at all: to a temporary file beside it that is then renamed. Mode and owner of an existing file stay. A
 * symbolic link is replaced, since another user may have put it there and it may lead anywhere. Rejects as `writeFile` of Node does, which
 * goes on where a disk that is nearly full takes only a part. What writes to it have left whose process was killed is removed.
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const before = await lstat(path).catch(() => undefined);
  const temporary = `${path}.${process.pid}-${randomUUID()}.tmp`;
  if (unfinished.size === 0) process.on("exit", removeUnfinished);
  unfinished.add(temporary);
  try {
    await removeLeft(path);
    await writeFile(temporary, content, { flush: true });
    if (before?.isFile() === true) {
      await chmod(temporary, before.mode);
      // For root alone.
      await chown(temporary, before.uid, before.gid).catch(() => {});
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
    unfinished.delete(temporary);
    if (unfinished.size === 0) process.off("exit", removeUnfinished);
  }
}

/** The end of the name of a temporary file. */
const TEMPORARY = /^\.(\d+)-[\da-f-]{36}\.tmp$/;

/** Removes the temporary files of writes to a file whose process has ended. */
async function removeLeft(path: string): Promise<void> {
  const name = basename(path);
  for (const beside of await readdir(dirname(path)).catch(() => [])) {
    const end = beside.slice(name.length);
    const pid = Number(TEMPORARY.exec(end)?.[1]);
    const isOurs = beside.startsWith(name) && !Number.isNaN(pid);
    if (isOurs && !unfinished.has(path + end) && hasEnded(pid)) await rm(path + end, { force: true }).catch(() => {});
  }
}

/** Whether a process has ended, or is this one: its number may be that of another one before it, as in containers. */
function hasEnded(pid: number): boolean {
  try {
    return process.kill(pid, 0) && pid === process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * Makes a folder where there is none, and those above it from the nearest that exists; resolves with the topmost that was made. Node's own
 * recursive `mkdir` never returns where that one takes no folder and says ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
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

/** Removes a folder and those above it up to `topmost`, while they are empty. */
export async function removeEmpty(folder: string, topmost: string): Promise<void> {
  try {
    await rmdir(folder);
    if (folder !== topmost) await removeEmpty(dirname(folder), topmost);
  } catch {
    // It is no longer empty.
  }
}
