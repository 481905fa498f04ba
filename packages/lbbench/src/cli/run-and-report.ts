import { basename } from "node:path";
import { renderSummary, type Result, type SweepListener, type SweepOutcome } from "../index.js";
import { ExitCode } from "./exit-code.js";
import { catchInterrupt } from "./interrupt.js";
import { startProgress } from "./progress.js";

/** What is printed of a run. */
export interface Output {
  readonly quiet: boolean;
  readonly json: boolean;
}

/** What a run is given by the command line around it. */
export interface Running {
  readonly signal: AbortSignal;
  readonly onEvent: SweepListener;
}

/** Shows the progress of a run, lets it be interrupted, prints what it leaves, and resolves with the exit code. */
export async function runAndReport(
  { quiet, json }: Output,
  run: (running: Running) => Promise<SweepOutcome>,
): Promise<number> {
  const progress = startProgress(process.stderr, quiet);
  const interrupt = catchInterrupt({
    onFirst: () => progress.say("Interrupted: writing what was measured. Once more ends everything at once."),
    onSecond: progress.stop,
  });
  try {
    const outcome = await run({ signal: interrupt.signal, onEvent: progress.onEvent });
    progress.stop();
    print(outcome, quiet, json);
    return interrupt.signal.aborted ? ExitCode.interrupted : exitCode(outcome.result);
  } finally {
    progress.stop();
    interrupt.release();
  }
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
