import { describeFailure } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import type { PluginMap } from "../config/plugins.js";
import type { Result } from "../model/result.js";
import type { ChartStyle, Reporter, ReportFile } from "../plugin.js";
import { PngUnavailableError } from "../report/charts/load-canvas.js";
import { REPORTERS } from "../report/reporters.js";
import { isPlainName } from "../store/report-folder.js";
import { RESULT_FILE } from "../store/read-result.js";
import { knownPlugins } from "./load-plugins.js";
import { isRecord } from "../stats/plain-data.js";

/** The files of a report, and why some are missing. */
export interface RenderedReport {
  readonly files: readonly ReportFile[];
  /** A sentence for each format that could not be rendered on this machine. */
  readonly problems: readonly string[];
}

/** What else can be said of a report that is rendered. */
export interface RenderReportOptions {
  /** How texts show charts; `png` without this, and where there are no pictures `none` in its place. */
  readonly charts?: ChartStyle;
  /** Names of files that are in the folder already; pictures among these are linked to as well. */
  readonly present?: readonly string[];
  /** Reporters of your own, used beside the built-in ones; one of the same format takes its place. */
  readonly reporters?: readonly Reporter[];
  /** Folder in which the paths of reporters begin; the working folder by default. */
  readonly folder?: string;
}

/** The reporters of formats, each once. Rejects with a `ConfigError` when a format is not known. */
export async function findReporters(
  formats: readonly string[],
  known: PluginMap<Reporter>,
): Promise<readonly Reporter[]> {
  const found = [...new Set(formats)].map(async (format) => known.find(format, "formats (-f, --format)"));
  return Promise.all(found);
}

/**
 * Renders a result in the formats named: built-in ones, those of `reporters`, and plugins by their path or their package;
 * rejects with a `ConfigError` for a format that is not known. Pictures need optional packages; where these are
 * missing the rest is rendered, and `problems` says what to install, as it says what went wrong in a plugin. A file of a plugin
 * whose name is no plain one, or that of a file of another reporter, is left out and told of there as well.
 */
export async function renderReport(
  result: Result,
  formats: readonly string[],
  { charts = DEFAULTS.charts, present = [], reporters = [], folder = "." }: RenderReportOptions = {},
): Promise<RenderedReport> {
  const chosen = await findReporters(formats, knownPlugins({ reporters }, folder).reporters);
  const { createReportModel } = await import("../report/report-model.js");
  const model = createReportModel(result);
  const render = async (reporter: Reporter, style: ChartStyle): Promise<Rendered> => {
    const { format } = reporter;
    const builtIn = REPORTERS.get(format);
    const isBuiltIn = builtIn === reporter;
    const options = { charts: style };
    try {
      const files = await (isBuiltIn ? builtIn.render(model, options) : reporter.render(model.stored, options));
      return { format, isBuiltIn, files: checkFiles(files), problems: [] };
    } catch (error) {
      const isMissing = error instanceof PngUnavailableError;
      if (isBuiltIn && !isMissing) throw error;
      const why = describeFailure(error).replace(/\.$/, "");
      const problem = `The format "${format}" could not be rendered: ${why}. Mend the reporter; lbbench report then renders the result again.`;
      return { format, isBuiltIn, files: [], problems: [isMissing ? error.message : problem] };
    }
  };
  // All at once: pictures are compressed beside this thread, which renders texts meanwhile.
  const renderings = chosen.filter((one) => !isMarkdown(one)).map((one) => render(one, charts));
  await Promise.allSettled(renderings);
  const rendered = await Promise.all(renderings);
  // Markdown comes last: it has to know which pictures there are.
  for (const reporter of chosen.filter(isMarkdown)) {
    const names = [...present, ...rendered.flatMap(({ files }) => files.map(({ name }) => name))];
    // Pictures are linked to only where all of them are there.
    const isWithout = charts === "png" && model.charts.some(({ id }) => !names.includes(`${id}.png`));
    rendered.push(await render(reporter, isWithout ? "none" : charts));
  }
  const kept = keepWritable(rendered);
  return { files: kept.files, problems: [...rendered.flatMap(({ problems }) => problems), ...kept.problems] };
}

/** Whether it comes with lbbench; another reporter does not know of the pictures. */
function isMarkdown(reporter: Reporter): boolean {
  return reporter === REPORTERS.get("md");
}

/** Nothing else checks what a plugin returns before it is written. */
function checkFiles(files: readonly ReportFile[]): readonly ReportFile[] {
  const isList: boolean = Array.isArray(files);
  const isFile = ({ name, content }: ReportFile): boolean =>
    typeof name === "string" && (typeof content === "string" || content instanceof Uint8Array);
  if (isList && files.every((file) => isRecord(file) && isFile(file))) return files;
  throw new Error("expected a list of files, each { name, content } with a text or bytes");
}

/** What one reporter has rendered, and why if it has not. */
interface Rendered extends RenderedReport {
  readonly format: string;
  readonly isBuiltIn: boolean;
}

/**
 * Leaves out what would be written elsewhere than to the folder of the report, or over a file of another reporter. Built-in
 * reporters come before plugins, which never write the result itself. Names that differ in case alone are one file to many systems.
 */
function keepWritable(rendered: readonly Rendered[]): RenderedReport {
  const owners = new Map<string, string>([[RESULT_FILE, "the result itself"]]);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  for (const { format, isBuiltIn, files: own } of rendered.toSorted((a, b) => +b.isBuiltIn - +a.isBuiltIn)) {
    for (const file of own) {
      const owner = owners.get(file.name.toLowerCase());
      const fault = isPlainName(file.name)
        ? owner && `${owner} has that name. Have the reporter choose another one.`
        : "expected the plain name of a file in the folder of the report. Have the reporter return one without a path, chart.txt.";
      if (isBuiltIn || fault === undefined) {
        files.push(file);
        owners.set(file.name.toLowerCase(), owner ?? `a file of the format "${format}"`);
      } else {
        problems.push(`The format "${format}": ${JSON.stringify(file.name)} was not written: ${fault}`);
      }
    }
  }
  return { files, problems };
}
