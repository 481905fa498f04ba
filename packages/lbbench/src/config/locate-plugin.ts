import { statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Whether a word is the path of a module, and no name: it begins with `./`, `../` or is absolute. */
export function isModulePath(word: string): boolean {
  return /^\.{1,2}[/\\]/.test(word) || isAbsolute(word);
}

/**
 * The file of a plugin: for a path that from `folder`, for the name of an installed package (or a part of one that it
 * exports, `my-plugins/engine`) what Node would import from there. `undefined` where there is none, and for a folder.
 */
export async function locatePlugin(word: string, folder: string): Promise<string | undefined> {
  if (isModulePath(word)) {
    const file = resolve(folder, word);
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true ? file : undefined;
  }
  if (!isPackageName(word)) return undefined;
  // Node resolves what is imported from another place only for `require`.
  const { createJiti } = await import("jiti");
  const importing = createJiti(join(resolve(folder), "importing.mjs"), { fsCache: false });
  const url = importing.esmResolve(word, { try: true, conditions: ["node", "import"] });
  return url === undefined ? undefined : fileURLToPath(url);
}

/** Why there is no plugin at a path: `there is no file /a/b.mjs`. */
export function describeMissingPlugin(path: string, folder: string): string {
  const file = resolve(folder, path);
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? `${file} is a folder; name the file in it, ./mine.mjs` : `there is no file ${file}`;
}

/** Names that the registry accepts today, alone or with the path of a part; never a module of Node's. */
function isPackageName(word: string): boolean {
  return /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/[\w.~-]+)*$/.test(word) && !isBuiltin(word);
}
