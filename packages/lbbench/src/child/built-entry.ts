import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Path of the built JavaScript of a module that is to be run by a child process.
 *
 * Node 20 cannot run TypeScript, so a module that is loaded from `src/` (as the tests do) maps to its build in `dist/`.
 *
 * @param from `import.meta.url` of the caller.
 * @param relative the module, relative to the caller, with its built extension: `./undici-process.js`.
 */
export function builtEntry(from: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}lbbench${sep}src${sep}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}lbbench${sep}dist${sep}${path.slice(at + source.length)}`;
}
