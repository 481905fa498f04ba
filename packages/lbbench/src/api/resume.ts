import { dirname } from "node:path";
import { checkStoredScenario } from "../config/check-stored-scenario.js";
import { DEFAULTS } from "../config/defaults.js";
import { captureEnvironment } from "../run/environment.js";
import { readResult } from "../store/read-result.js";
import { checkResumable } from "../store/resumable-result.js";
import { runScenario, withBuiltIns, type SweepOptions, type SweepOutcome } from "./run-scenario.js";
import { TOOL } from "./tool.js";

/** How a run is taken up again. */
export interface ResumeOptions extends Omit<SweepOptions, "command"> {
  /** Formats of the report; those of a sweep by default. */
  readonly formats?: readonly string[];
}

/**
 * Goes on with a run that was interrupted, given the folder of its report: measures the steps that are missing, that failed
 * or that were cut short, keeps the others, and writes result and report to the same folder. Where nothing is missing only the
 * report is written.
 *
 * Rejects as `sweep` does, and with a `ConfigError` when the result is of another machine or another version of lbbench, or
 * its scenario would be another one now.
 */
export async function resume(given: string, options: ResumeOptions = {}): Promise<SweepOutcome> {
  const stored = await readResult(given);
  checkResumable(stored, TOOL, await captureEnvironment());
  const { path, result: earlier } = stored;
  const plugins = withBuiltIns(options.plugins);
  const scenario = checkStoredScenario(earlier.scenario, plugins, path);
  const formats = options.formats ?? DEFAULTS.formats;
  return runScenario({ scenario, plugins, formats, out: dirname(path), earlier }, options);
}
