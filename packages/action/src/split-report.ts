/** A report in Markdown, cut where a section begins. */
export interface ReportParts {
  /** Title, and what stands below it. */
  readonly head: string;
  readonly sections: readonly ReportSection[];
}

/** A heading of the second level and what stands below it. */
export interface ReportSection {
  readonly title: string;
  /** With the heading. */
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,})/;
const HEADING = /^## (.*)$/;

/** Cuts a report at its headings of the second level. What looks like one inside a block of code is none. */
export function splitReport(markdown: string): ReportParts {
  const head: string[] = [];
  const sections: { readonly title: string; readonly lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, ticks] = FENCE.exec(line) ?? [];
    if (ticks !== undefined && (fence === undefined || isEnd(line, fence))) {
      fence = fence === undefined ? ticks : undefined;
    }
    const [, title] = (fence === undefined && HEADING.exec(line)) || [];
    if (title !== undefined) sections.push({ title, lines: [] });
    (sections.at(-1)?.lines ?? head).push(line);
  }
  return {
    head: head.join("\n").trim(),
    sections: sections.map(({ title, lines }) => ({ title, text: lines.join("\n").trim() })),
  };
}

function isEnd(line: string, fence: string): boolean {
  const marks = line.trim();
  return marks.length >= fence.length && /^`+$/.test(marks);
}
