import type { TargetJudgement } from "../../judge/compare-levels.js";
import { tabulateComparison } from "../compare-table.js";
import type { CompareLayout } from "../compare-table.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { renderTable } from "./table.js";

/** Renders the table of a comparison; empty where there is nothing to compare. */
export function renderCompareTable(targets: readonly TargetJudgement[], layout: CompareLayout): string {
  const { columns, rows } = tabulateComparison(targets, layout);
  if (rows.length === 0) {
    return "";
  }
  return renderTable<readonly string[]>(
    columns.map(({ head, align }, at) => ({
      head: escapeMarkdown(head),
      align,
      cell: (row) => renderCell(row[at] ?? "", head),
    })),
    rows,
  );
}

/** Names come from outside; the other cells are ours, and read better as they are. */
function renderCell(text: string, head: string): string {
  if (head === "Target") {
    return escapeMarkdown(text);
  }
  return head === "Worse" && text === "yes" ? "**yes**" : text;
}
