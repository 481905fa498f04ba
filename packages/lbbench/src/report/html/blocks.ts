import type {
  Block,
  FindingGroup,
  FindingKind,
  Inlines,
  ReportSection,
  Table,
  TableCell,
  TableColumn,
} from "../document/block.js";
import { type ChartDefinition, wholeSubtitle } from "../charts/chart-definition.js";
import { chartTables } from "./charts.js";
import { type Content, markup, type Markup, preformatted } from "./markup.js";

/** What stands beside the words of a verdict or of findings; nothing is told by its colour alone. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["pass", "✓"],
  ["fail", "✕"],
  ["inconclusive", "?"],
  ["failure", "✕"],
  ["error", "✕"],
  ["warning", "!"],
  ["info", "i"],
]);

/** Renders a section with its heading, whose id is that of the section. */
export function renderSection({ id, title, blocks }: ReportSection): Markup {
  let about = "";
  const parts = blocks.map((block, at) => {
    if (block.kind === "heading") about = block.text;
    return renderBlock(block, { id: `${id}-${at}`, about });
  });
  return markup`<section class="part" data-part="${id}" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${parts}</section>
`;
}

function renderBlock(block: Block, { id, about }: { readonly id: string; readonly about: string }): Content {
  switch (block.kind) {
    case "heading":
      return markup`<h3 id="${id}">${block.text}</h3>\n`;
    case "paragraph":
      return markup`<p>${renderInlines(block.text)}</p>\n`;
    case "list":
      return markup`<ul>${block.items.map((item) => markup`<li>${renderInlines(item)}</li>`)}</ul>\n`;
    case "code":
      return markup`<pre class="scroll" tabindex="0"><code>${preformatted(block.text)}</code></pre>\n`;
    case "verdict":
      return markup`<p class="verdict" data-status="${block.status}"><span class="sign" aria-hidden="true">${SIGNS.get(block.status)}</span><span>${block.text}</span></p>\n`;
    case "findings":
      return block.groups.map((group, at) => renderFindingGroup(group, `findings-${at + 1}`));
    case "charts":
      return markup`<div class="charts">\n${block.charts.map(chartFigure)}</div>\n`;
    case "folded":
      return markup`<details class="folded"><summary>${block.summary}</summary>\n${block.blocks.map((part) => renderBlock(part, { id, about }))}</details>\n`;
    case "facts":
      return markup`<dl class="facts">${block.facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${renderInlines(value)}</dd></div>`)}</dl>\n`;
    case "table":
      return renderTable(block, about);
  }
}

/** Renders the place of a chart: its words, an empty box that the page's script draws into, and its points as tables. */
function chartFigure(chart: ChartDefinition): Markup {
  const { id, title, note, alt } = chart;
  const notes = (note ?? "").split("\n").filter((line) => line !== "");
  return markup`<figure class="chart" id="chart-${id}" data-chart="${id}">
<figcaption><h3>${title}</h3><p class="subtitle">${wholeSubtitle(chart)}</p>${notes.map((line) => markup`<p class="note">${line}</p>`)}</figcaption>
<div class="chart-box"></div>
<details class="chart-data"><summary>Figures of this chart</summary>
<p class="alt">${alt}</p>
${chartTables(chart).map((block) => renderBlock(block, { id: "", about: "" }))}
</details>
</figure>
`;
}

/** Findings are panels, one for each kind: what was seen, what is behind it and what to do. */
function renderFindingGroup({ head, look, kinds }: FindingGroup, id: string): Markup {
  return markup`<section class="findings" data-severity="${look}" aria-labelledby="${id}">
<h3 id="${id}"><span class="sign" aria-hidden="true">${SIGNS.get(look)}</span>${head}</h3>
${kinds.map(renderKind)}</section>
`;
}

function renderKind({ code, title, texts, cause, remedy }: FindingKind): Markup {
  const [only = "", ...others] = texts;
  const seen =
    others.length === 0
      ? markup`<p class="seen">${renderInlines(only)}</p>`
      : markup`<ul class="seen">${texts.map((text) => markup`<li>${renderInlines(text)}</li>`)}</ul>`;
  return markup`<article class="finding">
<h4>${title} <code>${code}</code></h4>
${seen}
<dl class="advice"><div><dt>Cause</dt><dd>${cause}</dd></div>${remedy === undefined ? null : markup`<div><dt>What to do</dt><dd>${remedy}</dd></div>`}</dl>
</article>
`;
}

/**
 * A sentence that introduces a table is its caption; without one the caption is for those who do not see what stands around it.
 *
 * @param about the heading above it, so that several of a kind can be told apart; empty for none.
 */
function renderTable(table: Table, about: string): Markup {
  const { caption, lead, columns, rows } = table;
  const isSortable = rows.length > 1;
  const name = about === "" ? caption : `${about}: ${caption}`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${name}">
<table class="${isSortable ? "sortable" : "plain"}">
${lead === undefined ? markup`<caption class="unseen">${name}</caption>` : markup`<caption><span>${lead.replace(/:$/, "")}</span></caption>`}
<thead><tr>${columns.map((column) => renderHead(column, isSortable))}</tr></thead>
<tbody>
${rows.map((row) => markup`<tr>${row.map((cell, at) => renderCell(cell, classOf(columns[at]?.align), at === 0))}</tr>\n`)}</tbody>
</table>
</div>
`;
}

function renderHead({ head, align, title }: TableColumn, isSortable: boolean): Markup {
  const words = title === undefined ? null : markup` title="${title}"`;
  return isSortable
    ? markup`<th scope="col" class="${classOf(align)}" aria-sort="none"><button type="button"${words}>${head}</button></th>`
    : markup`<th scope="col" class="${classOf(align)}"${words}>${head}</th>`;
}

function renderCell({ text, value, tone }: TableCell, kind: string, isHeading: boolean): Markup {
  const figure = value === undefined ? null : markup` data-value="${value}"`;
  const content =
    tone === undefined ? renderInlines(text) : markup`<span class="${tone}">${renderInlines(text)}</span>`;
  return isHeading
    ? markup`<th scope="row" class="${kind}"${figure}>${content}</th>`
    : markup`<td class="${kind}"${figure}>${content}</td>`;
}

function classOf(align: TableColumn["align"] | undefined): string {
  return align === "right" ? "number" : "words";
}

/** Renders what stands in a line. */
export function renderInlines(text: Inlines): Content {
  return [text].flat().map((run): Content => {
    if (typeof run === "string") return run;
    return run.kind === "strong" ? markup`<strong>${run.text}</strong>` : markup`<code>${run.text}</code>`;
  });
}
