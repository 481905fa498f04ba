import { basename } from "node:path";

/** Whether a text is the name of a file and nothing more: no folder, no path, no control characters. */
export function isPlainName(name: string): boolean {
  return name === basename(name) && !["", ".", ".."].includes(name) && !/[\\/\p{Cc}]/u.test(name);
}
