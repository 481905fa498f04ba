import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Path of the built JavaScript of a module that another process is to run. Node 20 cannot run TypeScript, so a module of
 * `src/`, as tests load them, has its build in `dist/`.
 *
 * @param from `import.meta.url` of the caller, which is in a folder of `src/` or `dist/`.
 * @param relative the module as seen from the caller, with its built extension: `./worker-process.js`.
 */
export function builtEntry(from: string, relative: string): string {
  const folder = `${sep}workers${sep}`;
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}src${folder}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}dist${folder}${path.slice(at + source.length)}`;
}
