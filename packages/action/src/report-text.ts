import { stripVTControlCharacters } from "node:util";
import { describeFinding, type Result } from "lbbench";

/** What GitHub keeps of the summary of a step, with some room left: 1 MiB. */
const SUMMARY_BYTES = 1024 * 1024 - 4096;
/** What GitHub takes as a comment is 65,536 characters; some are left for the mark. */
const COMMENT_CHARACTERS = 65_000;
const LONGEST_MESSAGE = 8000;

/** How charts are shown. */
export type Charts = "mermaid" | "none";

/** What a summary or a comment is made of. */
export interface ReportSource {
  /** The verdict in a line, for where the report has no room. */
  readonly headline: string;
  /** With the baseline, as Markdown. */
  readonly comparison: string | undefined;
  readonly render: (charts: Charts) => Promise<string>;
  /** How it is to show charts where there is room for them. */
  readonly charts: Charts;
}

/** What a comment says beside the report. */
export interface CommentFrame {
  /** Its first line, by which it is found again. */
  readonly mark: string;
  readonly runUrl: string;
  /** What was measured, a sentence. */
  readonly measured: string | undefined;
}

/**
 * Returns the report for the summary of a job. Where it is too long it comes without charts, and if that is not enough
 * only the verdict and, where it has room, the comparison come. It says what is missing.
 */
export async function composeSummary(source: ReportSource, mostBytes: number = SUMMARY_BYTES): Promise<string> {
  const { headline, comparison, charts, render } = source;
  const fits = (text: string): boolean => Buffer.byteLength(text) <= mostBytes;
  const full = `${join(comparison, await render(charts))}\n`;
  if (fits(full)) return full;
  const uncharted = `${join(comparison, await render("none"), missing("the charts"))}\n`;
  if (fits(uncharted)) return uncharted;
  const compared = `${join(headline, comparison, missing("the rest"))}\n`;
  return fits(compared) ? compared : `${join(headline, missing("the rest"))}\n`;
}

function missing(what: string): string {
  return `The summary of a job has no room for ${what}. All of it is in the folder of the report.`;
}

const COMPARED = Object.freeze({
  pass: [],
  fail: ["It is worse than the baseline beyond the margin."],
  inconclusive: ["The trials do not tell whether it is worse than the baseline."],
});

type Verdict = Result["verdict"]["status"];

/** Says the verdict and what led to it, a line each; where that is no finding, where it is told. */
export function describeOutcome(verdict: Verdict, { findings }: Result["verdict"], compared: Verdict = "pass"): string {
  const found = findings
    .filter(({ code, severity }) => severity === "error" || code.endsWith("_INCONCLUSIVE"))
    .map((finding) => describeFinding(finding).text);
  const reasons = [...COMPARED[compared], ...found];
  return [`Verdict: ${verdict}.`, ...(reasons.length > 0 ? reasons : ["The summary of the job says why."])].join("\n");
}

/** Returns what a summary and a comment say where nothing was measured: why, as code, because a message may quote anything. */
export function composeFailure(message: string): string {
  const text = stripVTControlCharacters(message).trim();
  const shown = text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}\n...` : text;
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `### lbbench: no verdict\n\nThe run could not be made.\n\n${fence}text\n${shown}\n${fence}\n`;
}

/**
 * Returns the text of a comment on a pull request: verdict and comparison, and the rest to be opened as far as there is room: with charts,
 * else without, else not at all. Where even that is too long, the comparison is left out. It ends with a link to the run.
 */
export async function composeComment(
  source: ReportSource,
  frame: CommentFrame,
  most: number = COMMENT_CHARACTERS,
): Promise<string> {
  const fits = (text: string): boolean => text.length <= most;
  const shorter = [source.comparison, undefined].map((comparison) => join(source.headline, comparison));
  for (const charts of new Set([source.charts, "none"] as const)) {
    const { inSight, rest } = partReport(await source.render(charts));
    const before = join(source.comparison, inSight);
    if (charts === "none") shorter.unshift(before);
    const folded = `<details>\n\n<summary>The whole report</summary>\n\n${rest}\n\n</details>`;
    const whole = frameComment(rest === "" ? before : join(before, folded), frame);
    if (fits(whole)) return whole;
  }
  const cut = shorter.map((text) => frameComment(text, frame, "A comment has no room for the rest. "));
  return cut.find(fits) ?? cut.at(-1) ?? "";
}

/** Returns a comment with this text alone, without mentions, between its mark and a link to the run. */
export function frameComment(text: string, { mark, runUrl, measured }: CommentFrame, hint: string = ""): string {
  const before = measured === undefined ? "" : `${measured} `;
  return `${mark}\n${quietReferences(text)}\n\n<sub>${before}${hint}[The run and its summary](${runUrl})</sub>\n`;
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? "")
    .filter((part) => part !== "")
    .join("\n\n");
}

/** A block of code, whose first group is what begins it. */
const BLOCK = /^ {0,3}(`{3,})(?!`).*\n[^]*?^ {0,3}\1`*[ \t]*$/gm;

/** A block, or what GitHub takes for another issue: `#12`, `owner/name#12`, `GH-12`; not `&#39;`, which is a character. */
const BLOCK_OR_NUMBER = new RegExp(String.raw`${BLOCK.source}|(?<!&)#(?=\d)|\bGH\\?-(?=\d)`, "gim");

/** Parts a sign from what follows it, and is not seen. */
const PARTED = "\u200B";

/**
 * Returns Markdown in which no name is a mention and no number leads to another issue, with any quotation. In blocks of code numbers
 * are no references, and colours of charts look like some.
 */
export function quietReferences(markdown: string): string {
  return markdown
    .replaceAll(/@(?=[\w-])/g, `@${PARTED}`)
    .replaceAll(BLOCK_OR_NUMBER, (found: string, block?: string) => (block === undefined ? found + PARTED : found));
}

/** Markdown of the same length in which blank stands for blocks of code, so that what is found in it is none. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(BLOCK, (block) => " ".repeat(block.length));
}

/** Cuts a report before its headings of the second level: what is read first, and the rest, which can be opened. */
function partReport(markdown: string): { readonly inSight: string; readonly rest: string } {
  const starts = [...withoutCode(markdown).matchAll(/^## /gm)].map(({ index }) => index);
  const sections = starts.map((start, at) => markdown.slice(start, starts[at + 1]));
  const isInSight = (section: string): boolean => /^## (?:Verdict|Comparison)\b/.test(section);
  return {
    inSight: join(...sections.filter(isInSight)),
    rest: join(markdown.slice(0, starts[0]), ...sections.filter((section) => !isInSight(section))),
  };
}
