import { access, readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { ConfigError } from "./config-error.js";
import { describeFailure } from "./describe-failure.js";
import { importTypeScript } from "./import-typescript.js";
import { settleWithin } from "./settle-within.js";

const NAMES = ["lbbench.config.ts", "lbbench.config.js", "lbbench.config.mjs", "lbbench.config.json"];

/** A config file that was read: its path and what it says, unchecked. */
export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

/**
 * Reads a config file: the one given, or else the first `lbbench.config.{ts,js,mjs,json}` of `folder`; `undefined` when
 * there is none. Throws a {@link ConfigError} when it cannot be read.
 */
export async function loadConfigFile(folder: string, given?: string): Promise<ConfigFile | undefined> {
  if (given !== undefined) return read(resolve(folder, given));
  for (const name of NAMES) {
    const path = resolve(folder, name);
    if (await exists(path)) return read(path);
  }
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function read(path: string): Promise<ConfigFile> {
  try {
    return {
      path,
      content:
        extname(path) === ".json"
          ? JSON.parse(await readFile(path, "utf8"))
          : await settleWithin(importTypeScript(path, { default: true })),
    };
  } catch (error) {
    throw new ConfigError(`The config file ${path} could not be read: ${describeFailure(error)}`, { cause: error });
  }
}
