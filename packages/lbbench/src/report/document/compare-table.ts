import type { TargetJudgement } from "../../judge/compare-targets.js";
import { type CompareLayout, tabulateComparison } from "../compare-table.js";
import { createTable, strong, type Table, type TableCell } from "./block.js";

/** The words of the column `Difference` that are not a draw. */
const TONES: ReadonlyMap<string, NonNullable<TableCell["tone"]>> = new Map([
  ["faster", "good"],
  ["fewer", "good"],
  ["slower", "bad"],
  ["more", "bad"],
]);

/** Returns the table of a comparison; none where there is nothing to compare. */
export function compareTable(
  targets: readonly TargetJudgement[],
  layout: CompareLayout,
  lead?: string,
): readonly Table[] {
  const { columns, rows } = tabulateComparison(targets, layout);
  if (rows.length === 0) return [];
  return [
    createTable(
      { caption: "Comparison", ...(lead === undefined ? {} : { lead }) },
      columns.map(({ head, align }, at) => ({
        head,
        align,
        cell: (row: readonly string[]) => toCell(row[at] ?? "", head),
      })),
      rows,
    ),
  ];
}

function toCell(text: string, head: string): TableCell {
  if (head === "Worse" && text === "yes") return { text: [strong(text)], tone: "bad" };
  const tone = head === "Difference" ? TONES.get(text) : undefined;
  return { text, ...(tone === undefined ? {} : { tone }) };
}
