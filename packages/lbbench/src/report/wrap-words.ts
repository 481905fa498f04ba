import { textWidth } from "./text-width.js";

/** Breaks a text between words into lines of at most so many columns, the later ones indented; a longer word stays whole. */
export function wrapWords(text: string, width: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width) {
      lines.splice(-1, 1, `${last} ${word}`);
    } else {
      lines.push(last === undefined ? word : `${indent}${word}`);
    }
  }
  return lines;
}
