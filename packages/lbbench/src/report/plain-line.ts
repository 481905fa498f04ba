/** Line breaks, control characters (among them what starts a terminal's escape sequence) and what turns text around. */
const NOT_PRINTED = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a text from outside as one line that a terminal or an editor prints as it stands. */
export function plainLine(text: string): string {
  return plainRun(text).trim();
}

/** Returns a part of a line likewise, with the spaces at its ends. */
export function plainRun(text: string): string {
  return text.replaceAll(NOT_PRINTED, " ").replaceAll(/ {2,}/g, " ");
}
