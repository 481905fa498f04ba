import { stripVTControlCharacters } from "node:util";
import { ImportError } from "./imported-run.js";

/** A line of a file, by what is left of it when it is cleaned. */
export interface Line {
  /** In the file, from 1. */
  readonly number: number;
  /** Without colours, quotes, indentation and time stamps: JSON is read from this. */
  readonly bare: string;
  /** Also without markup, borders and double spaces: labels and figures are read from this. */
  readonly text: string;
}

/** What stands in front of a line that was copied from a document, a mail or the log of CI; as often as it comes. */
const PREFIXES: readonly RegExp[] = [
  /^\s+/,
  // A quote, a list, a comment.
  /^(?:>|[-*+•](?= )|\/\/)/,
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?[:|]?(?=\s|$)/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?=\s)/,
  // Job and step of `gh run view --log`, container of `docker compose`.
  /^[^\t]+\t[^\t]+\t(?=\d{4}-\d\d-\d\dT)/,
  /^[\w.-]+[-_]\d+ +\| /,
];

/** What is taken out of the rest of a line, and what is put in its place. */
const MARKUP: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Fences, and lines of a table that have no text.
  [/^(?:```|~~~).*$/, ""],
  [/^[-+=|:\s]+$/, ""],
  [/<\/?[a-z][^<>]*>/gi, " "],
  [/&nbsp;/g, " "],
  [/&lt;/g, "<"],
  [/&gt;/g, ">"],
  [/&quot;/g, '"'],
  [/&amp;/g, "&"],
  [/\*\*|`/g, ""],
  // Borders of tables, and bars of histograms.
  [/[|\u2500-\u259F\u25A0\u220E]+/g, " "],
  [/\s+/g, " "],
];

/** An output without its line breaks is shorter. */
const LONGEST = 20_000;
/** Ends of elements that stand in a line of their own when a page is shown. */
const LINE_ENDS = /<br\s*\/?>|<\/(?:tr|p|div|li|pre)>/i;

/**
 * Returns the lines of a file that output was saved to, cleaned: UTF-8, or UTF-16 with a mark, as PowerShell writes it. Throws an
 * {@link ImportError} for a file that is no text.
 *
 * @param file its name, for messages.
 */
export function cleanLines(bytes: Uint8Array, file: string): readonly Line[] {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  const text = stripVTControlCharacters(new TextDecoder(encoding).decode(bytes)).replaceAll(/\r\n?/g, "\n");
  const zero = text.indexOf("\0");
  if (zero !== -1) {
    const line = text.slice(0, zero).split("\n").length;
    throw new ImportError(`${file}:${line}: expected text, got a zero byte. Save the output as text in UTF-8`);
  }
  return text.split("\n").flatMap((line, index) =>
    line.split(LINE_ENDS).map((part) => {
      const bare = withoutPrefixes(part);
      return { number: index + 1, bare, text: withoutMarkup(bare.slice(0, LONGEST)) };
    }),
  );
}

/** A quote of a quote, in a list, in a log. */
const MOST_PREFIXES = 8;

function withoutPrefixes(line: string): string {
  if (/^[A-Z]\w/i.test(line) && !/[\t|]/.test(line)) return line.trimEnd();
  let rest = line;
  for (let count = 0, before = ""; count < MOST_PREFIXES && before !== rest; count += 1) {
    before = rest;
    rest = PREFIXES.reduce((text, prefix) => text.replace(prefix, ""), rest);
  }
  return rest.trimEnd();
}

/** Anything of the above. */
const MARKED = /[<&*`|\u2500-\u25A0\u220E]|\s\s|[^\S ]|^[-+=~:\s]/;

function withoutMarkup(line: string): string {
  if (!MARKED.test(line)) return line;
  return MARKUP.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line).trim();
}
