import { access } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { CHART_STYLES, flagOf, nameFlag, settingsOf, type SettingCommand } from "../config/settings.js";
import {
  ConfigError,
  DEFAULTS,
  defaultReportFolder,
  loadConfigFile,
  mergeInput,
  openLiveView,
  parseSweepInput,
  renderSummary,
  resume,
  type LiveView,
  type LiveViewOptions,
  type ParsedSweepInput,
  type Result,
  type SweepListener,
  type SweepOptions,
  type SweepOutcome,
} from "../index.js";
import { attributeOf, flagsToInput, readPort, readWord, splitList } from "./flags.js";
import { ExitCode, type CommandIo, type Flags, type Invocation, type Output, type Word } from "./io.js";
import { startProgress } from "./progress.js";
import { columnsOf, paintText, repeatCommand, toPrintable } from "./terminal.js";

/** A command that runs what a config file and flags say. */
export interface RunKind {
  readonly name: "sweep" | "max" | "ramp";
  /** Name of the run where it has no other. */
  readonly defaultName: string;
  /** Settings of a config file that are for other commands. */
  readonly leaveOut: (input: ParsedSweepInput, flags: Flags) => readonly (keyof ParsedSweepInput)[];
  readonly start: (input: ParsedSweepInput, options: SweepOptions) => Promise<SweepOutcome>;
}

/** What is printed of a run. */
export interface Shown {
  readonly quiet?: boolean;
  /** The result on stdout, and nothing else there. */
  readonly json?: boolean;
  /** A line for each step on stdout, and nothing else there. */
  readonly jsonLines?: boolean;
  /** Show the run on a page while it goes on; not without this. */
  readonly live?: LiveViewOptions;
}

/** Runs `lbbench sweep`, `max` or `ramp`; resolves with the exit code. */
export async function runKind(
  kind: RunKind,
  [url]: readonly Word[],
  flags: Flags,
  invocation: Invocation,
): Promise<number> {
  const shown = readShown(flags);
  if (flags["resume"] !== undefined) return resumeRun(String(flags["resume"]), url, flags, shown, invocation);
  const { cwd, argv, stderr } = invocation;
  const config = textOf(flags, "config");
  const file = await loadConfigFile(cwd, config);
  const folder = file === undefined ? cwd : dirname(file.path);
  const ofFlags = await flagsToInput(flags, settingsOf(kind.name), { folder, cwd });
  const sources = {
    file: file === undefined ? {} : parseSweepInput(file.content, file.path),
    flags: parseSweepInput(ofFlags, nameFlag),
    targets: [url ?? [], flags["target"] ?? []].flat().map(String),
  };
  const merged = await mergeInput(sources, folder);
  await refuseReport(flags, cwd);
  const leftOut = new Set<string>(kind.leaveOut(merged, flags));
  const input: ParsedSweepInput = Object.fromEntries(Object.entries(merged).filter(([name]) => !leftOut.has(name)));
  const out = resolve(cwd, input.out ?? defaultReportFolder(input.name ?? kind.defaultName));
  // A file that was found by itself is named: in another folder another one is found, or none.
  const found = file === undefined || config !== undefined ? undefined : relative(cwd, file.path);
  if (found !== undefined && shown.quiet !== true) stderr.write(`Config: ${toPrintable(found)}\n`);
  const command = repeatCommand([...argv, ...(found === undefined ? [] : ["--config", found])]);
  const given =
    ofFlags["connections"] ?? (file?.content as { readonly connections?: unknown } | undefined)?.connections;
  const levels = isRange(given) ? fitLevels(input, stderr) : {};
  return runAndReport(shown, invocation, (running) =>
    kind.start({ ...input, ...levels, out }, { ...running, command, folder }),
  );
}

function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return value === undefined ? undefined : String(value);
}

/** Whether nobody listed the levels one by one: they are the default ones, or those of a range. */
function isRange(given: unknown): boolean {
  return given === undefined || (typeof given === "string" && given.includes(":"));
}

/** Leaves out levels that have more connections than there are requests, where any is left, and says so. */
function fitLevels({ connections = DEFAULTS.connections, rate, requests }: ParsedSweepInput, stderr: Output) {
  const fewest = Math.min(...(requests ?? []));
  const kept = connections.filter((count) => count <= fewest);
  if (rate !== undefined || kept.length === 0 || kept.length === connections.length) return {};
  const others = connections.filter((count) => count > fewest);
  stderr.write(
    `warning: Levels of ${others.join(", ")} connections are left out: ${fewest} requests (-n) are fewer than that. Use -n ${Math.max(...others)} to measure all.\n`,
  );
  return { connections: kept };
}

/** Throws a `ConfigError` where `-o` names a folder with a report in it, which would be lost. */
export async function refuseReport(flags: Flags, cwd: string): Promise<void> {
  const out = textOf(flags, "out");
  if (out === undefined || flags["force"] === true) return;
  const isThere = await access(join(resolve(cwd, out), "result.json")).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  throw new ConfigError(
    `-o, --out: expected a folder without a report, got "${out}", which has a result.json. Name another one, or add --force to write over it.`,
  );
}

function readShown({ quiet, json, jsonLines, live, livePort }: Flags): Shown {
  if (live !== true && livePort !== undefined) {
    throw new ConfigError("--live-port: expected --live beside it, because nothing is served without. Add it");
  }
  const port = livePort === undefined ? 0 : readPort(String(livePort), "--live-port");
  return {
    quiet: quiet === true,
    json: json === true,
    jsonLines: jsonLines === true,
    ...(live === true ? { live: { port } } : {}),
  };
}

