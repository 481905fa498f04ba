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
export async function runImportCommand(files: readonly string[], flags: ImportFlags): Promise<number> {
  const { name = DEFAULTS.import.name, target, duration, threshold, connections } = flags;
  const formats = flags.format === undefined ? DEFAULTS.formats : parseFormats(flags.format);
  const charts = flags.charts === undefined ? {} : { charts: parseCharts(flags.charts) };
  const { result, notes } = await importOutput(await Promise.all(files.map(openInput)), {
    name,
    ...defined({ target, duration, thresholds: threshold }),
    ...(connections === undefined ? {} : { connections: readConnections(connections) }),
  });
  const { files: rendered, problems } = await renderReport(result, [...new Set(["json", ...formats])], charts);
  const folder = await openReportFolder(flags.out ?? defaultReportFolder(name));
  const written = await folder.write(rendered);
  for (const line of [...notes, ...problems]) process.stderr.write(`${toPrintable(line)}\n`);
  if (flags.json === true) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  if (flags.quiet !== true) {
    const output = flags.json === true ? process.stderr : process.stdout;
    output.write(`${paintSummary(result, output)}\nReport: ${mainReport(written, folder.path)}\n`);
  }
  return ExitCode[result.verdict.status];
}

async function openInput(file: string): Promise<ImportSource> {
  return file === "-" ? { name: "-", content: await buffer(process.stdin) } : file;
}

function readConnections(text: string): number {
  const connections = toNumber(text);
  if (typeof connections === "number") return connections;
  throw new ConfigError(`-c, --connections: expected a whole number from 1 on, got "${text}"`);
}
