import type { Charts, ReportSource } from "./compose-summary.js";
import { cutLines } from "./cut-lines.js";
import { quietReferences } from "./quiet-references.js";
import { splitReport, type ReportSection } from "./split-report.js";

/** What GitHub takes as a comment is 65,536 characters; some are left for the mark. */
export const COMMENT_CHARACTERS = 65_000;

/** What is read first; the rest of a report can be opened. */
const IN_SIGHT = /^(?:Verdict|Comparison)\b/;

/** What a comment says beside the report. */
export interface CommentFrame {
  /** Its first line, by which it is found again. */
  readonly mark: string;
  /** Page of the run. */
  readonly runUrl: string;
  /** What was measured, a sentence. */
  readonly measured: string | undefined;
}

/**
 * Returns the text of a comment on a pull request: verdict and comparison, and the rest to be opened as far as there is room: with charts,
 * else without, else not at all; then lines are left out from the end. It ends with a link to the run.
 */
export async function composeComment(
  source: ReportSource,
  frame: CommentFrame,
  most: number = COMMENT_CHARACTERS,
): Promise<string> {
  const styles: readonly Charts[] = source.charts === "mermaid" ? ["mermaid", "none"] : ["none"];
  for (const charts of styles) {
    const whole = frameComment(fold(await source.render(charts), source.comparison), frame);
    if (whole.length <= most) return whole;
  }
  const { head, sections } = splitReport(await source.render("none"));
  const inSight = [source.comparison?.trim() ?? "", head, ...pick(sections, true)].filter((text) => text !== "");
  const shorten = (text: string): string =>
    frameComment(`${source.headline}\n\n${text}`.trim(), frame, "A comment has no room for the rest. ");
  return shorten(cutLines(inSight.join("\n\n"), (text) => shorten(text).length <= most));
}

/** Returns a comment with this text alone, of which nothing calls anybody, between its mark and a link to the run. */
export function frameComment(text: string, { mark, runUrl, measured }: CommentFrame, hint: string = ""): string {
  const before = measured === undefined ? "" : `${measured} `;
  return `${mark}\n${quietReferences(text)}\n\n<sub>${before}${hint}[The run and its summary](${runUrl})</sub>\n`;
}

function fold(markdown: string, comparison: string | undefined): string {
  const { head, sections } = splitReport(markdown);
  const first = [comparison?.trim() ?? "", head, ...pick(sections, true)].filter((text) => text !== "");
  const rest = pick(sections, false);
  const folded = ["<details>", "<summary>The whole report</summary>", ...rest, "</details>"];
  return [...first, ...(rest.length === 0 ? [] : folded)].join("\n\n");
}

function pick(sections: readonly ReportSection[], isInSight: boolean): readonly string[] {
  return sections.filter(({ title }) => IN_SIGHT.test(title) === isInSight).map(({ text }) => text);
}
