import { sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Path of a built module that another process or thread is to run: only JavaScript can be, also when the caller runs from
 * its source.
 *
 * @param from `import.meta.url` of the caller.
 * @param relative the module, relative to the caller: `./pool-thread.js`.
 */
export function builtProgram(from: string, relative: string): string {
  const path = fileURLToPath(new URL(relative, from));
  const source = `${sep}backends${sep}src${sep}`;
  const at = path.lastIndexOf(source);
  return at === -1 ? path : `${path.slice(0, at)}${sep}backends${sep}dist${sep}${path.slice(at + source.length)}`;
}
