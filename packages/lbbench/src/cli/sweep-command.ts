import { basename, dirname } from "node:path";
import {
  builtInServers,
  defaultReportFolder,
  loadConfigFile,
  parseSweepInput,
  renderSummary,
  sweepParsed,
  type ParsedSweepInput,
  type Result,
  type SweepOutcome,
} from "../index.js";
import { startableServers } from "../config/unknown-target.js";
import { ExitCode } from "./exit-code.js";
import { nameFlag } from "./flag-names.js";
import { catchInterrupt } from "./interrupt.js";
import { mergeInput } from "./merge-input.js";
import { startProgress } from "./progress.js";
import { repeatCommand } from "./repeat-command.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

/** Runs `lbbench sweep`; resolves with its exit code. */
export async function runSweepCommand(url: string | undefined, flags: SweepFlags): Promise<number> {
  const { input, folder } = await readInput(url, flags);
  const quiet = flags.quiet === true;
  const progress = startProgress(process.stderr, quiet);
  const interrupt = catchInterrupt({
    onFirst: () => progress.say("Interrupted: writing what was measured. Once more ends everything at once."),
    onSecond: progress.stop,
  });
  try {
    const outcome = await sweepParsed(input, {
      signal: interrupt.signal,
      onEvent: progress.onEvent,
      command: repeatCommand(process.argv.slice(2)),
      folder,
    });
    progress.stop();
    print(outcome, quiet, flags.json === true);
    return interrupt.signal.aborted ? ExitCode.interrupted : exitCode(outcome.result);
  } finally {
    progress.stop();
    interrupt.release();
  }
}

interface ReadInput {
  readonly input: ParsedSweepInput;
  /** Where the paths in it begin. */
  readonly folder: string;
}

async function readInput(url: string | undefined, flags: SweepFlags): Promise<ReadInput> {
  const file = await loadConfigFile(process.cwd(), flags.config);
  const folder = file === undefined ? process.cwd() : dirname(file.path);
  const sources = {
    file: file === undefined ? {} : parseSweepInput(file.content, file.path),
    flags: parseSweepInput(await flagsToInput(flags, folder), nameFlag),
    targets: [...(url === undefined ? [] : [url]), ...(flags.target ?? [])],
  };
  const input = mergeInput(sources, startableServers(builtInServers));
  return { input: { ...input, out: input.out ?? defaultReportFolder(input.name) }, folder };
}

function print({ result, folder, files, problems }: SweepOutcome, quiet: boolean, json: boolean): void {
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (quiet) return;
  const report = files.find((file) => basename(file) === "report.md") ?? folder;
  const output = json ? process.stderr : process.stdout;
  // On a terminal the steps stand right above it.
  const gap = output.isTTY ? "\n" : "";
  output.write(`${gap}${renderSummary(result, output.columns || undefined)}\nReport: ${report}\n`);
}

function exitCode({ verdict }: Result): number {
  return ExitCode[verdict.status];
}
