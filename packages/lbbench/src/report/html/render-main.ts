import type { Result } from "../../model/result.js";
import type { Block, ReportDocument, ReportSection } from "../document/block.js";
import { createDocument } from "../document/report-document.js";
import { embedJson } from "./embed-json.js";
import { formatCount } from "../format-number.js";
import { hideSecrets } from "../hide-secrets.js";
import { markup, renderContent } from "./markup.js";
import type { Content, Markup } from "./markup.js";
import { renderInlines } from "./render-inlines.js";
import { headingId, renderSection } from "./render-section.js";

/** How far a run is that goes on: steps that are done, and all there are, `null` where nobody can say. */
export interface Running {
  readonly done: number;
  readonly total: number | null;
}

/**
 * Returns what stands inside `<main id="report">`: the report, and as JSON what its charts are drawn of (`#chart-definitions`) and
 * the result itself without its secrets (`#result`). A server can push it into a page that is open.
 *
 * @param running of a run that goes on: it has no verdict yet.
 */
export function renderMain(result: Result, running?: Running): string {
  return renderContent(mainContent(result, running));
}

/** Returns the same as markup, for the page around it. */
export function mainContent(result: Result, running?: Running): Markup {
  const shown = hideSecrets(result);
  const whole = createDocument(shown);
  const document = running === undefined ? whole : { ...whole, sections: whole.sections.map(withoutVerdict(running)) };
  const { title, introduction, sections } = document;
  const blocks: readonly Block[] = sections.flatMap((section) => section.blocks);
  return markup`<div class="intro">
<h1>${title}</h1>
<p>${renderInlines(introduction)}</p>
</div>
${renderContents(document)}
${sections.map(renderSection)}
${embedJson(
  "chart-definitions",
  blocks.flatMap((block) => (block.kind === "charts" ? block.charts : [])),
)}
${embedJson("result", shown)}`;
}

const withoutVerdict =
  ({ done, total }: Running) =>
  (section: ReportSection): ReportSection => {
    if (section.id !== "verdict") return section;
    const far = total === null ? formatCount(done) : `${formatCount(done)} of ${formatCount(total)}`;
    const text = ["The run goes on. Its verdict comes at the end."];
    const blocks = section.blocks.filter(({ kind }) => kind !== "verdict");
    return { ...section, title: `Running, ${far}`, blocks: [{ kind: "paragraph", text }, ...blocks] };
  };

function renderContents({ sections }: ReportDocument): Markup {
  return markup`<nav class="contents" aria-label="Parts of the report">
<ul>${sections.map((section) => markup`<li><a href="#${section.id}">${section.title}</a>${renderParts(section)}</li>`)}</ul>
</nav>`;
}

/** The results are the longest section: each of their targets is a part. */
function renderParts({ id, blocks }: ReportSection): Content {
  const parts = blocks.flatMap((block, at) =>
    id === "results" && block.kind === "heading" ? [{ text: block.text, to: headingId(id, at) }] : [],
  );
  return parts.length < 2
    ? null
    : markup`<ul>${parts.map(({ text, to }) => markup`<li><a href="#${to}">${text}</a></li>`)}</ul>`;
}
