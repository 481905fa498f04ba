/** Characters that do not stand in a line as they are, but act on what is around them. */

/** Line breaks, control characters (among them what starts a terminal's escape sequence) and what turns text around. */
export const NOT_PRINTED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Escapes such characters in a JSON text, which means the same then; its own line breaks stay. */
export function escapeInJson(json: string): string {
  return json.replaceAll(NOT_PRINTED, (run) => run.replaceAll(/[^\n]/gu, escapeCharacter));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
