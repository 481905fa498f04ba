import { textWidth } from "../index.js";

const GRAPHEMES = new Intl.Segmenter();

/** How many rows a line of plain text takes in a terminal of so many columns; a character that takes two never stands on both. */
export function rowsOf(line: string, columns: number): number {
  let rows = 1;
  let taken = 0;
  for (const { segment } of GRAPHEMES.segment(line)) {
    const width = textWidth(segment);
    if (taken + width > columns) {
      rows += 1;
      taken = 0;
    }
    taken += width;
  }
  return rows;
}
