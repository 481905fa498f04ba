import { type LiveView, type LiveViewOptions, type Result, type SweepListener, type SweepOutcome } from "../index.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";
import { showLive } from "./show-live.js";
import { paintSummary } from "./paint-summary.js";
import { mainReport } from "./main-report.js";
import { toPrintable } from "./printable.js";
import { startProgress } from "./progress.js";

/** What is printed of a run. */
export interface Output {
  readonly quiet: boolean;
  readonly json: boolean;
  /** Show the run on a page while it goes on; not without this. */
  readonly live?: LiveViewOptions;
}

/** What a run is given by the command line around it. */
export interface Running {
  readonly signal: AbortSignal;
  readonly onEvent: SweepListener;
}

/** Shows the progress of a run, lets it be interrupted, prints what it leaves, and resolves with the exit code. */
export async function runAndReport(
  { quiet, json, live }: Output,
  io: CommandIo,
  run: (running: Running) => Promise<SweepOutcome>,
  openView: typeof showLive = showLive,
): Promise<number> {
  const progress = startProgress(io, quiet);
  const interrupt = io.catchInterrupt({
    onFirst: () => progress.say("Interrupted: writing what was measured. Once more ends everything at once."),
    onSecond: progress.stop,
  });
  let view: LiveView | undefined;
  try {
    view = live && (await openView(live, io));
    const listeners = [progress.onEvent, ...(view === undefined ? [] : [view.onEvent])];
    const outcome = await run({
      signal: interrupt.signal,
      onEvent: (event) => {
        for (const hear of listeners) hear(event);
      },
    });
    progress.stop();
    print(outcome, { quiet, json }, io);
    return interrupt.signal.aborted ? ExitCode.interrupted : exitCode(outcome.result);
  } finally {
    progress.stop();
    try {
      await closeLive(view, io);
    } finally {
      interrupt.release();
    }
  }
}

/** Whatever is wrong with the page says nothing of the run, whose outcome it must not change. */
async function closeLive(view: LiveView | undefined, { stderr }: CommandIo): Promise<void> {
  try {
    await view?.close();
  } catch (error) {
    stderr.write(`The live page did not show all of the run: ${describeReason(error)}\n`);
  }
}

function describeReason(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return toPrintable(cause instanceof Error ? `${message}: ${cause.message}` : message);
}

function print(
  { result, folder, files, problems }: SweepOutcome,
  { quiet, json }: Output,
  { stdout, stderr, env }: CommandIo,
): void {
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (json) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (quiet) return;
  const output = json ? stderr : stdout;
  // On a terminal the steps stand right above it.
  const gap = output.isTTY === true ? "\n" : "";
  output.write(`${gap}${paintSummary(result, output, env)}\nReport: ${mainReport(files, folder)}\n`);
}

function exitCode({ verdict }: Result): number {
  return ExitCode[verdict.status];
}
