import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../config/config-error.js";
import type { StoredResult } from "./read-result.js";

/**
 * The folder in which the paths of a run begin that is gone on with: the one in which it began. Rejects with a
 * {@link ConfigError} where another one is given, or where it is gone and none is given, as the same path would be of another file.
 *
 * @param given what was asked for, if anything; counts alone for files of earlier releases, which do not say where they began.
 */
export async function folderOfRun({ path, result }: StoredResult, given: string | undefined): Promise<string> {
  const { folder: began } = result;
  if (began === undefined) return resolve(given ?? ".");
  const real = await realpath(began).catch(() => undefined);
  if (given !== undefined) {
    const other = await realpath(given).catch(() => resolve(given));
    if (real === undefined || real === other) return other;
    throw new ConfigError(
      `${path}: folder: expected that in which the run began, ${began}, got ${other}. Paths in its scenario would be those of ` +
        "other files: leave out --config, or give the config file that it began with.",
    );
  }
  if (real !== undefined) return real;
  throw new ConfigError(
    `${path}: folder: expected the folder in which the run began, ${began}, which is not there any more. Name the config file ` +
      "in the folder that has taken its place with --config FILE, or start anew.",
  );
}
