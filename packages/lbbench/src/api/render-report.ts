import type { Result } from "../model/result.js";
import { ConfigError } from "../config/config-error.js";
import { listWords, suggest } from "../config/suggest.js";
import type { ReportFile } from "../plugin.js";
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
        `formats: expected ${listWords(REPORTERS.keys())}, got "${format}".${suggest(format, REPORTERS.keys())}`,
      );
    }
  }
}

/**
 * Renders a result in the formats named; throws a {@link ConfigError} for a format that is not known. Pictures need
 * optional packages; where these are missing the rest is rendered, and `problems` says what to install.
 */
export async function renderReport(result: Result, formats: readonly string[]): Promise<RenderedReport> {
  checkFormats(formats);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  for (const format of formats) {
    try {
      files.push(...((await REPORTERS.get(format)?.render(result)) ?? []));
    } catch (error) {
      if (!(error instanceof PngUnavailableError)) throw error;
      problems.push(error.message);
    }
  }
  return { files, problems };
}
