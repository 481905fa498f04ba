import { dirname, resolve } from "node:path";
import { DEFAULTS, openReportFolder, readResult, renderReport } from "../index.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";
import { parseCharts } from "./parse-charts.js";
import { parseFormats } from "./parse-formats.js";

/** The flags of `lbbench report`. */
export interface ReportFlags {
  readonly out?: string;
  readonly format?: string;
  readonly charts?: string;
  readonly quiet?: boolean;
}

/** Runs `lbbench report`; resolves with its exit code. */
export async function runReportCommand(
  given: string,
  flags: ReportFlags,
  { stdout, stderr, cwd }: CommandIo,
): Promise<number> {
  const { path, result } = await readResult(resolve(cwd, given));
  const formats = flags.format === undefined ? DEFAULTS.formats : parseFormats(flags.format);
  const folder = await openReportFolder(flags.out === undefined ? dirname(path) : resolve(cwd, flags.out));
  const charts = flags.charts === undefined ? {} : { charts: parseCharts(flags.charts) };
  const { files, problems } = await renderReport(result, formats, {
    ...charts,
    present: await folder.list(),
    folder: cwd,
  });
  const written = await folder.write(files);
  for (const problem of problems) stderr.write(`${problem}\n`);
  if (flags.quiet !== true) stdout.write(written.map((file) => `${file}\n`).join(""));
  return ExitCode.pass;
}
