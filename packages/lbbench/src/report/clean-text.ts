import { freeName } from "./free-name.js";
import { plainLine } from "./plain-line.js";

/** What {@link plainLine} takes out, beside spaces, which mean no harm in a cell or a label. */
const NOT_PRINTED = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Stands for a text of which nothing is left. */
const NOTHING_LEFT = "\uFFFD";

/**
 * Returns a text from outside without line breaks, control characters and what turns text around: such a text becomes one plain
 * line. Any other is as it was, to the last space.
 */
export function cleanText(text: string): string {
  return NOT_PRINTED.test(text) ? plainLine(text) || NOTHING_LEFT : text;
}

/** Returns what becomes of each of some texts by {@link cleanText}, with a number where two would be the same: `a b (2)`. */
export function cleanNames(texts: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(texts)];
  // What stays as it is has its name, whatever comes before it.
  const taken = new Set(all.filter((text) => cleanText(text) === text));
  return new Map(all.map((text) => [text, taken.has(text) ? text : freeName(cleanText(text), taken)]));
}
