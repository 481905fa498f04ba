import { DEFAULTS, NOT_IN_RAMP, rampParsed } from "../index.js";
import type { Invocation } from "./io.js";
import { readInput } from "./read-input.js";
import { readOutputFlags } from "./output-flags.js";
import { repeatCommand } from "./repeat-command.js";
import { resumeRun } from "./resume-run.js";
import { runAndReport } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";
import { withoutSettings } from "./without-settings.js";

/** Runs `lbbench ramp`; resolves with its exit code. */
export async function runRampCommand(
  url: string | undefined,
  flags: SweepFlags,
  invocation: Invocation,
): Promise<number> {
  if (flags.resume !== undefined) return resumeRun(flags.resume, url, flags, invocation);
  const { input, folder } = await readInput(url, flags, invocation.cwd, DEFAULTS.ramp.name);
  const command = repeatCommand(invocation.argv);
  return runAndReport(readOutputFlags(flags), invocation, (running) =>
    rampParsed(withoutSettings(input, NOT_IN_RAMP), { ...running, command, folder }),
  );
}
