/** Texts from outside, made harmless and short enough for the place where they stand. */
import { NOT_PRINTED } from "../stats/not-printed.js";

/** Returns a text from outside as one line that a terminal or an editor prints as it stands. */
export function plainLine(text: string): string {
  return plainRun(text).trim();
}

/** Returns a part of a line likewise, with the spaces at its ends. */
export function plainRun(text: string): string {
  return text.replaceAll(NOT_PRINTED, " ").replaceAll(/ {2,}/g, " ");
}

/** Returns code from outside as plain lines that keep their indentation. */
export function plainCode(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/).map((line) => `${/^ */.exec(line)?.[0] ?? ""}${plainLine(line)}`);
}

const NOTHING_LEFT = "\uFFFD";

/** Returns a text from outside as one plain line where it is none; any other as it was, to the last space. */
export function cleanText(text: string): string {
  return text.search(NOT_PRINTED) !== -1 ? plainLine(text) || NOTHING_LEFT : text;
}

/** Returns what becomes of each of some texts by {@link cleanText}, with a number where two would be the same: `a b (2)`. */
export function cleanNames(texts: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(texts)];
  // A text that needs no cleaning keeps its name, also behind one that becomes the same.
  const taken = new Set(all.filter((text) => cleanText(text) === text));
  return new Map(all.map((text) => [text, taken.has(text) ? text : freeName(cleanText(text), taken)]));
}

/** Returns a name that is not taken yet, `single (2)` where `single` is, and takes it. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} (${number})`;
  taken.add(free);
  return free;
}

const LONGEST = 240;

/** Of what a program prints before it ends, the line that says why. */
const TELLING = /^(?:uncaught )?(?:[\w.]*(?:error|exception)|panic|fatal)\b/i;

/** Returns a message in one line: of a long one with several lines the first, and after a colon the one that says why. */
export function messageLine(message: string): string {
  const lines = message.split(/\r\n|\r|\n/).flatMap((line) => line.trim() || []);
  const [first = "", ...others] = lines;
  if (!isLong(message)) return lines.join(" ");
  return first.endsWith(":") ? `${first} ${others.find((line) => TELLING.test(line)) ?? others[0] ?? ""}` : first;
}

/** Whether there is more to a message than its line says. */
export function isLong(message: string): boolean {
  return message.trim().length > LONGEST && /[\r\n]/.test(message.trim());
}

/** Shortens a name to so many characters, the middle replaced by `…`, as names often differ at their ends; one line. */
export function shortenName(name: string, length: number): string {
  return shortenCharacters(Array.from(name.replaceAll(/\s+/g, " ")), length);
}

/** Does the same with characters, however they are written. */
export function shortenCharacters(characters: readonly string[], length: number): string {
  if (characters.length <= length) return characters.join("");
  const head = Math.ceil((length - 1) / 2);
  return [...characters.slice(0, head), "…", ...characters.slice(characters.length - (length - 1 - head))].join("");
}

const LIST = new Intl.ListFormat("en-GB");

/** `a, b and c` */
export function joinWords(words: readonly string[]): string {
  return LIST.format(words);
}

/** Begins a text with a capital letter. */
export function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
