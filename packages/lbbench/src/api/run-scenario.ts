import { resolve } from "node:path";
import { explained } from "../config/config-error.js";
import type { Result } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";
import { createPlanner } from "../plan/planner.js";
import type { ChartStyle } from "../plugin.js";
import { renderJson } from "../report/reporters.js";
import { runSweep } from "../run/run-sweep.js";
import type { SweepListener } from "../run/sweep-event.js";
import { openReportFolder, type ReportFolder } from "../store/report-folder.js";
import { OutputError } from "../store/write-file.js";
import { checkPlugins, type GivenPlugins, type LoadedPlugins } from "./load-plugins.js";
import { findReporters, renderReport } from "./render-report.js";
import { TOOL } from "../own-package.js";
import { defined } from "../stats/defined.js";

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

/** What is to be run, checked. */
export interface ScenarioRun {
  readonly scenario: Scenario;
  readonly plugins: LoadedPlugins;
  readonly formats: readonly string[];
  /** How texts show charts; the default when it is `undefined`. */
  readonly charts: ChartStyle | undefined;
  /** Folder of the report; `undefined` to write nothing. */
  readonly out: string | undefined;
  /** A result of the same scenario to go on from. */
  readonly earlier?: Result;
}

/** Runs the steps of a scenario that are missing, and writes its report. Rejects as `sweep` does. */
export async function runScenario(run: ScenarioRun, options: SweepOptions): Promise<SweepOutcome> {
  const { scenario, plugins, formats, charts, out, earlier } = run;
  const reporters = await findReporters(formats, plugins.reporters);
  const baseFolder = resolve(options.folder ?? ".");
  await checkPlugins(scenario, plugins, baseFolder);
  const folder = out === undefined ? undefined : await openReportFolder(out);
  const saved = new Set<string>();
  const result = await runSweep(scenario, {
    tool: TOOL,
    command: options.command ?? null,
    planner: createPlanner(scenario, earlier && [...(earlier.resumedAt ?? []), new Date().toISOString()]),
    engines: plugins.engines,
    servers: plugins.servers,
    folder: baseFolder,
    signal: options.signal ?? new AbortController().signal,
    onEvent: options.onEvent ?? (() => {}),
    save: async (partial) => save(rememberFolder(partial, baseFolder), folder, saved),
    ...defined({ earlier }),
  }).then((whole) => rememberFolder(whole, baseFolder));
  if (folder === undefined) return { result, folder: null, files: [], problems: [] };
  const { files, problems } = await renderReport(result, formats, {
    ...defined({ charts }),
    reporters,
  });
  const { path } = folder;
  const written = await explained(folder.write(files), OutputError, (why) =>
    saved.size === 0 ? why : `${why} The result is kept: lbbench report ${path} --out DIR makes its report there.`,
  );
  return { result, folder: folder.path, files: [...new Set([...saved, ...written])], problems };
}

/** Says where the paths of a run begin that may be gone on with. */
function rememberFolder(result: Result, folder: string): Result {
  const isDone = result.complete && result.steps.every(({ state }) => state === "completed");
  return isDone ? result : { ...result, folder };
}

async function save(result: Result, folder: ReportFolder | undefined, saved: Set<string>): Promise<void> {
  if (folder === undefined) return;
  for (const path of await folder.write(renderJson(result))) saved.add(path);
}
