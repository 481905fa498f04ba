import { cutLines } from "./cut-lines.js";
import { splitReport } from "./split-report.js";

/** What GitHub keeps of the summary of a step, with some room left: 1 MiB. */
export const SUMMARY_BYTES = 1024 * 1024 - 4096;

/** How a report shows its charts. */
export type Charts = "mermaid" | "none";

/** What a summary or a comment is made of. */
export interface ReportSource {
  /** The verdict in a line, for where the report has no room. */
  readonly headline: string;
  /** The comparison with the baseline as Markdown, where there is one. */
  readonly comparison: string | undefined;
  /** Renders the report as Markdown. */
  readonly render: (charts: Charts) => Promise<string>;
  /** How it is to show charts where there is room for them. */
  readonly charts: Charts;
}

/**
 * Returns the report for the summary of a job. Where it is too long it comes without charts, and if that is not enough
 * with the verdict and the comparison first and without its last lines, and says so.
 *
 * @param mostBytes that may be used.
 */
export async function composeSummary(source: ReportSource, mostBytes: number = SUMMARY_BYTES): Promise<string> {
  const fits = (text: string): boolean => Buffer.byteLength(text) <= mostBytes;
  const full = join(source.comparison, await source.render(source.charts));
  if (fits(full)) return full;
  const plain = await source.render("none");
  const uncharted = join(source.comparison, plain, missing("the charts"));
  if (fits(uncharted)) return uncharted;
  const { sections } = splitReport(plain);
  const shorten = (text: string): string => {
    const left = sections.filter((section) => !text.includes(section.text)).map(({ title }) => title);
    return join(source.headline, text, missing(["the charts and:", left.join(", ")].join(" ")));
  };
  const short = shorten(cutLines(join(source.comparison, plain), (text) => fits(shorten(text))));
  if (fits(short)) return short;
  const least = join(source.headline, missing("this report"));
  return fits(least) ? least : "All of it is in the folder of the report.\n";
}

function missing(what: string): string {
  return `The summary of a job has no room for ${what}. All of it is in the folder of the report.`;
}

function join(...parts: readonly (string | undefined)[]): string {
  return `${parts
    .map((part) => part?.trim() ?? "")
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}
