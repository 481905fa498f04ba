import { DEFAULTS, searchParsed, SWEEP_ONLY, type ParsedSweepInput } from "../index.js";
import { readInput } from "./read-input.js";
import { repeatCommand } from "./repeat-command.js";
import { resumeRun } from "./resume-run.js";
import { runAndReport } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";

/** Runs `lbbench max`; resolves with its exit code. */
export async function runMaxCommand(url: string | undefined, flags: SweepFlags): Promise<number> {
  if (flags.resume !== undefined) return resumeRun(flags.resume, url, flags);
  const { input, folder } = await readInput(url, flags, DEFAULTS.search.name);
  const command = repeatCommand(process.argv.slice(2));
  return runAndReport({ quiet: flags.quiet === true, json: flags.json === true }, (running) =>
    searchParsed(withoutLevels(input, flags), { ...running, command, folder }),
  );
}

/** A config file may be that of a sweep as well; there are no flags for what is left out here. */
function withoutLevels(input: ParsedSweepInput, { poisson, maxInFlight }: SweepFlags): ParsedSweepInput {
  const { arrival, ...rest } = input;
  const left = Object.entries(rest).filter(([name]) => !SWEEP_ONLY.some((one) => one === name));
  const isAsked = input.search?.by === "rate" || poisson !== undefined || maxInFlight !== undefined;
  return { ...Object.fromEntries(left), ...(isAsked && arrival !== undefined ? { arrival } : {}) };
}
