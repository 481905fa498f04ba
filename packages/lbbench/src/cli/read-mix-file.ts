import { dirname, resolve } from "node:path";
import { describeFailure, formatPath } from "../config/config-error.js";
import { readBytes } from "../config/request-files.js";
import { ConfigError, parseSweepInput, type ParsedSweepInput } from "../index.js";

type GivenMix = NonNullable<ParsedSweepInput["mix"]>;

/**
 * Reads the file of `--mix`, a JSON list of requests. Paths in it begin at its folder, and are made absolute. Rejects with a
 * `ConfigError` that names the entry, what was expected and what came.
 *
 * @param cwd where the path itself begins.
 */
export async function readMixFile(path: string, cwd: string): Promise<GivenMix> {
  const content = parseJson((await readBytes(path, "--mix", cwd)).toString("utf8"), path);
  const { mix = [] } = parseSweepInput({ mix: content }, ([, ...at]) => `--mix ${path}${placeOf(at)}`);
  const folder = dirname(resolve(cwd, path));
  const place = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  return mix.map((entry) => ({
    ...entry,
    bodyFile: place(entry.bodyFile),
    bodiesFile: place(entry.bodiesFile),
  }));
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "" : `: ${formatPath(path)}`;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(
      `--mix: expected a file of JSON, a list of requests such as [{"path": "/", "weight": 2}], got "${path}": ${describeFailure(error)}`,
      { cause: error },
    );
  }
}
