/** Blocks of a report as plain text for a terminal. */
import { type Kind, plainText, type Table } from "./document/block.js";
import { plainLine, plainRun } from "./plain-line.js";
import { characterWidths, cutToWidth, padToWidth, shortenToWidth, textWidth, wrapWords } from "./text-layout.js";

/** What a terminal shows of a report. */
type TextBlock = Kind<"paragraph" | "list" | "table">;

/** Widest text that is comfortable to read, in columns. */
export const WIDEST = 99;
const INDENT = "  ";
const GAP = "  ";
/** Of the words of a first column, where there is no room for more. */
const LEAST_OF_NAME = 4;

/** Returns the lines of a block, none wider than `width` columns, from 20 on; nothing from outside becomes an escape sequence. */
export function renderLines(block: TextBlock, width: number): readonly string[] {
  if (block.kind === "paragraph") return wrapLine(plainText(block.text), width);
  if (block.kind === "list") return block.items.flatMap((item) => wrapLine(plainText(item), width));
  return [...(block.lead === undefined ? [] : wrapLine(block.lead, width)), ...renderTable(block, width)];
}

/** Breaks a line between words, and a word that is longer than a line, an address say, wherever that ends. */
export function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const wrapped of wrapWords(plainLine(line), width, INDENT)) {
    if (textWidth(wrapped) <= width) {
      lines.push(wrapped);
      continue;
    }
    lines.push("");
    for (const [character, columns] of characterWidths(wrapped)) {
      const last = lines.at(-1) ?? "";
      if (textWidth(last) + columns <= width) lines.splice(-1, 1, `${last}${character}`);
      else lines.push(`${INDENT}${character}`);
    }
  }
  return lines;
}

/**
 * A table is as wide as it has to be. Where its first column can be shortened it keeps to the width: columns of the least weight are left out
 * first, and then the words of the first column are shortened.
 */
function renderTable({ columns, rows }: Table, width: number): readonly string[] {
  const texts = [columns.map(({ head }) => head), ...rows.map((row) => row.map(({ text }) => plainText(text)))].map(
    (row) => row.map(plainRun),
  );
  const alignments = columns.map(({ align }) => align);
  const shortest = columns[0]?.shortest;
  if (shortest === undefined) return alignRows(alignments, texts);
  const widths = columns.map((_, at) => Math.max(...texts.map((row) => textWidth(row[at] ?? ""))));
  const kept = new Set(columns.keys());
  const room = (): number =>
    widths.reduce((left, taken, at) => (at > 0 && kept.has(at) ? left - taken - GAP.length : left), width);
  const byWeight = [...kept].toSorted((a, b) => (columns[a]?.weight ?? Infinity) - (columns[b]?.weight ?? Infinity));
  for (const at of byWeight) {
    if (columns[at]?.weight !== undefined && room() < Math.min(shortest, widths[0] ?? 0)) kept.delete(at);
  }
  const leftOut = columns.flatMap(({ head }, at) => (kept.has(at) ? [] : [head]));
  const shown = texts.map(([name = "", ...others]) =>
    [shortenToWidth(name, Math.max(LEAST_OF_NAME, room())), ...others].filter((_, at) => kept.has(at)),
  );
  const shownAlignments = alignments.filter((_, at) => kept.has(at));
  const lines = alignRows(shownAlignments, shown).map((line) => cutToWidth(line, width));
  return leftOut.length === 0 ? lines : [...lines, ...wrapLine(`No room for: ${leftOut.join(", ")}`, width)];
}

/** Lines of plain text whose cells stand below one another, each column as wide as its widest cell. */
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
