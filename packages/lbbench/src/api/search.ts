import { DEFAULTS } from "../config/defaults.js";
import { wordsOfInput } from "../config/plugin-words.js";
import { readRequestFiles } from "../config/read-request-files.js";
import { resolveSearch, type NOT_IN_SEARCH } from "../config/resolve-search.js";
import type { ParsedSweepInput, SweepInput } from "../config/sweep-input.js";
import { loadPlugins } from "./load-plugins.js";
import { parseSweepInput } from "./parse-sweep-input.js";
import { runScenario, type SweepOptions, type SweepOutcome } from "./run-scenario.js";

/** What a search is asked to do: what a sweep is, but for its levels, which the search finds, and what goes with them. */
export type SearchInput = Omit<SweepInput, (typeof NOT_IN_SEARCH)[number]>;

/**
 * Searches, for each target, the largest number of connections (or the largest rate) that still holds the thresholds:
 * `result.search` says what was found. Without a threshold on errors no request may fail. Prints nothing, and ends everything
 * it starts.
 *
 * Writes files and rejects as `sweep` does.
 */
export async function search(input: SearchInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return searchParsed(parseSweepInput(input, "search"), options);
}

/** Does what {@link search} does with input that has been checked. */
export async function searchParsed(input: ParsedSweepInput, options: SweepOptions): Promise<SweepOutcome> {
  const { formats = DEFAULTS.formats, charts, out } = input;
  const plugins = await loadPlugins({ ...wordsOfInput(input), formats }, options.plugins, options.folder);
  const read = await readRequestFiles(input, options.folder ?? ".");
  const named = { ...read, name: input.name ?? DEFAULTS.search.name };
  const scenario = resolveSearch(named, plugins);
  return runScenario({ scenario, plugins, formats, charts, out }, options);
}
