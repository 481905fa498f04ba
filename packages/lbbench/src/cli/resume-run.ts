import { dirname, resolve } from "node:path";
import { ConfigError, loadConfigFile, resume } from "../index.js";
import type { CommandIo } from "./io.js";
import { readOutputFlags } from "./output-flags.js";
import { parseCharts } from "./parse-charts.js";
import { parseFormats } from "./parse-formats.js";
import { runAndReport } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";

/** What may stand beside `--resume`; everything else is as it was when the run began. */
const ALLOWED = new Set(["resume", "format", "charts", "config", "quiet", "json", "live", "livePort"]);

/** Goes on with a run that was interrupted (`--resume DIR`); resolves with its exit code. */
export async function resumeRun(
  given: string,
  url: string | undefined,
  flags: SweepFlags,
  io: CommandIo,
): Promise<number> {
  refuseOthers(url, flags);
  // Of the config file only its place counts: relative paths of formats begin there. The scenario knows where its own do.
  const file = flags.config === undefined ? undefined : await loadConfigFile(io.cwd, flags.config);
  const folder = file === undefined ? { formatsFolder: io.cwd } : { folder: dirname(file.path) };
  const rendering = {
    ...(flags.format === undefined ? {} : { formats: parseFormats(flags.format) }),
    ...(flags.charts === undefined ? {} : { charts: parseCharts(flags.charts) }),
  };
  return runAndReport(readOutputFlags(flags), io, (running) =>
    resume(resolve(io.cwd, given), { ...running, ...rendering, ...folder }),
  );
}

function refuseOthers(url: string | undefined, flags: SweepFlags): void {
  const others = Object.entries(flags)
    .filter(([name, value]) => value !== undefined && !ALLOWED.has(name) && !(name === "keepalive" && value === true))
    .map(([name]) => (name === "keepalive" ? "--no-keepalive" : `--${toKebabCase(name)}`));
  const [first] = url === undefined ? others : [url];
  if (first === undefined) return;
  throw new ConfigError(
    `--resume: expected beside it only --format, --charts, --config, --quiet, --json, --live or --live-port, got ${first}. Everything else is as it was when the run began; leave it out, or start anew without --resume.`,
  );
}

function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
