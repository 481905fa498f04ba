import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { refuse } from "../config/config-error.js";
import { checkResumable, checkStoredScenario, folderOfRun } from "../store/resumable-result.js";
import { DEFAULTS } from "../config/defaults.js";
import type { ChartStyle } from "../plugin.js";
import { captureEnvironment } from "../run/environment.js";
import { readResult, RESULT_FILE } from "../store/read-result.js";
import { knownPlugins } from "./load-plugins.js";
import { runScenario, type SweepOptions, type SweepOutcome } from "./sweep.js";
import { TOOL } from "../own-package.js";

/** How a run is taken up again. */
export interface ResumeOptions extends Omit<SweepOptions, "command"> {
  /** Formats of the report; those of a sweep by default. */
  readonly formats?: readonly string[];
  /** How texts show charts; as in a sweep by default. */
  readonly charts?: ChartStyle;
  /** Folder in which the paths of formats begin, the working folder by default; those of the scenario begin where they did, which it must be. */
  readonly folder?: string;
  /** Folder in which the paths of formats begin, where it is another one than `folder`. */
  readonly formatsFolder?: string;
}

/**
 * Goes on with a run that was interrupted, given the folder of its report: measures the steps that are missing, that failed
 * or that were cut short, keeps the others, and writes result and report to the same folder. Where nothing is missing only the
 * report is written.
 *
 * Rejects as `sweep` does, and with a `ConfigError` when the result is of another machine or another version of lbbench, or
 * its scenario would be another one now, or its paths would be those of other files.
 */
export async function resume(given: string, options: ResumeOptions = {}): Promise<SweepOutcome> {
  const stored = await readResult(given);
  const { path, result: earlier } = stored;
  refuse(
    basename(path) !== RESULT_FILE &&
      existsSync(join(dirname(path), RESULT_FILE)) &&
      `${path}: expected a result with a folder of its own, got one beside the ${RESULT_FILE} of another run, which would be written over. Move it.`,
  );
  const told = checkResumable(stored, TOOL, await captureEnvironment());
  const formats = options.formats ?? DEFAULTS.formats;
  const folder = await folderOfRun(stored, options.folder);
  const plugins = {
    ...knownPlugins(options.plugins, folder),
    reporters: knownPlugins(options.plugins, options.formatsFolder ?? options.folder).reporters,
  };
  const scenario = await checkStoredScenario(told, plugins, path);
  const run = { scenario, plugins, formats, charts: options.charts, out: dirname(path), earlier };
  return runScenario(run, { ...options, folder });
}
