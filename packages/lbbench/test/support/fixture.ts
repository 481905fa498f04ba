import { fileURLToPath } from "node:url";

/** The absolute path of a file in test/fixtures. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}
