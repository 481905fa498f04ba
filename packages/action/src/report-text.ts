import { stripVTControlCharacters } from "node:util";

/** What GitHub keeps of the summary of a step, with some room left: 1 MiB. */
export const SUMMARY_BYTES = 1024 * 1024 - 4096;

/** What GitHub takes as a comment is 65,536 characters; some are left for the mark. */
export const COMMENT_CHARACTERS = 65_000;

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
 * Returns the report for the summary of a job. Where it is too long it comes without charts, and if that is not enough
 * with the verdict and the comparison first and without its last lines, and says so.
 *
 * @param mostBytes that may be used.
 */
export async function composeSummary(source: ReportSource, mostBytes: number = SUMMARY_BYTES): Promise<string> {
  const fits = (text: string): boolean => Buffer.byteLength(text) <= mostBytes;
  const summary = (...parts: readonly (string | undefined)[]): string => `${join(...parts)}\n`;
  const full = summary(source.comparison, await source.render(source.charts));
  if (fits(full)) return full;
  const plain = await source.render("none");
  const uncharted = summary(source.comparison, plain, missing("the charts"));
  if (fits(uncharted)) return uncharted;
  const { sections } = splitReport(plain);
  const shorten = (text: string): string => {
    const left = sections.filter((section) => !text.includes(section.text)).map(({ title }) => title);
    return summary(source.headline, text, missing(["the charts and:", left.join(", ")].join(" ")));
  };
  const short = shorten(cutLines(summary(source.comparison, plain), (text) => fits(shorten(text))));
  if (fits(short)) return short;
  const least = summary(source.headline, missing("this report"));
  return fits(least) ? least : "All of it is in the folder of the report.\n";
}

function missing(what: string): string {
  return `The summary of a job has no room for ${what}. All of it is in the folder of the report.`;
}

/** Returns what a summary and a comment say where nothing was measured: why, as code, because a message may quote anything. */
export function composeFailure(message: string): string {
  const LONGEST = 8000;
  const text = stripVTControlCharacters(message).trim();
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n...` : text;
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `### lbbench: no verdict\n\nThe run could not be made.\n\n${fence}text\n${shown}\n${fence}\n`;
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
    const { inSight, rest } = partReport(await source.render(charts), source.comparison);
    const folded = rest === "" ? "" : join("<details>", "<summary>The whole report</summary>", rest, "</details>");
    const whole = frameComment(join(inSight, folded), frame);
    if (whole.length <= most) return whole;
  }
  const { inSight } = partReport(await source.render("none"), source.comparison);
  const shorten = (text: string): string =>
    frameComment(join(source.headline, text), frame, "A comment has no room for the rest. ");
  return shorten(cutLines(inSight, (text) => shorten(text).length <= most));
}

/** Returns a comment with this text alone, of which nothing calls anybody, between its mark and a link to the run. */
export function frameComment(text: string, { mark, runUrl, measured }: CommentFrame, hint: string = ""): string {
  const before = measured === undefined ? "" : `${measured} `;
  return `${mark}\n${quietReferences(text)}\n\n<sub>${before}${hint}[The run and its summary](${runUrl})</sub>\n`;
}

/** What is read first of a report, and the rest, which can be opened. */
function partReport(
  markdown: string,
  comparison: string | undefined,
): { readonly inSight: string; readonly rest: string } {
  const { head, sections } = splitReport(markdown);
  const isInSight = ({ title }: ReportSection): boolean => /^(?:Verdict|Comparison)\b/.test(title);
  const text = (some: readonly ReportSection[]): readonly string[] => some.map((section) => section.text);
  return {
    inSight: join(comparison, head, ...text(sections.filter(isInSight))),
    rest: join(...text(sections.filter((section) => !isInSight(section)))),
  };
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? "")
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Parts a sign from what follows it, and nobody sees it. */
const PARTED = "\u200B";

/** What GitHub takes for another issue or pull request: `#12`, `owner/name#12`, `GH-12`; not `&#39;`, which is a character. */
const NUMBER = /(?<!&)#(?=\d)|\bGH\\?-(?=\d)/gi;

/**
 * Returns Markdown in which no name calls anybody and no number leads to another issue, whatever it quotes. In blocks of code numbers
 * are no references, and colours of charts look like some.
 */
export function quietReferences(markdown: string): string {
  return readLines(markdown)
    .map(({ line, isInside }) => {
      const calm = line.replaceAll(/@(?=[\w-])/g, `@${PARTED}`);
      return isInside ? calm : calm.replaceAll(NUMBER, (sign) => `${sign}${PARTED}`);
    })
    .join("\n");
}

/** A heading of the second level and what stands below it. */
interface ReportSection {
  readonly title: string;
  /** With the heading. */
  readonly text: string;
}

/** Cuts a report at its headings of the second level: title and what stands below it, then the sections. */
function splitReport(markdown: string): { readonly head: string; readonly sections: readonly ReportSection[] } {
  const head: string[] = [];
  const sections: { readonly title: string; readonly lines: string[] }[] = [];
  for (const { line, isInside } of readLines(markdown)) {
    const [, title] = (isInside ? null : /^## (.*)$/.exec(line)) ?? [];
    if (title !== undefined) sections.push({ title, lines: [] });
    (sections.at(-1)?.lines ?? head).push(line);
  }
  return {
    head: head.join("\n").trim(),
    sections: sections.map(({ title, lines }) => ({ title, text: lines.join("\n").trim() })),
  };
}

/** Returns as many whole lines of Markdown from the first as `fits` takes, and no block of code without its end. */
function cutLines(markdown: string, fits: (text: string) => boolean): string {
  const lines = readLines(markdown);
  const upTo = (count: number): string =>
    lines
      .slice(0, count)
      .map(({ line }) => line)
      .join("\n");
  const ends = lines.flatMap(({ isOpen }, at) => (isOpen ? [] : [at + 1]));
  let [fitting, tooMany] = [0, ends.length];
  // What is longer never fits where what is shorter does not.
  while (fitting < tooMany) {
    const middle = Math.ceil((fitting + tooMany) / 2);
    if (fits(upTo(ends[middle - 1] ?? 0))) fitting = middle;
    else tooMany = middle - 1;
  }
  return upTo(ends[fitting - 1] ?? 0).trim();
}

interface MarkdownLine {
  readonly line: string;
  /** Stands inside a block of code, or ends it. */
  readonly isInside: boolean;
  /** A block of code is open behind it. */
  readonly isOpen: boolean;
}

/** The lines of Markdown, and whether they stand in a block of code. */
function readLines(markdown: string): readonly MarkdownLine[] {
  let fence: string | undefined;
  return markdown.split("\n").map((line) => {
    const [, ticks] = /^ {0,3}(`{3,})/.exec(line) ?? [];
    const isInside = fence !== undefined;
    if (fence === undefined) fence = ticks;
    else if (ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks) fence = undefined;
    return { line, isInside, isOpen: fence !== undefined };
  });
}
