import type { Table, TableCell, TableColumn } from "../document/block.js";
import { markup } from "./markup.js";
import type { Content, Markup } from "./markup.js";
import { renderInlines } from "./render-inlines.js";

type Row = Table["rows"][number];

/**
 * Renders a table that can be scrolled sideways, and sorted unless its rows belong together. A sentence that introduces it is its
 * caption; without one the caption is for those alone who do not see what stands around it.
 *
 * @param about what the table is of, so that several of a kind can be told apart: the heading above it; empty for none.
 */
export function renderTable(table: Table, about: string): Markup {
  const { caption, lead, columns, rows, isGrouped = false } = table;
  const isSortable = !isGrouped && rows.length > 1;
  const name = about === "" ? caption : `${about}: ${caption}`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${name}">
<table class="${isSortable ? "sortable" : isGrouped ? "grouped" : "plain"}">
${lead === undefined ? markup`<caption class="unseen">${name}</caption>` : markup`<caption><span>${lead.replace(/:$/, "")}</span></caption>`}
<thead><tr>${columns.map((column) => renderHead(column, isSortable))}</tr></thead>
${isGrouped ? groupRows(rows).map((group) => renderGroup(group, columns)) : markup`<tbody>\n${rows.map((row) => renderRow(row, columns, 0))}</tbody>\n`}</table>
</div>
`;
}

function renderHead({ head, align, title }: TableColumn, isSortable: boolean): Markup {
  const words = title === undefined ? null : markup` title="${title}"`;
  return isSortable
    ? markup`<th scope="col" class="${classOf(align)}" aria-sort="none"><button type="button"${words}>${head}</button></th>`
    : markup`<th scope="col" class="${classOf(align)}"${words}>${head}</th>`;
}

/** @param heading which cell says what the row is about. */
function renderRow(row: Row, columns: readonly TableColumn[], heading: number, before: Content = null): Markup {
  return markup`<tr>${before}${row.map((cell, at) => renderCell(cell, classOf(columns[at]?.align), at === heading))}</tr>\n`;
}

function renderCell({ text, value, tone }: TableCell, kind: string, isHeading: boolean): Markup {
  const figure = value === undefined ? null : markup` data-value="${value}"`;
  const content =
    tone === undefined ? renderInlines(text) : markup`<span class="${tone}">${renderInlines(text)}</span>`;
  return isHeading
    ? markup`<th scope="row" class="${kind}"${figure}>${content}</th>`
    : markup`<td class="${kind}"${figure}>${content}</td>`;
}

/** Rows that share what stands in the first column of the first of them. */
function groupRows(rows: readonly Row[]): readonly (readonly Row[])[] {
  const starts = rows.flatMap((row, at) => (at === 0 || row[0]?.text !== "" ? [at] : []));
  return starts.map((start, at) => rows.slice(start, starts[at + 1]));
}

function renderGroup(group: readonly Row[], columns: readonly TableColumn[]): Markup {
  const [first, ...others] = columns;
  const shared = markup`<th scope="rowgroup" rowspan="${group.length}" class="${classOf(first?.align)}">${renderInlines(group[0]?.[0]?.text ?? "")}</th>`;
  return markup`<tbody>\n${group.map(([, ...cells], at) => renderRow(cells, others, 0, at === 0 ? shared : null))}</tbody>\n`;
}

function classOf(align: TableColumn["align"] | undefined): string {
  return align === "right" ? "number" : "words";
}
