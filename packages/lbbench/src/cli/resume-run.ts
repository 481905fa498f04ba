import { dirname } from "node:path";
import { ConfigError, loadConfigFile, resume } from "../index.js";
import { parseFormats } from "./parse-formats.js";
import { runAndReport } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";

/** What may stand beside `--resume`; everything else is as it was when the run began. */
const ALLOWED = new Set(["resume", "format", "config", "quiet", "json"]);

/** Goes on with a run that was interrupted (`--resume DIR`); resolves with its exit code. */
export async function resumeRun(given: string, url: string | undefined, flags: SweepFlags): Promise<number> {
  refuseOthers(url, flags);
  const file = await loadConfigFile(process.cwd(), flags.config);
  // Of the config file only its place counts: relative paths in the scenario begin there.
  const folder = file === undefined ? process.cwd() : dirname(file.path);
  const formats = flags.format === undefined ? {} : { formats: parseFormats(flags.format) };
  return runAndReport({ quiet: flags.quiet === true, json: flags.json === true }, (running) =>
    resume(given, { ...running, ...formats, folder }),
  );
}

function refuseOthers(url: string | undefined, flags: SweepFlags): void {
  const others = Object.entries(flags)
    .filter(([name, value]) => value !== undefined && !ALLOWED.has(name) && !(name === "keepalive" && value === true))
    .map(([name]) => (name === "keepalive" ? "--no-keepalive" : `--${toKebabCase(name)}`));
  const [first] = url === undefined ? others : [url];
  if (first === undefined) return;
  throw new ConfigError(
    `--resume: expected beside it only --format, --config, --quiet or --json, got ${first}. Everything else is as it was when the run began; leave it out, or start anew without --resume.`,
  );
}

function toKebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