/** The formats and the style of charts that flags ask for. */
export function readRendering(flags: Flags) {
  const { format, charts } = flags;
  return {
    ...(format === undefined ? {} : { formats: splitList(String(format)) }),
    ...(charts === undefined ? {} : { charts: readWord(String(charts), CHART_STYLES, "--charts") }),
  };
}

/** What may stand beside `--resume`; everything else is as it was when the run began. */
const BESIDE_RESUME = ["resume", "format", "charts", "config", "quiet", "json", "jsonLines", "live", "livePort"];

/** Goes on with a run that was interrupted (`--resume DIR`). */
async function resumeRun(given: string, url: Word, flags: Flags, shown: Shown, io: CommandIo): Promise<number> {
  refuseBesideResume(url, flags);
  // Of the config file only its place counts: relative paths of formats begin there. The scenario knows where its own do.
  const config = textOf(flags, "config");
  const file = config === undefined ? undefined : await loadConfigFile(io.cwd, config);
  const folder = file === undefined ? { formatsFolder: io.cwd } : { folder: dirname(file.path) };
  return runAndReport(shown, io, (running) =>
    resume(resolve(io.cwd, given), { ...running, ...readRendering(flags), ...folder }),
  );
}

function refuseBesideResume(url: Word, flags: Flags): void {
  const other = settingsOf("sweep" satisfies SettingCommand)
    .concat(settingsOf("max"), settingsOf("ramp"))
    .find(({ flags: own = "" }) => {
      const value = flags[attributeOf(own)];
      return value !== undefined && value !== own.startsWith("--no-") && !BESIDE_RESUME.includes(attributeOf(own));
    });
  const first = url === undefined ? other && flagOf(other).replace(/^-\w, /, "") : String(url);
  if (first === undefined) return;
  throw new ConfigError(
    `--resume: expected beside it only --format, --charts, --config, --quiet, --json, --json-lines, --live or --live-port, got ${first}. Everything else is as it was when the run began; leave it out, or start anew without --resume.`,
  );
}

/** What a run is given by the command line around it. */
export interface Running {
  readonly signal: AbortSignal;
  readonly onEvent: SweepListener;
}

/** Shows the progress of a run, lets it be interrupted, prints what it leaves, and resolves with the exit code. */
export async function runAndReport(
  shown: Shown,
  io: CommandIo,
  run: (running: Running) => Promise<SweepOutcome>,
  openView: typeof showLive = showLive,
): Promise<number> {
  const progress = startProgress(io, shown.quiet === true);
  const interrupt = io.catchInterrupt({
    onFirst: () => progress.say("Interrupted: writing what was measured. Once more ends everything at once."),
    onSecond: progress.stop,
  });
  let view: LiveView | undefined;
  try {
    view = shown.live && (await openView(shown.live, io));
    const outcome = await run({
      signal: interrupt.signal,
      onEvent: (event) => {
        progress.onEvent(event);
        view?.onEvent(event);
        if (shown.jsonLines === true && event.type === "step-done") io.stdout.write(`${JSON.stringify(event.step)}\n`);
      },
    });
    progress.stop();
    print(outcome, shown, io);
    return interrupt.signal.aborted ? ExitCode.interrupted : ExitCode[outcome.result.verdict.status];
  } finally {
    progress.stop();
    try {
      await closeLive(view, io);
    } finally {
      interrupt.release();
    }
  }
}

/** What is the matter with a port that cannot be listened at. */
const PORT_FAULTS: ReadonlyMap<unknown, string> = new Map([
  ["EADDRINUSE", "something listens there already"],
  ["EACCES", "the system does not allow it to this user"],
]);

/** Opens a live view and prints where it is, also when nothing else is printed: its address cannot be guessed. */
async function showLive(options: LiveViewOptions, { stderr }: CommandIo): Promise<LiveView> {
  try {
    const view = await openLiveView(options);
    stderr.write(`Live: ${view.url}\n`);
    return view;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? PORT_FAULTS.get(error.code) : undefined;
    if (reason === undefined) throw error;
    throw new ConfigError(
      `--live-port: expected a port that is free, got ${options.port}: ${reason}. Name another, or leave it out`,
      { cause: error },
    );
  }
}

/** Whatever is wrong with the page says nothing of the run, whose outcome it must not change. */
async function closeLive(view: LiveView | undefined, { stderr }: CommandIo): Promise<void> {
  try {
    await view?.close();
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    const reason = toPrintable(cause instanceof Error ? `${message}: ${cause.message}` : message);
    stderr.write(`The live page did not show all of the run: ${reason}\n`);
  }
}

function print({ result, folder, files, problems }: SweepOutcome, { quiet, json, jsonLines }: Shown, io: CommandIo) {
  const { stdout, stderr } = io;
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (json === true) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (quiet === true) return;
  const output = json === true || jsonLines === true ? stderr : stdout;
  // On a terminal the steps stand right above it.
  output.write(`${output.isTTY === true ? "\n" : ""}${describeOutcome(result, files, folder, output, io.env)}`);
}

const COLOURS = { pass: "green", inconclusive: "yellow", fail: "red" } as const;
/** What is read of a report, the best first. */
const READ_FIRST = ["report.html", "report.md"] as const;

/** The summary of a result, as wide as the stream it goes to, its verdict in colour where that shows colours, and where its report is. */
export function describeOutcome(
  result: Result,
  files: readonly string[],
  folder: string | null,
  output: Output,
  env: CommandIo["env"],
): string {
  const summary = renderSummary(result, columnsOf(output), (text, status) =>
    paintText(output, env, COLOURS[status], text),
  );
  const [main] = READ_FIRST.flatMap((name) => files.find((file) => basename(file) === name) ?? []);
  return `${summary}\nReport: ${main ?? folder}\n`;
}
