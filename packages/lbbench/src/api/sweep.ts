import { join, resolve } from "node:path";
import { explained } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import type { RunCommand } from "../config/field.js";
import { mergeSources, type InputSources } from "../config/merge-sources.js";
import type { Plugins } from "../config/plugins.js";
import { levelsFor, resolveScenario } from "../config/resolve.js";
import { sweepInputSchema, type ParsedSweepInput } from "../config/schema.js";
import type { NOT_IN_FAULTS, NOT_IN_HOLD, NOT_IN_POLICIES, NOT_IN_RAMP, NOT_IN_SEARCH } from "../config/settings.js";
import type { SweepInput } from "../config/sweep-input.js";
import { validate, type NamePlace } from "../config/validate.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { TOOL } from "../own-package.js";
import { createPlanner } from "../plan/planner.js";
import type { ChartStyle } from "../plugin.js";
import { renderJson } from "../report/reporters.js";
import { runSweep } from "../run/run-sweep.js";
import type { SweepListener } from "../run/sweep-event.js";
import { defined } from "../stats/defined.js";
import { openReportFolder } from "../store/report-folder.js";
import { OutputError } from "../store/write-file.js";
import { checkPlugins, knownPlugins, type GivenPlugins } from "./load-plugins.js";
import { findReporters, renderReport } from "./render-report.js";

/** How a sweep is run. */
export interface SweepOptions {
  /** Stops the sweep; what was measured so far is returned and written, with `complete: false`. */
  readonly signal?: AbortSignal;
  readonly onEvent?: SweepListener;
  /** Folder in which relative paths of the input begin; the working folder by default. */
  readonly folder?: string;
  /** The command line that repeats the sweep, for the report. */
  readonly command?: string;
  /** Used beside the built-in ones; one of the same name takes its place. */
  readonly plugins?: GivenPlugins;
}

/** What a sweep leaves. */
export interface SweepOutcome {
  readonly result: Result;
  /** Absolute path of the report's folder; `null` when nothing was to be written. */
  readonly folder: string | null;
  /** Absolute paths of what was written. */
  readonly files: readonly string[];
  /** What could not be rendered on this machine, and why. */
  readonly problems: readonly string[];
}

/** What a run of faults is asked to do: what a sweep is, at a rate and for a time. */
export type FaultsInput = Omit<SweepInput, (typeof NOT_IN_FAULTS)[number]>;

/** What a comparison of policies is asked to do: `policies` says which, and what the backends do; the targets are balancers. */
export type PoliciesInput = Omit<SweepInput, (typeof NOT_IN_POLICIES)[number]>;

/** The input of a run with held connections: that of a sweep, without its length and comparisons; `hold` says how connections are held. */
export type HoldInput = Omit<SweepInput, (typeof NOT_IN_HOLD)[number]>;

/** The input of a ramp: that of a sweep, without its levels and related settings; `ramp` says how users come. */
export type RampInput = Omit<SweepInput, (typeof NOT_IN_RAMP)[number]>;

/** The input of a search: that of a sweep, without its levels, which the search finds, and related settings. */
export type SearchInput = Omit<SweepInput, (typeof NOT_IN_SEARCH)[number]>;

/**
 * Checks what a sweep is asked to do and reads its lists, times and thresholds. Throws a `ConfigError` that names the
 * place, what was expected and what came.
 *
 * @param where what the input is, `lbbench.config.json`, or how its places are called.
 */
export function parseSweepInput(input: unknown, where: string | NamePlace): ParsedSweepInput {
  return validate(sweepInputSchema, input, where);
}

/**
 * Puts what the command line says over what the config file says, as every command of `lbbench` does. `-n` there takes the place of a
 * duration in the file, and the other way round, and so does `-r` that of connections; of the request, each part and each header is
 * overridden by itself. Targets named on the command line take the place of all that are in the file: they are names of those,
 * of built-in servers, URLs, or plugins by the path from `folder` or the package. With a `command`, what the file says for others is left out.
 *
 * Rejects with a `ConfigError` for a target that is neither in the file nor one by itself.
 *
 * @param folder where the paths in the config file begin; the working folder by default.
 */
