import { ConfigError } from "../config/config-error.js";
import { listWords, suggest } from "../config/suggest.js";
import type { Result } from "../model/result.js";
import type { Reporter, ReportFile } from "../plugin.js";
import { chartDefinitions } from "../report/charts/chart-definitions.js";
import { markdownReporter, plainMarkdownReporter } from "../report/markdown.js";
import { PngUnavailableError } from "../report/png-unavailable-error.js";
import { REPORTERS } from "../report/reporters.js";

/** The files of a report, and why some are missing. */
export interface RenderedReport {
  readonly files: readonly ReportFile[];
  /** A sentence for each format that could not be rendered on this machine. */
  readonly problems: readonly string[];
}

/** Throws a {@link ConfigError} when a format is not known. */
export function checkFormats(formats: readonly string[]): void {
  for (const format of formats) {
    if (!REPORTERS.has(format)) {
      throw new ConfigError(
        `formats (-f, --format): expected ${listWords(REPORTERS.keys())}, got "${format}".${suggest(format, REPORTERS.keys())}`,
      );
    }
  }
}

/**
 * Renders a result in the formats named; throws a {@link ConfigError} for a format that is not known. Pictures need
 * optional packages; where these are missing the rest is rendered, and `problems` says what to install.
 *
 * @param present names of files that are in the folder already. Markdown shows charts only where their pictures are
 *   among these or among those just drawn.
 */
export async function renderReport(
  result: Result,
  formats: readonly string[],
  present: readonly string[] = [],
): Promise<RenderedReport> {
  checkFormats(formats);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  for (const reporter of reportersOf(formats)) {
    try {
      const names = [...present, ...files.map(({ name }) => name)];
      files.push(...(await fitting(reporter, result, names).render(result)));
    } catch (error) {
      if (!(error instanceof PngUnavailableError)) throw error;
      problems.push(error.message);
    }
  }
  return { files, problems };
}

/** Markdown comes last: it has to know which pictures there are. */
function reportersOf(formats: readonly string[]): readonly Reporter[] {
  const chosen = [...REPORTERS.values()].filter(({ format }) => formats.includes(format));
  return [...chosen.filter((one) => one !== markdownReporter), ...chosen.filter((one) => one === markdownReporter)];
}

function fitting(reporter: Reporter, result: Result, names: readonly string[]): Reporter {
  if (reporter !== markdownReporter) return reporter;
  return chartDefinitions(result).every(({ id }) => names.includes(`${id}.png`)) ? reporter : plainMarkdownReporter;
}
