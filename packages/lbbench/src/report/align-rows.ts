const GAP = "  ";

/** Lines of plain text whose cells stand below one another, each column as wide as its widest cell. */
export function alignRows(
  alignments: readonly ("left" | "right")[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const widths = alignments.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, at) => (alignments[at] === "right" ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

/** Columns that some cells take in a row, with the gaps before them. */
export function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + GAP.length + width, 0);
}
