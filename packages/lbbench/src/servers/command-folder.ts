import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Stands for the path of the folder, in its files and in the command. */
export const FOLDER_PLACE = "{folder}";

/** Others may go through it to a file that they know, as a program does that gave up being root; only we see what is there. */
const FOLDER_MODE = 0o711;

/**
 * Makes a temporary folder with files by name, and returns its path. `{folder}` in their contents becomes that path.
 * Leaves nothing behind when it throws. All of it happens in one turn.
 */
export function makeCommandFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "lbbench-"));
  try {
    chmodSync(folder, FOLDER_MODE);
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content.replaceAll(FOLDER_PLACE, folder));
    }
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
