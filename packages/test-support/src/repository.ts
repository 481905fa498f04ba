import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Absolute path of a file of the repository. */
export function inRepository(relative: string): string {
  return fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
}

/** Loads a module of the repository that is no part of a package. */
export async function loadModule<Module>(relative: string): Promise<Module> {
  return (await import(pathToFileURL(inRepository(relative)).href)) as Module;
}

/** Text of a file of the repository. */
export function readDocument(relative: string): string {
  return readFileSync(inRepository(relative), "utf8");
}
