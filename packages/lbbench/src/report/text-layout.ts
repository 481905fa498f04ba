import stringWidth from "fast-string-width";

const GRAPHEMES = new Intl.Segmenter();

/** Characters that take no column, such as a zero-width space; in an emoji some of them join its parts. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;
const OF_EMOJI = /\p{Extended_Pictographic}|\u200d|\ufe0f/u;

/** Returns how many columns a terminal takes for a line of plain text: two for a CJK character or an emoji. */
export function textWidth(text: string): number {
  return stringWidth(OF_EMOJI.test(text) ? text : text.normalize("NFC").replaceAll(IGNORABLE, ""));
}

/** What a reader takes for characters, each with the columns that it takes. */
export function characterWidths(text: string): readonly (readonly [character: string, columns: number])[] {
  return Array.from(GRAPHEMES.segment(text), ({ segment }) => [segment, textWidth(segment)] as const);
}

/** Cuts a line of text to so many columns at most; where something is left out it ends with `…`. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  return columns < 1 ? "" : `${startOf(characterWidths(text), columns - 1).join("")}…`;
}

/** Shortens a name to so many columns at most, the middle replaced by `…`, as names often differ at their ends. */
export function shortenToWidth(name: string, columns: number): string {
  if (textWidth(name) <= columns) return name;
  if (columns < 1) return "";
  const characters = characterWidths(name);
  const head = startOf(characters, Math.ceil((columns - 1) / 2));
  const tail = startOf(characters.toReversed(), columns - 1 - textWidth(head.join("")));
  return [...head, "…", ...tail.toReversed()].join("");
}

/** Fills a text up with spaces to so many columns. */
export function padToWidth(text: string, columns: number, align: "left" | "right" = "left"): string {
  const spaces = " ".repeat(Math.max(0, columns - textWidth(text)));
  return align === "left" ? `${text}${spaces}` : `${spaces}${text}`;
}

function startOf(characters: readonly (readonly [string, number])[], columns: number): readonly string[] {
  let taken = 0;
  const start: string[] = [];
  for (const [character, width] of characters) {
    taken += width;
    if (taken > columns) break;
    start.push(character);
  }
  return start;
}

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

const BARS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/**
 * Draws values as bars in one line; neighbours share a bar where there are more values than columns. A value that is not known is a gap.
 *
 * @param highest what the highest bar stands for; the lowest one stands for 0.
 */
export function renderSparkline(values: readonly (number | null)[], highest: number, columns: number): string {
  const count = Math.max(0, Math.min(values.length, columns));
  return Array.from({ length: count }, (_, bar) => {
    const [from, until] = [bar, bar + 1].map((edge) => Math.round((edge * values.length) / count));
    const known = values.slice(from, until).filter((value) => value !== null);
    if (known.length === 0) return " ";
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const share = highest > 0 ? Math.min(1, Math.max(0, mean / highest)) : 0;
    return BARS[Math.round(share * (BARS.length - 1))];
  }).join("");
}