export async function mergeInput(sources: InputSources, folder = "."): Promise<ParsedSweepInput> {
  return mergeSources(sources, knownPlugins({}, folder));
}

/**
 * Leaves levels out of a sweep that have more connections than there are requests, as `lbbench sweep` does, where any is left and they
 * are not listed one by one; `note` says which.
 *
 * @param given the connections as they are written, a range or a list.
 */
export function fitLevels(
  input: ParsedSweepInput,
  given: unknown,
): { readonly input: ParsedSweepInput; readonly note?: string } {
  const { workers, connections = levelsFor(workers?.count ?? 1), rate, requests = [] } = input;
  const isListed = given !== undefined && !(typeof given === "string" && given.includes(":"));
  const fewest = Math.min(...requests);
  const [kept, others] = [connections.filter((one) => one <= fewest), connections.filter((one) => one > fewest)];
  if (isListed || rate !== undefined || kept.length === 0 || others.length === 0) return { input };
  return {
    input: { ...input, connections: kept },
    note:
      `Levels of ${others.join(", ")} connections are left out, as there are fewer requests (-n ${fewest}). ` +
      `Use ${Math.max(...others)} to measure all.`,
  };
}

/**
 * Sweeps levels of load over targets and judges what was measured. Prints nothing, and ends everything it starts.
 *
 * Files are written only when `input.out` names a folder: result.json after every step, or less often where that takes long, and the report at the end.
 *
 * Rejects, before any load is sent, with a `ConfigError` (something asked for that cannot be done), an `OutputError`
 * (the folder cannot be written to) or a `StartError` (a target could not be started or reached). Rejects with a `StopError` after it where a
 * target could not be stopped.
 */
export async function sweep(input: SweepInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return sweepParsed(parseSweepInput(input, "sweep"), options);
}

/**
 * Does faults to parts of targets while requests are sent at a rate. A sweep can have faults as well; here everything has a default: the
 * target, the rate, the time and the faults, which are those of `DEFAULTS.faults`, done to one backend that every target has. Prints
 * nothing, and ends everything it starts.
 *
 * Writes files and rejects as `sweep` does, with a `ConfigError` also where the usual faults are asked for and a target has no backend.
 */
export async function injectFaults(input: FaultsInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return injectFaultsParsed(parseSweepInput(input, "faults"), options);
}

/**
 * Compares the policies of balancers while the backends do what a scenario says: one is slow for a time, say. Each policy of each balancer
 * becomes a target; the finding `POLICIES_COMPARED` tells how many requests each answered within a deadline, and what a test over the trials
 * makes of that. Everything has a default: that of `balanced`, in the scenario `one-slow`. Prints nothing, and ends everything it starts.
 *
 * Writes files and rejects as `sweep` does, with a `ConfigError` also for a target that balances nothing, and a policy that it cannot do.
 */
export async function comparePolicies(input: PoliciesInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return comparePoliciesParsed(parseSweepInput(input, "policies"), options);
}

/**
 * Opens connections to each target and holds them: each sends a request now and then. `measurement.hold` tells how many were there at the
 * start and at the end, and how others were lost; the usage of each process has its memory before and meanwhile. Faults can be done, as in a
 * sweep. Prints nothing, and ends everything it starts.
 *
 * Writes files and rejects as `sweep` does, with a `ConfigError` also where this machine has too few descriptors or ports.
 */
export async function hold(input: HoldInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return holdParsed(parseSweepInput(input, "hold"), options);
}

/**
 * Raises the users of each target over time, each of whom sends its next request when the last is answered: the timeline of
 * a measurement tells of every second how many there were and what became of their requests. Prints nothing, and ends
 * everything it starts.
 *
 * Writes files and rejects as `sweep` does.
 */
export async function ramp(input: RampInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return rampParsed(parseSweepInput(input, "ramp"), options);
}

/**
 * Searches, for each target, the largest number of connections (or the largest rate) that still holds the thresholds:
 * `result.search` says what was found. Without a threshold on errors no request may fail. Prints nothing, and ends everything
 * it starts.
 *
 * Writes files and rejects as `sweep` does.
 */
