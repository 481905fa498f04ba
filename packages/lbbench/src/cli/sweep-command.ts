import {
  defaultReportFolder,
  loadConfigFile,
  parseSweepInput,
  renderSummary,
  sweepParsed,
  type ParsedSweepInput,
  type Result,
  type SweepOutcome,
} from "../index.js";
import { ExitCode } from "./exit-code.js";
import { catchInterrupt } from "./interrupt.js";
import { mergeInput } from "./merge-input.js";
import { startProgress } from "./progress.js";
import { repeatCommand } from "./repeat-command.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

/** Runs `lbbench sweep`; resolves with its exit code. */
export async function runSweepCommand(url: string | undefined, flags: SweepFlags): Promise<number> {
  const input = await readInput(url, flags);
  const quiet = flags.quiet === true;
  const progress = startProgress(process.stderr, quiet);
  const interrupt = catchInterrupt(() =>
    progress.say("Interrupted: writing what was measured. Once more kills everything at once."),
  );
  try {
    const outcome = await sweepParsed(input, {
      signal: interrupt.signal,
      onEvent: progress.onEvent,
      command: repeatCommand(process.argv.slice(2)),
    });
    progress.stop();
    print(outcome, quiet, flags.json === true);
    return interrupt.signal.aborted ? ExitCode.interrupted : exitCode(outcome.result);
  } finally {
    progress.stop();
    interrupt.release();
  }
}

async function readInput(url: string | undefined, flags: SweepFlags): Promise<ParsedSweepInput> {
  const file = await loadConfigFile(process.cwd(), flags.config);
  const fromFile = file === undefined ? {} : parseSweepInput(file.content, file.path);
  const fromFlags = parseSweepInput(await flagsToInput(flags), "command line");
  const input = mergeInput(fromFile, fromFlags, [...(url === undefined ? [] : [url]), ...(flags.target ?? [])]);
  return { ...input, out: input.out ?? defaultReportFolder(input.name) };
}

function print({ result, folder, problems }: SweepOutcome, quiet: boolean, json: boolean): void {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (quiet) return;
  const text = `${renderSummary(result)}\nReport: ${folder}/report.md\n`;
  (json ? process.stderr : process.stdout).write(text);
}

function exitCode({ verdict }: Result): number {
  return ExitCode[verdict.status];
}
