import { padToWidth, textWidth } from "./text-width.js";

const GAP = "  ";

/** Lines of plain text whose cells stand below one another, each column as wide as its widest cell, in columns of a terminal. */
export function alignRows(
  alignments: readonly ("left" | "right")[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const widths = alignments.map((_, at) => Math.max(...rows.map((row) => textWidth(row[at] ?? ""))));
  return rows.map((row) =>
    row
      .map((text, at) => padToWidth(text, widths[at] ?? 0, alignments[at]))
      .join(GAP)
      .trimEnd(),
  );
}

/** Columns that some cells take in a row, with the gaps before them. */
export function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + GAP.length + width, 0);
}
