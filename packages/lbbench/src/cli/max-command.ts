import { DEFAULTS, NOT_IN_SEARCH, searchParsed, type ParsedSweepInput } from "../index.js";
import type { Invocation } from "./io.js";
import { readInput } from "./read-input.js";
import { readOutputFlags } from "./output-flags.js";
import { repeatCommand } from "./repeat-command.js";
import { resumeRun } from "./resume-run.js";
import { runAndReport } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";
import { withoutSettings } from "./without-settings.js";

/** Runs `lbbench max`; resolves with its exit code. */
export async function runMaxCommand(
  url: string | undefined,
  flags: SweepFlags,
  invocation: Invocation,
): Promise<number> {
  if (flags.resume !== undefined) return resumeRun(flags.resume, url, flags, invocation);
  const { input, folder } = await readInput(url, flags, invocation.cwd, DEFAULTS.search.name);
  const command = repeatCommand(invocation.argv);
  return runAndReport(readOutputFlags(flags), invocation, (running) =>
    searchParsed(withoutLevels(input, flags), { ...running, command, folder }),
  );
}

/** The schedule of a config file goes with its rates, which a search has not, unless it searches a rate itself. */
function withoutLevels(input: ParsedSweepInput, { poisson, maxInFlight }: SweepFlags): ParsedSweepInput {
  const isAsked = input.search?.by === "rate" || poisson !== undefined || maxInFlight !== undefined;
  return withoutSettings(input, [...NOT_IN_SEARCH, ...(isAsked ? [] : (["arrival"] as const))]);
}