export async function search(input: SearchInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return searchParsed(parseSweepInput(input, "search"), options);
}

/** Does what {@link sweep} does with input that has been checked. */
export const sweepParsed = runParsed("sweep");
/** Does what {@link injectFaults} does with input that has been checked. */
export const injectFaultsParsed = runParsed("faults");
/** Does what {@link comparePolicies} does with input that has been checked. */
export const comparePoliciesParsed = runParsed("policies");
/** Does what {@link hold} does with input that has been checked. */
export const holdParsed = runParsed("hold");
/** Does what {@link ramp} does with input that has been checked. */
export const rampParsed = runParsed("ramp");
/** Does what {@link search} does with input that has been checked. */
export const searchParsed = runParsed("max");

function runParsed(command: RunCommand) {
  return async (input: ParsedSweepInput, options: SweepOptions): Promise<SweepOutcome> => {
    const { formats = DEFAULTS.formats, charts, out } = input;
    const plugins = knownPlugins(options.plugins, options.folder);
    const scenario = await resolveScenario(command, input, plugins, options.folder);
    return runScenario({ scenario, plugins, formats, charts, out }, options);
  };
}

/** What is to be run, checked. */
interface ScenarioRun {
  readonly scenario: Scenario;
  readonly plugins: Plugins;
  readonly formats: readonly string[];
  /** How texts show charts; the default when it is `undefined`. */
  readonly charts: ChartStyle | undefined;
  /** Folder of the report; `undefined` to write nothing. */
  readonly out: string | undefined;
  /** A result of the same scenario to go on from. */
  readonly earlier?: Result;
}

/** Runs the steps of a scenario that are missing, and writes its report. Rejects as {@link sweep} does. */
export async function runScenario(run: ScenarioRun, options: SweepOptions): Promise<SweepOutcome> {
  const { scenario, plugins, formats, charts, out, earlier } = run;
  const { signal = new AbortController().signal, onEvent = () => {}, command = null } = options;
  const { engines, servers } = plugins;
  const reporters = await findReporters(formats, plugins.reporters);
  const baseFolder = resolve(options.folder ?? ".");
  await checkPlugins(scenario, plugins, baseFolder);
  const folder = out === undefined ? undefined : await openReportFolder(out);
  // A run that may be gone on with says where its paths begin.
  const rememberFolder = (result: Result): Result => {
    const isDone = result.complete && result.steps.every(({ state }) => state === "completed");
    return isDone ? result : { ...result, folder: baseFolder };
  };
  let saved: readonly string[] = [];
  const result = rememberFolder(
    await runSweep(scenario, {
      tool: TOOL,
      command,
      planner: createPlanner(scenario, earlier && [...(earlier.resumedAt ?? []), new Date().toISOString()]),
      engines,
      servers,
      folder: baseFolder,
      signal,
      onEvent,
      save: async (partial) => {
        saved = (await folder?.write(renderJson(rememberFolder(partial)))) ?? [];
      },
      ...defined({ earlier }),
    }),
  );
  if (folder === undefined) return { result, folder: null, files: [], problems: [] };
  const { files, problems } = await renderReport(result, formats, { ...defined({ charts }), reporters });
  const { path } = folder;
  const written = await explained(folder.write(files), OutputError, (why) =>
    saved.length === 0 ? why : `${why} The result is kept: lbbench report ${path} --out DIR makes its report there.`,
  );
  return { result, folder: path, files: [...new Set([...saved, ...written])], problems };
}

/** A folder for the report of a run that starts at `now`: `reports/NAME-20261121-140312-057`, to the millisecond, so that two are not mixed. */
export function defaultReportFolder(name: string = DEFAULTS.name, now: Date = new Date()): string {
  const time = now.toISOString().replaceAll(/[-:Z]/g, "").replaceAll(/[T.]/g, "-");
  const safe = name.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || DEFAULTS.name;
  return join(DEFAULTS.outFolder, `${safe}-${time}`);
}
