import { join } from "node:path";
import { DEFAULTS } from "../config/defaults.js";
import { wordsOfInput } from "../config/plugin-words.js";
import { readRequestFiles } from "../config/read-request-files.js";
import { refuseSettings } from "../config/refuse-settings.js";
import { resolveScenario } from "../config/resolve-scenario.js";
import type { ParsedSweepInput, SweepInput } from "../config/sweep-input.js";
import { loadPlugins } from "./load-plugins.js";
import { parseSweepInput } from "./parse-sweep-input.js";
import { runScenario, type SweepOptions, type SweepOutcome } from "./run-scenario.js";

/** Settings that a sweep has no use for; of a config file for others as well `lbbench sweep` leaves them out. */
export const NOT_IN_SWEEP = ["search", "ramp"] as const;

/**
 * Sweeps levels of load over targets and judges what was measured. Prints nothing, and ends everything it starts.
 *
 * Files are written only when `input.out` names a folder: result.json after every step, the report at the end.
 *
 * Rejects, before any load is sent, with a `ConfigError` (something asked for that cannot be done), an `OutputError`
 * (the folder cannot be written to) or a `StartError` (a target could not be started or reached).
 */
export async function sweep(input: SweepInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return sweepParsed(parseSweepInput(input, "sweep"), options);
}

/** Does what {@link sweep} does with input that has been checked. */
export async function sweepParsed(input: ParsedSweepInput, options: SweepOptions): Promise<SweepOutcome> {
  refuseSettings(
    input,
    NOT_IN_SWEEP,
    "in a sweep. Leave it out; or search, or raise users, with the function for that.",
  );
  const { formats = DEFAULTS.formats, charts, out } = input;
  const plugins = await loadPlugins({ ...wordsOfInput(input), formats }, options.plugins, options.folder);
  const scenario = resolveScenario(await readRequestFiles(input, options.folder ?? "."), plugins);
  return runScenario({ scenario, plugins, formats, charts, out }, options);
}

/** A folder for the report of a run that starts at `now`: `reports/NAME-20261121-140312-057`, to the millisecond, so that two are not mixed. */
export function defaultReportFolder(name: string = DEFAULTS.name, now: Date = new Date()): string {
  const time = now.toISOString().replaceAll(/[-:Z]/g, "").replaceAll(/[T.]/g, "-");
  const safe = name.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || DEFAULTS.name;
  return join(DEFAULTS.outFolder, `${safe}-${time}`);
}
