import { join, resolve } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import type { Plugins } from "../config/resolve-engines.js";
import { resolveScenario } from "../config/resolve-scenario.js";
import type { ParsedSweepInput, SweepInput } from "../config/sweep-input.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { createFixedSweep } from "../plan/fixed-sweep.js";
import type { Engine, Server } from "../plugin.js";
import { jsonReporter } from "../report/json.js";
import { runSweep } from "../run/run-sweep.js";
import type { SweepListener } from "../run/sweep-event.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { openReportFolder, type ReportFolder } from "../store/report-folder.js";
import { parseSweepInput } from "./parse-sweep-input.js";
import { checkFormats, renderReport } from "./render-report.js";
import { TOOL } from "./tool.js";

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
  readonly plugins?: { readonly servers?: readonly Server[]; readonly engines?: readonly Engine[] };
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

/**
 * Sweeps levels of load over targets and judges what was measured. Prints nothing, and ends everything it starts.
 *
 * Files are written only when `input.out` names a folder: result.json after every step, the report at the end.
 *
 * Rejects, before any load is sent, with a `ConfigError` (something asked for that cannot be done), an `OutputError`
 * (the folder cannot be written to) or a `StartError` (a target could not be started or reached).
 */
export async function sweep(input: SweepInput = {}, options: SweepOptions = {}): Promise<SweepOutcome> {
  return sweepParsed(parseSweepInput(input, "sweep"), options);
}

/** Does what {@link sweep} does with input that has been checked. */
export async function sweepParsed(input: ParsedSweepInput, options: SweepOptions): Promise<SweepOutcome> {
  const plugins = withBuiltIns(options.plugins ?? {});
  const scenario = resolveScenario(input, plugins);
  const formats = input.formats ?? DEFAULTS.formats;
  checkFormats(formats);
  const baseFolder = resolve(options.folder ?? ".");
  await checkEngines(scenario, plugins.engines, baseFolder);
  const folder = input.out === undefined ? undefined : await openReportFolder(input.out);
  const saved = new Set<string>();
  const result = await runSweep(scenario, {
    tool: TOOL,
    command: options.command ?? null,
    planner: createFixedSweep(scenario),
    engines: plugins.engines,
    servers: plugins.servers,
    folder: baseFolder,
    signal: options.signal ?? new AbortController().signal,
    onEvent: options.onEvent ?? (() => {}),
    save: async (partial) => save(partial, folder, saved),
  });
  if (folder === undefined) return { result, folder: null, files: [], problems: [] };
  const { files, problems } = await renderReport(result, formats);
  const written = await folder.write(files);
  return { result, folder: folder.path, files: [...new Set([...saved, ...written])], problems };
}

/** Asks every engine whether it can do what it is asked to. */
async function checkEngines(scenario: Scenario, engines: Plugins["engines"], folder: string): Promise<void> {
  for (const { name, options } of [scenario.engine, ...scenario.targets.flatMap(({ engine }) => engine ?? [])]) {
    try {
      await engines.get(name)?.check?.({ options, request: scenario.request }, { folder });
    } catch (error) {
      throw new ConfigError(`engine ${name}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

async function save(result: Result, folder: ReportFolder | undefined, saved: Set<string>): Promise<void> {
  if (folder === undefined) return;
  for (const path of await folder.write(await jsonReporter.render(result))) saved.add(path);
}

function withBuiltIns({ servers = [], engines = [] }: NonNullable<SweepOptions["plugins"]>): Plugins {
  return {
    servers: new Map([...builtInServers, ...servers.map((server) => [server.name, server] as const)]),
    engines: new Map([...builtInEngines, ...engines.map((engine) => [engine.name, engine] as const)]),
  };
}

/** A folder for the report of a run that starts at `now`: `reports/NAME-20261121-140312-057`, to the millisecond, so that two are not mixed. */
export function defaultReportFolder(name: string = DEFAULTS.name, now: Date = new Date()): string {
  const time = now.toISOString().replaceAll(/[-:Z]/g, "").replaceAll(/[T.]/g, "-");
  const safe = name.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || DEFAULTS.name;
  return join(DEFAULTS.outFolder, `${safe}-${time}`);
}
