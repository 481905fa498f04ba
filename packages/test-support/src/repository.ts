import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Absolute path of a file of the repository. */
export function inRepository(relative: string): string {
  return fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
}

/** Text of a file of the repository. */
export function readDocument(relative: string): string {
  return readFileSync(inRepository(relative), "utf8");
}
