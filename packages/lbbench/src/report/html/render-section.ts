import type { Block, Facts, ReportSection, SectionId } from "../document/block.js";
import { chartFigure } from "./chart-figure.js";
import { markup, preformatted } from "./markup.js";
import type { Content, Markup } from "./markup.js";
import { renderFindings } from "./render-findings.js";
import { renderInlines } from "./render-inlines.js";
import { renderTable } from "./render-table.js";

/** What stands beside the words of a verdict. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["pass", "✓"],
  ["fail", "✕"],
  ["inconclusive", "?"],
]);

/** Renders a section with its heading, whose id is that of the section. */
export function renderSection({ id, title, blocks }: ReportSection): Markup {
  let about = "";
  const parts = blocks.map((block, at) => {
    if (block.kind === "heading") about = block.text;
    return renderBlock(block, { id: headingId(id, at), about });
  });
  return markup`<section class="part" data-part="${id}" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${parts}</section>
`;
}

/** Returns the id of a heading within a section, by its place among the blocks there. */
export function headingId(section: SectionId, at: number): string {
  return `${section}-${at}`;
}

/** Where a block stands. */
interface Place {
  /** Its id, if it is a heading. */
  readonly id: string;
  /** The heading above it in its section; empty where there is none. */
  readonly about: string;
}

function renderBlock(block: Block, { id, about }: Place): Content {
  switch (block.kind) {
    case "heading":
      return block.level === 3
        ? markup`<h3 id="${id}">${block.text}</h3>\n`
        : markup`<h4 id="${id}">${block.text}</h4>\n`;
    case "paragraph":
      return markup`<p>${renderInlines(block.text)}</p>\n`;
    case "list":
      return markup`<ul>${block.items.map(
        ({ text, items = [] }) =>
          markup`<li>${renderInlines(text)}${items.length === 0 ? null : markup`<ul>${items.map((item) => markup`<li>${renderInlines(item)}</li>`)}</ul>`}</li>`,
      )}</ul>\n`;
    case "code":
      return markup`<pre class="scroll" tabindex="0"><code>${preformatted(block.text)}</code></pre>\n`;
    case "verdict":
      return markup`<p class="verdict" data-status="${block.status}"><span class="sign" aria-hidden="true">${SIGNS.get(block.status)}</span><span>${block.text}</span></p>\n`;
    case "findings":
      return renderFindings(block.groups);
    case "charts":
      return markup`<div class="charts">\n${block.charts.map(chartFigure)}</div>\n`;
    case "folded":
      return markup`<details class="folded"><summary>${block.summary}</summary>\n${block.blocks.map((part) => renderBlock(part, { id, about }))}</details>\n`;
    case "facts":
      return renderFacts(block);
    case "table":
      return renderTable(block, about);
  }
}

function renderFacts({ facts }: Facts): Markup {
  return markup`<dl class="facts">${facts.map(
    ([name, value]) => markup`<div><dt>${name}</dt><dd>${renderInlines(value)}</dd></div>`,
  )}</dl>\n`;
}
