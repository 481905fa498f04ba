import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describeFailure, listWords, refuse } from "../config/config-error.js";
import { flagOf, type Setting } from "../config/field.js";
import { RUN_KINDS } from "../config/resolve.js";
import { nameFlag, settingsOf, type RunCommand } from "../config/settings.js";
import {
  ConfigError,
  defaultReportFolder,
  fitLevels,
  holdParsed,
  comparePoliciesParsed,
  injectFaultsParsed,
  loadConfigFile,
  mergeInput,
  openLiveView,
  parseSweepInput,
  rampParsed,
  renderSummary,
  resume,
  searchParsed,
  sweepParsed,
  type LiveView,
  type PaintVerdict,
  type ResumeOptions,
  type SweepOptions,
  type SweepOutcome,
} from "../index.js";
import { givenValue } from "./flags.js";
import { ExitCode, type CommandIo, type Invocation, type Output, type Word } from "./io.js";
import { startProgress } from "./progress.js";
import { columnsOf, paintText, printJson, repeatCommand, toPrintable } from "./terminal.js";

const START: Readonly<Record<RunCommand, typeof sweepParsed>> = {
  sweep: sweepParsed,
  faults: injectFaultsParsed,
  policies: comparePoliciesParsed,
  max: searchParsed,
  ramp: rampParsed,
  hold: holdParsed,
};

/** What is printed of a run. */
export interface Shown {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly jsonLines?: boolean;
  readonly live?: boolean;
  readonly livePort?: number;
}

/** What else the command itself reads. */
interface OwnFlags extends Shown {
  readonly target?: readonly string[];
  readonly config?: string;
  readonly force?: boolean;
  readonly resume?: string;
}

/** Runs `lbbench sweep`, `faults`, `policies`, `max`, `ramp` or `hold`; resolves with the exit code. */
export async function runKind(name: RunCommand, io: Invocation): Promise<number> {
  const { cwd, argv, stderr, flags, read } = io;
  const [word] = io.words;
  const scenario = name === "policies" ? word : undefined;
  const config = flags["config"] === undefined ? undefined : String(flags["config"]);
  // Of a run that is gone on with, only the place of the file that is named counts: relative paths of formats begin there.
  const isAnew = flags["resume"] === undefined;
  const file = isAnew || config !== undefined ? await loadConfigFile(cwd, config) : undefined;
  const folder = file === undefined ? cwd : dirname(file.path);
  const { input: ofFlags, own } = await read<OwnFlags>(folder);
  if (own.resume !== undefined) {
    refuseBesideResume(name, io);
    const earlier = resolve(cwd, own.resume);
    const place = file === undefined ? { formatsFolder: cwd } : { folder };
    const rendering = ofFlags as Pick<ResumeOptions, "formats" | "charts">;
    return runAndReport(own, io, (running) => resume(earlier, { ...running, ...rendering, ...place }));
  }
  const ofFile = file === undefined ? {} : parseSweepInput(file.content, file.path);
  const flagInput = parseSweepInput(scenario === undefined ? ofFlags : withScenario(ofFlags, scenario), (path) =>
    path.join(".") === "policies.scenario" ? "scenario" : nameFlag(path),
  );
  const sources = {
    file: ofFile,
    flags: flagInput,
    command: name,
    targets: [scenario === undefined ? (word ?? []) : [], own.target ?? []].flat(),
  };
  const input = await mergeInput(sources, folder);
  refuseReport(flagInput.out, own.force, cwd);
  const out = resolve(cwd, input.out ?? defaultReportFolder(input.name ?? RUN_KINDS[name].name));
  // A file that was found by itself is named: in another folder another one is found, or none.
  const found = file === undefined || config !== undefined ? undefined : relative(cwd, file.path);
  if (found !== undefined && own.quiet !== true) stderr.write(`Config: ${toPrintable(found)}\n`);
  const command = repeatCommand([...argv, ...(found === undefined ? [] : ["--config", found])]);
  const content = file?.content as { readonly connections?: unknown } | undefined;
  const given = ofFlags["connections"] ?? content?.connections;
  // Elsewhere requests are sent at a rate unless connections are given.
  const fitted = name === "sweep" ? fitLevels(input, given) : { input };
  if (fitted.note !== undefined && own.quiet !== true) stderr.write(`warning: ${fitted.note}\n`);
  return runAndReport(own, io, (running) => START[name]({ ...fitted.input, out }, { ...running, command, folder }));
}

/** The flags with the word behind `lbbench policies`. */
function withScenario({ policies = {}, ...flags }: Readonly<Record<string, unknown>>, scenario: Word): object {
  return { ...flags, policies: { ...(policies as object), scenario } };
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

function refuseBesideResume(name: RunCommand, { words: [url], flags }: Invocation): void {
  const settings = settingsOf(name);
  const long = (setting: Setting): string => flagOf(setting).replace(/^-\w, /, "");
  const given = settings.filter((setting) => givenValue(setting, flags) !== undefined && setting.resumes !== true);
  const first = [url ?? [], given.map(long)].flat(2).find((one) => one !== "--resume");
  const beside = listWords(settings.filter(({ resumes }) => resumes).map(long));
  refuse(
    first !== undefined &&
      `--resume: expected beside it only ${beside}, got ${first}. Everything else is as it was when the run began; leave it out, or start anew without --resume.`,
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
