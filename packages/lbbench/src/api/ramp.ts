import { DEFAULTS } from "../config/defaults.js";
import { wordsOfInput } from "../config/plugin-words.js";
import { readRequestFiles } from "../config/read-request-files.js";
import { resolveRamp, type NOT_IN_RAMP } from "../config/resolve-ramp.js";
import type { ParsedSweepInput, SweepInput } from "../config/sweep-input.js";
import { loadPlugins } from "./load-plugins.js";
import { parseSweepInput } from "./parse-sweep-input.js";
import { runScenario, type SweepOptions, type SweepOutcome } from "./run-scenario.js";

/** What a ramp is asked to do: what a sweep is, but for its levels and what goes with them; `ramp` says how users come. */
export type RampInput = Omit<SweepInput, (typeof NOT_IN_RAMP)[number]>;

/**
 * Raises the users of each target over time, each of whom sends its next request when the last is answered: the timeline of
 * a measurement tells of every second how many there were and what became of their requests. Prints nothing, and ends
 * everything it starts.
 *
 * Writes files and rejects as `sweep` does.
 */
export async function ramp(input: RampInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return rampParsed(parseSweepInput(input, "ramp"), options);
}

/** Does what {@link ramp} does with input that has been checked. */
export async function rampParsed(input: ParsedSweepInput, options: SweepOptions): Promise<SweepOutcome> {
  const { formats = DEFAULTS.formats, charts, out } = input;
  const plugins = await loadPlugins({ ...wordsOfInput(input), formats }, options.plugins, options.folder);
  const read = await readRequestFiles(input, options.folder ?? ".");
  const scenario = resolveRamp({ ...read, name: input.name ?? DEFAULTS.ramp.name }, plugins);
  return runScenario({ scenario, plugins, formats, charts, out }, options);
}
