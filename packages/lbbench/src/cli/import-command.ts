import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import {
  ConfigError,
  defaultReportFolder,
  DEFAULTS,
  importOutput,
  openReportFolder,
  renderReport,
  type ImportSource,
} from "../index.js";
import { defined } from "./defined.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";
import { mainReport } from "./main-report.js";
import { paintSummary } from "./paint-summary.js";
import { parseCharts } from "./parse-charts.js";
import { parseFormats } from "./parse-formats.js";
import { toPrintable } from "./printable.js";
import { toNumber } from "./to-number.js";

/** The flags of `lbbench import`. */
export interface ImportFlags {
  readonly out?: string;
  readonly format?: string;
  readonly charts?: string;
  readonly name?: string;
  readonly target?: string;
  readonly connections?: string;
  readonly duration?: string;
  readonly threshold?: readonly string[];
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Runs `lbbench import`; resolves with its exit code, that of the verdict. */
export async function runImportCommand(
  files: readonly string[],
  flags: ImportFlags,
  { openStdin, stdout, stderr, cwd, env }: CommandIo,
): Promise<number> {
  const { name = DEFAULTS.import.name, target, duration, threshold, connections } = flags;
  const formats = flags.format === undefined ? DEFAULTS.formats : parseFormats(flags.format);
  const charts = flags.charts === undefined ? {} : { charts: parseCharts(flags.charts) };
  const { result, notes } = await importOutput(await Promise.all(files.map((file) => openInput(file, openStdin))), {
    name,
    folder: cwd,
    ...defined({ target, duration, thresholds: threshold }),
    ...(connections === undefined ? {} : { connections: readConnections(connections) }),
  });
  const { files: rendered, problems } = await renderReport(result, [...new Set(["json", ...formats])], {
    ...charts,
    folder: cwd,
  });
  const folder = await openReportFolder(resolve(cwd, flags.out ?? defaultReportFolder(name)));
  const written = await folder.write(rendered);
  for (const line of [...notes, ...problems]) stderr.write(`${toPrintable(line)}\n`);
  if (flags.json === true) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (flags.quiet !== true) {
    const output = flags.json === true ? stderr : stdout;
    output.write(`${paintSummary(result, output, env)}\nReport: ${mainReport(written, folder.path)}\n`);
  }
  return ExitCode[result.verdict.status];
}

async function openInput(file: string, openStdin: CommandIo["openStdin"]): Promise<ImportSource> {
  return file === "-" ? { name: "-", content: await buffer(openStdin()) } : file;
}

function readConnections(text: string): number {
  const connections = toNumber(text);
  if (typeof connections === "number") return connections;
  throw new ConfigError(`-c, --connections: expected a whole number from 1 on, got "${text}"`);
}
