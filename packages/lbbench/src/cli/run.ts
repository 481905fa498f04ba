import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ConfigError, describeFailure, refuse } from "../config/config-error.js";
import {
  openLiveView,
  renderSummary,
  type LiveView,
  type PaintVerdict,
  type SweepOptions,
  type SweepOutcome,
} from "../index.js";
import { ExitCode, type CommandIo, type Output } from "./io.js";
import { startProgress } from "./progress.js";
import { columnsOf, paintText, printJson, toPrintable } from "./terminal.js";

/** What is printed of a run. */
export interface Shown {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly jsonLines?: boolean;
  readonly live?: boolean;
  readonly livePort?: number;
}

/** Throws a `ConfigError` where `-o` names a folder with a report in it, which would be lost. */
export function refuseReport(out: string | undefined, force: boolean | undefined, cwd: string): void {
  refuse(
    out !== undefined &&
      force !== true &&
      existsSync(join(resolve(cwd, out), "result.json")) &&
      `-o, --out: expected a folder without a report, got "${out}", which has a result.json. Name another one, or add --force to write over it.`,
  );
}

/** Shows the progress of a run, lets it be interrupted, prints what it leaves, and resolves with the exit code. */
export async function runAndReport(
  { live = false, livePort, ...shown }: Shown,
  io: CommandIo,
  run: (running: Required<Pick<SweepOptions, "signal" | "onEvent">>) => Promise<SweepOutcome>,
  openView = openLiveView,
): Promise<number> {
  const { stdout, stderr } = io;
  const progress = startProgress(io, shown.quiet === true);
  const interrupt = io.catchInterrupt({
    onFirst: () => progress.say("Interrupted: writing what was measured. Once more ends everything at once."),
    onSecond: progress.stop,
  });
  let view: LiveView | undefined;
  try {
    if (live) {
      view = await openView(livePort === undefined ? {} : { port: livePort }).catch((error) =>
        refusePort(livePort, error),
      );
      // Also where nothing else is printed: its address cannot be guessed.
      stderr.write(`Live: ${view.url}\n`);
    }
    const outcome = await run({
      signal: interrupt.signal,
      onEvent: (event) => {
        progress.onEvent(event);
        view?.onEvent(event);
        if (shown.jsonLines === true && event.type === "step-done") stdout.write(printJson(event.step, 0));
      },
    });
    progress.stop();
    // On a terminal the steps stand right above it.
    printOutcome(outcome, shown, io, ({ isTTY }) => (isTTY === true ? "\n" : ""));
    return interrupt.signal.aborted ? ExitCode.interrupted : ExitCode[outcome.result.verdict.status];
  } finally {
    progress.stop();
    // A page that fails must not change the outcome of the run.
    await view?.close().catch((error: unknown) => {
      stderr.write(`The live page did not show all of the run: ${toPrintable(describeCause(error))}\n`);
    });
    interrupt.release();
  }
}

function refusePort(port: number | undefined, error: unknown): never {
  if (!(error instanceof Error && "syscall" in error)) throw error;
  throw new ConfigError(
    `--live-port: expected a port that is free, got ${port}: ${describeFailure(error)}. Name another, or leave it out`,
    { cause: error },
  );
}

function describeCause(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

const COLOURS = { pass: "green", inconclusive: "yellow", fail: "red" } as const;

/**
 * Prints what a run or an import leaves: problems, the result where that is asked for, and its summary, as wide as the stream it goes to, the
 * verdict in colour where that shows colours, and where the report is.
 */
export function printOutcome(
  { problems, result, files, folder }: SweepOutcome,
  { quiet = false, verbose = false, json = false, jsonLines = false }: Shown,
  { stdout, stderr, env }: CommandIo,
  above: (output: Output) => string = () => "",
): void {
  for (const problem of problems) stderr.write(`${toPrintable(problem)}\n`);
  if (json) stdout.write(printJson(result));
  if (quiet) return;
  const output = json || jsonLines ? stderr : stdout;
  const paint: PaintVerdict = (text, status) => paintText(output, env, COLOURS[status], text);
  const summary = renderSummary(result, columnsOf(output), { verbose, paint });
  const read = ["report.html", "report.md"].flatMap((name) => files.find((file) => basename(file) === name) ?? []);
  output.write(`${above(output)}${summary}\nReport: ${toPrintable(String(read[0] ?? folder))}\n`);
}
