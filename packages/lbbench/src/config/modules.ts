import { existsSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { loadOwnModules } from "../own-package.js";
import { ConfigError, explained } from "./config-error.js";
import { parseJson, readBounded } from "./read-file.js";
import { isRecord } from "../stats/plain-data.js";

/**
 * The file of a module of the user's: for a path that from `folder`, for the name of an installed package (or a part of one that
 * it exports, `my-plugins/engine`) what Node would import from there; `undefined` for any other word. Rejects with an `Error` for a
 * path where there is no file.
 */
export async function locateModule(word: string, folder: string): Promise<string | undefined> {
  if (/^\.{1,2}[/\\]/.test(word) || isAbsolute(word)) {
    const file = resolve(folder, word);
    // Also of a path that leads through a file.
    const found = existsSync(file) ? statSync(file) : undefined;
    if (found?.isDirectory() === true) throw new Error(`${file} is a folder; name the file in it, ./mine.mjs`);
    if (found === undefined) throw new Error(`there is no file ${file}`);
    if (!found.isFile()) throw new Error(`${file} is no regular file`);
    return file;
  }
  // Names that the registry accepts today, alone or with the path of a part; never a module of Node's.
  const isPackage = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(\/[\w.~-]+)*$/.test(word);
  if (!isPackage || isBuiltin(word)) return undefined;
  // Node resolves what is imported from another place only for `require`.
  const { createJiti } = await import("jiti");
  const importing = createJiti(join(resolve(folder), "importing.mjs"), { fsCache: false });
  const url = importing.esmResolve(word, { try: true, conditions: ["node", "import"] });
  return url === undefined ? undefined : fileURLToPath(url);
}

const LONGEST_LOAD_MS = 30_000;

/**
 * Imports a module of the user's, JavaScript or TypeScript. Resolves with what it exports; rejects with what it throws, and when
 * it is not loaded within `longestMs`.
 */
export async function importModule(
  file: string,
  longestMs = LONGEST_LOAD_MS,
): Promise<Readonly<Record<string, unknown>>> {
  // Node 20 does not run TypeScript.
  const isTypeScript = [".ts", ".mts", ".cts"].includes(extname(file));
  const module = await settleWithin(isTypeScript ? importByJiti(file) : import(pathToFileURL(file).href), longestMs);
  if (!isRecord(module)) return { default: module };
  const inner = module["default"];
  // What compilers make of `export default` for CommonJS stands one level deeper when it is imported.
  return isRecord(inner) && inner["__esModule"] === true ? { ...module, default: inner["default"] } : module;
}

/** A config file that was read: its path and what it says, unchecked. */
export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

/** In the order in which they are looked for. */
export const CONFIG_NAMES = ["lbbench.config.ts", "lbbench.config.js", "lbbench.config.mjs", "lbbench.config.json"];

/**
 * Reads a config file: the one given, or else the first `lbbench.config.{ts,js,mjs,json}` of `folder`; `undefined` when
 * there is none. Throws a {@link ConfigError} when it cannot be read.
 */
export async function loadConfigFile(folder: string, given?: string): Promise<ConfigFile | undefined> {
  const name = given ?? CONFIG_NAMES.find((one) => existsSync(resolve(folder, one)));
  if (name === undefined) return undefined;
  const path = resolve(folder, name);
  // What cannot be read is told here in fewer words than by what imports.
  const load = async (): Promise<unknown> => {
    const { bytes } = readBounded(path);
    return extname(path) === ".json" ? parseJson(String(bytes)) : importByJiti(path, { default: true });
  };
  const within = settleWithin(load(), LONGEST_LOAD_MS);
  return {
    path,
    content: await explained(within, ConfigError, (why) => `The config file ${path} could not be read: ${why}`),
  };
}

async function importByJiti(file: string, options?: { default: true }): Promise<unknown> {
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, virtualModules: await loadOwnModules() }).import(file, options);
}

/** Where an `await` at the top level of a module waits for nothing, Node would end without a word. */
async function settleWithin(loading: Promise<unknown>, longestMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `it was not loaded after ${longestMs / 1000} s. Does an await at its top level wait for something that never comes? Move it into a function`;
    timer = setTimeout(() => reject(new Error(message)), longestMs);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
}
