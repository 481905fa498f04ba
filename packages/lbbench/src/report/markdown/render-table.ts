import { markdownTable } from "markdown-table";
import type { Facts, Table } from "../document/block.js";
import { renderCellText } from "./render-inlines.js";

/** Renders a table, columns padded so that it reads well as plain text too. */
export function renderTable({ columns, rows }: Pick<Table, "columns" | "rows">): string {
  const heads = columns.map(({ head }) => renderCellText(head));
  return markdownTable([heads, ...rows.map((row) => row.map(({ text }) => renderCellText(text)))], {
    align: columns.map(({ align }) => align),
  });
}

/** Renders names and their values as a table of two columns. */
export function renderFacts({ head, facts }: Facts): string {
  return renderTable({
    columns: [
      { head, align: "left" },
      { head: "", align: "left" },
    ],
    rows: facts.map(([name, value]) => [{ text: name }, { text: value }]),
  });
}
